/**
 * Lets the mounts of a page find the questions that its probe observes: the script's in its global, the module's, which has none, under a
 * symbol. Anything on the page can put something there; readers hold it for a claim.
 */
import type { Lite, QuestionSnapshot } from './api.js';

type Source = () => readonly QuestionSnapshot[];
const key = Symbol.for('vh.questions');
const scope = globalThis as unknown as { VHLite?: Partial<Lite>; [key]?: Source };

export function shareQuestions(read: Source): void {
  scope[key] = read;
}

/** Throws what the page put in their place throws. */
export const readSharedQuestions = (): QuestionSnapshot[] => [
  ...(scope[key]?.() ?? []),
  ...(scope.VHLite?.snapshots?.() ?? []),
];
