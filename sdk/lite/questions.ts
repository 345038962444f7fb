/**
 * Observes how one question is answered: counts and times, never the answer. The question's own text
 * is read only where the caller asks for it, and what can be typed into is cut out of it.
 */
import type { QuestionHandle, QuestionOptions, QuestionSnapshot } from './api.js';

const textMax = 1000;

/** Observes `target` (an element, or a selector) until stopped; `onStop` is called once. Without such an element, counts stay zero. */
export function observeQuestion(
  target: Element | string,
  options: QuestionOptions,
  onStop?: () => void,
): QuestionHandle {
  const element = typeof target === 'string' ? document.querySelector(target) : target;
  const started = performance.now();
  const counts = { mouseMoveCount: 0, keyCount: 0, pasteCount: 0, focusEntries: 0, focusExits: 0 };
  const names = {
    pointermove: 'mouseMoveCount',
    keydown: 'keyCount',
    paste: 'pasteCount',
    focusin: 'focusEntries',
    focusout: 'focusExits',
  } as const;
  let stoppedMs: number | undefined;

  const handle = (event: Event) => {
    // Focus that moves within the question is neither an entry nor an exit.
    const related = (event as FocusEvent).relatedTarget as Node | null;
    if (!related || !element!.contains(related) || event.type[0] !== 'f')
      counts[names[event.type as keyof typeof names]]++;
  };
  for (const type of Object.keys(names)) element?.addEventListener(type, handle, { capture: true, passive: true });

  const readText = () => {
    const copy = element?.cloneNode(true) as Element | undefined;
    copy?.querySelectorAll('input,textarea,select,script,style,[contenteditable]').forEach((part) => part.remove());
    return (copy?.textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, textMax);
  };
  const elapsedMs = () => Math.round(performance.now() - started);

  return {
    getSnapshot(): QuestionSnapshot {
      const snapshot: QuestionSnapshot = {
        questionId: options.questionId,
        timeOnQuestionMs: stoppedMs ?? elapsedMs(),
        ...counts,
      };
      if (stoppedMs !== undefined) snapshot.ended = true;
      return options.captureText === true ? { ...snapshot, text: readText() } : snapshot;
    },
    stop() {
      if (stoppedMs !== undefined) return;
      stoppedMs = elapsedMs();
      for (const type of Object.keys(names)) element?.removeEventListener(type, handle, true);
      onStop?.();
    },
  };
}
