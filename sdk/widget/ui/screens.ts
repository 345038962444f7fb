/** Screens that say something and offer ways on: how to begin, consent, trouble, progress and outcome. */
import type { Brand } from './brand.js';
import { button, html, linkOf, mailOf } from './dom.js';
import type { ViewOptions } from '../ports.js';
import type { Frame, Screen } from './frame.js';
import { icon, type IconName } from './icons.js';
import type { Texts } from './texts/en.js';

export interface Action {
  readonly label: string;
  readonly kind: 'main' | 'plain' | 'link';
  readonly run: (trusted: boolean) => void;
}

export interface Message {
  readonly icon: IconName;
  readonly tone?: 'good' | 'warn';
  readonly text: Texts['pass'];
  /** The nodes below the text. */
  readonly more?: readonly (Node | null)[];
  readonly actions?: readonly Action[];
  /** Takes the icon's place. */
  readonly picture?: Element;
  readonly isLeft?: boolean;
}

/** Properties that the screens share. */
export interface Surroundings {
  readonly texts: Texts;
  readonly brand: Brand;
  readonly frame: Frame;
  readonly options: ViewOptions;
}

/** Whether a respondent who cannot do a challenge, or declines, may go on without the camera. */
export const goesWithout = ({ demands }: Pick<ViewOptions, 'demands'>): boolean =>
  demands.minimumAssurance !== 'biometric';

/** Whose check this is: the logo where it can be shown, else the name. */
export function nameOf({ brand }: Surroundings): HTMLElement {
  const name = brand.companyName ?? 'VerifyHuman';
  const written = [icon('shield'), html('bdi', {}, name)];
  const element = html('div', { class: 'name' });
  if (brand.logoUrl === null) {
    element.append(...written);
    return element;
  }
  const logo = html('img', { src: brand.logoUrl, alt: name, referrerpolicy: 'no-referrer' });
  logo.addEventListener('error', () => element.replaceChildren(...written));
  element.append(logo);
  return element;
}

/** Whether it is a test, links of the brand, and whose work this is. */
export const footPartsOf = ({ texts, brand, options }: Surroundings): HTMLElement[] => [
  ...(options.isTest ? [html('b', {}, texts.test)] : []),
  ...(brand.privacyUrl === null ? [] : [linkOf(brand.privacyUrl, texts.privacy)]),
  ...(brand.supportEmail === null ? [] : [mailOf(brand.supportEmail, texts.support)]),
  ...(brand.hidePoweredBy ? [] : [html('span', {}, texts.powered)]),
];

export const titleOf = (text: string): HTMLHeadingElement => html('h2', { tabindex: -1 }, text);

/** A card with head, body and foot. */
export const cardOf = (around: Surroundings, title: HTMLElement | null, body: HTMLElement): Screen => ({
  title,
  content: [
    html('div', { class: 'head' }, nameOf(around)),
    body,
    html('div', { class: 'foot' }, ...footPartsOf(around)),
  ],
});

/** A message with its ways on. */
export function messageScreen(around: Surroundings, message: Message): Screen {
  const title = titleOf(message.text[0]);
  const actions = (message.actions ?? []).map(({ label, kind, run }) => button(label, kind, run));
  const badge = html('div', { class: `badge ${message.tone ?? ''}` }, icon(message.icon));
  return cardOf(
    around,
    title,
    html(
      'div',
      { class: message.isLeft ? 'body' : 'body centre' },
      message.isLeft ? null : (message.picture ?? badge),
      title,
      html('p', message.isLeft ? {} : { class: 'muted' }, message.text[1]),
      ...(message.more ?? []),
      actions.length === 0 ? null : html('div', { class: 'actions' }, ...actions),
    ),
  );
}

/** A progress screen. After `slowMs` it says that work continues. */
export function progressScreen(around: Surroundings, text: string, slowMs = 8_000): Screen {
  const title = titleOf(text);
  const slow = html('p', { class: 'muted', role: 'status' });
  const timer = setTimeout(() => (slow.textContent = around.texts.slow), slowMs);
  const spinner = html('div', { class: 'spin', 'aria-hidden': true });
  const screen = cardOf(around, title, html('div', { class: 'body centre' }, spinner, title, slow));
  return { ...screen, leave: () => clearTimeout(timer) };
}
