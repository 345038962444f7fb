/** How a check begins: captcha mode's strip, which stays in place while the check runs, or standard mode's card with a button. */
import type { StartAct, ViewOptions } from '../ports.js';
import { createAvatar } from './avatar.js';
import { html } from './dom.js';
import { messageScreen, type Action, type Surroundings } from './screens.js';
import { createStrip, type Strip, type StripState } from './strip.js';
import type { Texts } from './texts/en.js';

export interface Beginning {
  awaitStart(): Promise<StartAct>;
  /** Captcha mode: the strip in a state; it comes onto the page where it is not there. */
  showStrip(state: Exclude<StripState, 'ready'>, label: string): void;
  /** The disclosure in addition to consent; null if it was shown already. */
  disclosure(): HTMLElement | null;
}

export function createBeginning(around: Surroundings): Beginning {
  const { texts, frame, options } = around;
  let strip: Strip | null = null;
  let isDisclosed = false;
  const disclose = () => {
    isDisclosed = true;
    return html('p', { class: 'muted', dir: 'auto' }, disclosureOf(options, texts));
  };
  const makeStrip = (onStart: (act: StartAct) => void) =>
    (strip = createStrip(around, {
      interaction: options.interaction,
      disclosure: disclose(),
      onStart: (trusted) => onStart({ trusted }),
    }));
  const startCard = (onStart: (act: StartAct) => void) => {
    const { element, pose } = createAvatar(options.avatar);
    pose('done');
    element.classList.add('wave');
    const start: Action = { label: texts.start, kind: 'main', run: (trusted) => onStart({ trusted }) };
    const message = {
      icon: 'person',
      picture: element,
      text: texts.intro,
      more: [disclose()],
      actions: [start],
    } as const;
    frame.show('page', messageScreen(around, message));
  };
  return {
    awaitStart: () =>
      new Promise((resolve) => {
        if (options.mode !== 'captcha') return startCard(resolve);
        const made = makeStrip(resolve);
        frame.show('page', made.screen);
        made.setState('ready', texts.box);
      }),
    showStrip(state, label) {
      const shown = strip ?? makeStrip(() => undefined);
      frame.show('page', shown.screen);
      shown.setState(state, label);
      frame.announce(label);
    },
    disclosure: () => (isDisclosed ? null : disclose()),
  };
}

function disclosureOf({ disclosure }: ViewOptions, texts: Texts): string {
  if (disclosure.mode === 'CUSTOM' && disclosure.text !== null && disclosure.text.trim() !== '') return disclosure.text;
  return disclosure.mode === 'TRANSPARENT' ? texts.transparent : texts.neutral;
}
