/**
 * The order in which every adapter returns candidates. Pure.
 */
import type { DuplicateCandidate } from '../../contract/facts.js';

/** Latest first; the reference decides between equals, so that the order is the same everywhere. */
export function sortCandidates(candidates: DuplicateCandidate[]): DuplicateCandidate[] {
  return candidates.sort((a, b) => b.atMs - a.atMs || (a.session < b.session ? -1 : 1));
}
