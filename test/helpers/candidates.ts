/** Earlier sessions that may be the same device as a person’s, and how common its looks are. */
import type { CountFacts, DuplicateCandidate } from '../../src/contract/facts.js';
import { sketchDevice } from '../../workers/duplicates/sketch.js';
import { humanBody, scoredAtMs } from './facts.js';

export const ownSketch = sketchDevice(humanBody(), null);

/** An hour ago, on the same device by its looks. */
export const candidateOf = (over: Partial<DuplicateCandidate> = {}): DuplicateCandidate => ({
  session: 's1',
  atMs: scoredAtMs - 3_600_000,
  respondent: null,
  device: null,
  prefix: null,
  sketch: ownSketch,
  via: 'similar',
  ...over,
});

/** A project of `total` sketches in which each of our terms was seen `count` times. */
export const termsOf = (total: number, count: number): CountFacts['terms'] => ({
  total,
  counts: ownSketch.terms.map((term) => (term === null ? null : count)),
});
