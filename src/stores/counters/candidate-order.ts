/**
 * The order in which every adapter returns candidates. Pure.
 */
import type { DuplicateCandidate } from '../../contract/facts.js';

/** Latest first; the reference decides between equals, so that the order is the same everywhere. */
export const inOrder = (atMs: number, session: string, otherMs: number, other: string): number =>
  otherMs - atMs || (session < other ? -1 : 1);

export function sortCandidates(candidates: DuplicateCandidate[]): DuplicateCandidate[] {
  return candidates.sort((a, b) => inOrder(a.atMs, a.session, b.atMs, b.session));
}
