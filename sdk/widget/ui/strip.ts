/** How captcha mode begins: a box to tick, or a slider. Both stay in place while the check runs and show how it ended. */
import { html } from './dom.js';
import type { Screen } from './frame.js';
import { icon } from './icons.js';
import { footPartsOf, nameOf, type Surroundings } from './screens.js';

export type StripState = 'ready' | 'working' | 'done';

export interface Strip {
  readonly screen: Screen;
  /** Waits for the respondent, works, or is done. */
  setState(state: StripState, label: string): void;
}

export interface StripOptions {
  readonly interaction: 'checkbox' | 'slider';
  readonly disclosure: Node;
  readonly onStart: (trusted: boolean) => void;
}

export function createStrip(around: Surroundings, options: StripOptions): Strip {
  let isReady = true;
  const start = (trusted: boolean) => {
    if (!isReady) return;
    options.onStart(trusted);
  };
  const tick = createTick(start);
  const slider = options.interaction === 'slider' ? createSlider(around, start) : null;
  const strip = html('div', { class: 'strip' }, slider?.element ?? tick.element, slider === null && nameOf(around));
  const note = html(
    'div',
    { class: 'note' },
    options.disclosure,
    html('div', { class: 'ways' }, ...footPartsOf(around)),
  );
  return {
    screen: { title: null, content: [strip, note] },
    setState(state, label) {
      isReady = state === 'ready';
      const hadFocus = strip.contains((strip.getRootNode() as ShadowRoot).activeElement);
      const shown = isReady && slider !== null ? slider.element : tick.element;
      tick.setState(state, label);
      slider?.reset();
      if (shown.parentNode !== strip) strip.replaceChildren(shown, ...(slider === null ? [nameOf(around)] : []));
      if (hadFocus) (shown.querySelector('input') ?? shown).focus();
    },
  };
}

function createTick(onStart: (trusted: boolean) => void) {
  const box = html('span', { class: 'box', 'aria-hidden': true });
  const label = html('span');
  const element = html(
    'button',
    { type: 'button', class: 'tick', role: 'checkbox', 'aria-checked': false },
    box,
    label,
  );
  element.addEventListener('click', (event) => onStart(event.isTrusted));
  return {
    element,
    setState(state: StripState, text: string) {
      label.textContent = text;
      element.setAttribute('aria-checked', String(state === 'done'));
      element.toggleAttribute('aria-busy', state === 'working');
      if (state === 'ready') element.removeAttribute('aria-disabled');
      else element.setAttribute('aria-disabled', 'true');
      if (state === 'working') box.replaceChildren(html('span', { class: 'spin' }));
      else box.replaceChildren(...(state === 'done' ? [icon('check')] : []));
    },
  };
}

/** Slid to its end by hand, by arrow keys or End, or by a tap on the end of its track. Let go before, it goes back. */
function createSlider({ texts }: Surroundings, onStart: (trusted: boolean) => void) {
  const input = html('input', { type: 'range', min: 0, max: 100, step: 10, value: 0, 'aria-label': texts.slide });
  const element = html(
    'div',
    { class: 'slide' },
    html('i'),
    html('span', { 'aria-hidden': true }, texts.slide),
    html('b', {}, icon('arrow')),
    input,
  );
  let isDragged = false;
  const move = () => element.style.setProperty('--v', input.value);
  const reset = () => {
    input.value = '0';
    move();
  };
  input.addEventListener('pointerdown', () => (isDragged = true));
  input.addEventListener('keydown', () => (isDragged = false));
  input.addEventListener('input', move);
  input.addEventListener('change', (event) => {
    move();
    if (input.valueAsNumber >= 100) onStart(event.isTrusted);
    else if (isDragged) reset();
  });
  return { element, reset };
}
