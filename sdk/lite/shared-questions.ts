/**
 * Where the question observers of a page meet its mounts, which may come from another script or bundle: a mount reads the snapshots, and hears
 * when a question has ended. Anything on the page can put something there; readers hold it for a claim.
 */
import type { QuestionSnapshot } from './api.js';

export interface SharedQuestions {
  readonly readers: Set<() => readonly QuestionSnapshot[]>;
  readonly listeners: Set<() => void>;
}

export function sharedQuestions(): SharedQuestions {
  const scope = globalThis as unknown as Record<symbol, SharedQuestions>;
  return (scope[Symbol.for('vh.questions')] ??= { readers: new Set(), listeners: new Set() });
}
