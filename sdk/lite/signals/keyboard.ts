/** The rhythm of typing. Pressed keys are never kept beyond their release, and never sent. */
import { createSample, isFine } from '../sample.js';
import type { Watcher } from '../types.js';

/** Keys held down at once that are followed. */
const heldMax = 10;
/** A pause that is thinking, not typing, milliseconds. */
const pauseMs = 2000;
/** An input follows its cause within this time, milliseconds. */
const causeMs = 1000;

export const watchKeyboard: Watcher<'beh'> = (listen) => {
  const dwell = createSample();
  const flight = createSample();
  const held = new Map<string, number>();
  let keys = 0;
  let noCode = 0;
  let keyFineTimes = 0;
  let keyNoShift = 0;
  let inputNoKey = 0;
  let pastes = 0;
  let pasteChars = 0;
  let releasedAt = NaN;
  let causeAt = -Infinity;
  const cause = (event: Event) => {
    causeAt = event.timeStamp;
  };
  listen('keydown', (event) => {
    cause(event);
    if (event.repeat) return;
    keys++;
    // On-screen keyboards and input methods have no code, rightly.
    if (!event.code && !event.isComposing && event.key !== 'Unidentified' && event.key !== 'Process') noCode++;
    // A capital takes Shift or Caps Lock on every keyboard.
    if (/^Key.[A-Z]$/.test(event.code + event.key) && !event.shiftKey && !event.getModifierState('CapsLock'))
      keyNoShift++;
    const ms = event.timeStamp - releasedAt;
    if (ms < pauseMs) flight(ms);
    if (held.size < heldMax) held.set(event.code, event.timeStamp);
  });
  listen('keyup', (event) => {
    const ms = event.timeStamp - held.get(event.code)!;
    dwell(ms);
    if (isFine(ms)) keyFineTimes++;
    held.delete(event.code);
    releasedAt = event.timeStamp;
  });
  listen('blur', () => held.clear());
  for (const type of ['compositionstart', 'compositionupdate', 'compositionend', 'drop'] as const) listen(type, cause);
  listen('paste', (event) => {
    cause(event);
    pastes++;
    pasteChars += event.clipboardData?.getData('text').length ?? 0;
  });
  listen('input', (event) => {
    if (event.inputType === 'insertText' && event.timeStamp - causeAt > causeMs) inputNoKey++;
  });
  return () => ({
    keys,
    keyDwell: dwell(),
    keyFlight: flight(),
    keyNoCode: noCode,
    keyFineTimes,
    keyNoShift,
    inputNoKey,
    pastes,
    pasteChars,
  });
};
