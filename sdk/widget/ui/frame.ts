/**
 * The place of the interface on the page: one element with a shadow root, a card in it, and a modal dialog that comes when it is
 * needed. It keeps focus where the respondent is, says changes to screen readers, and follows the theme. If constructable style
 * sheets are missing, a style element takes their place.
 */
import type { ViewOptions } from '../ports.js';
import { readBrand, type Brand } from './brand.js';
import { html } from './dom.js';
import type { Language } from './locale.js';
import { makePalette } from './palette.js';
import { styles } from './styles.js';

/** The content of the card. */
export interface Screen {
  /** Gets focus, or is said, when the screen comes; null where the screen takes care of that itself. */
  readonly title: HTMLElement | null;
  readonly content: readonly Node[];
  /** Called once when another screen takes its place, or the interface goes. */
  readonly leave?: () => void;
}

export type Surface = 'page' | 'dialog';

export interface Frame {
  readonly language: Language;
  readonly brand: Brand;
  /** Shows a screen, or leaves it where it stands; `onDismiss` is what Escape means in a dialog. A screen on the page closes the dialog. */
  show(surface: Surface, screen: Screen, onDismiss?: () => void): void;
  closeDialog(): void;
  /** Says a text to screen readers, politely. */
  announce(text: string): void;
  remove(): void;
}

export function createFrame(options: ViewOptions): Frame {
  const { language } = options;
  const brand = readBrand(options.branding, options.consent);
  const parts = build(options);
  const { element, shadow, root, card, dialog, dialogCard } = parts;
  if (brand.fontFamily !== null) root.style.fontFamily = `${brand.fontFamily}, system-ui, sans-serif`;
  options.host.append(element);
  const stopTheme = followTheme(root, options.theme, brand);

  let current: Screen | null = null;
  let onPage: Screen | null = null;
  let dismiss: (() => void) | undefined;
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    dismiss?.();
  });
  // Some browsers close a dialog at the second Escape whatever a page says. `closeDialog` forgets `dismiss` first, and its event may come
  // when the next screen has opened the dialog again.
  dialog.addEventListener('close', () => {
    if (dialog.open || dialogCard.childElementCount === 0) return;
    if (dismiss === undefined) dialog.showModal();
    else dismiss();
  });

  const closeDialog = () => {
    dismiss = undefined;
    dialogCard.replaceChildren();
    if (dialog.open) dialog.close();
  };
  const announce = (text: string) => {
    (dialog.open ? parts.dialogStatus : parts.status).textContent = text;
  };
  const show: Frame['show'] = (surface, screen, onDismiss) => {
    const hadFocus = shadow.activeElement !== null;
    current?.leave?.();
    current = screen;
    if (surface === 'page') closeDialog();
    dismiss = onDismiss;
    if (surface === 'page' && screen === onPage) return;
    if (surface === 'page') onPage = screen;
    const target = surface === 'dialog' ? dialogCard : card;
    target.replaceChildren(...screen.content);
    target.hidden = false;
    restart(target);
    if (surface === 'dialog' && !dialog.open) {
      if (element.getClientRects().length === 0) document.body.append(element);
      dialog.showModal();
    }
    if (screen.title === null) return;
    if (surface === 'dialog' || hadFocus) screen.title.focus({ preventScroll: surface === 'page' });
    else announce(screen.title.textContent ?? '');
  };
  return {
    language,
    brand,
    show,
    closeDialog,
    announce,
    remove() {
      current?.leave?.();
      current = null;
      stopTheme();
      closeDialog();
      element.remove();
    },
  };
}

/** The elements, not on the page yet. Each place has a live region of its own, for behind a dialog nothing is said. */
function build({ style, language: { tag, direction, texts } }: ViewOptions) {
  const card = html('div', { class: 'card', role: 'region', 'aria-label': texts.region, hidden: true });
  const dialogCard = html('div', { class: 'card' });
  const status = makeStatus();
  const dialogStatus = makeStatus();
  const dialog = html('dialog', { 'aria-label': texts.region }, dialogCard, dialogStatus);
  const name = style === 'friendly' ? 'root round' : 'root';
  const root = html('div', { class: name, lang: tag, dir: direction }, card, status, dialog);
  const element = html('div');
  const shadow = element.attachShadow({ mode: 'open' });
  adoptStyles(shadow);
  shadow.append(root);
  return { element, shadow, root, card, dialog, dialogCard, status, dialogStatus };
}

const makeStatus = () => html('div', { class: 'sr', role: 'status', 'aria-live': 'polite' });

/** Plays the card's entrance again. */
function restart(card: HTMLElement): void {
  card.classList.remove('enter');
  requestAnimationFrame(() => card.classList.add('enter'));
}

/** Puts the palette on the root, again when the system's theme changes; the returned function stops that. */
function followTheme(root: HTMLElement, theme: ViewOptions['theme'], brand: Brand): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    const chosen = theme === 'auto' ? systemTheme(dark) : theme;
    root.style.colorScheme = chosen;
    for (const [name, value] of Object.entries(makePalette(chosen, brand))) root.style.setProperty(`--${name}`, value);
  };
  apply();
  dark.addEventListener('change', apply);
  return () => dark.removeEventListener('change', apply);
}

const systemTheme = (dark: MediaQueryList): 'dark' | 'light' => (dark.matches ? 'dark' : 'light');

function adoptStyles(shadow: ShadowRoot): void {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    shadow.adoptedStyleSheets = [sheet];
  } catch {
    shadow.append(html('style', {}, styles));
  }
}
