/** Load before anything is measured. */
import type { Load } from './load.js';
import { settle, type Contestant, type Sessions } from './score-rounds.js';

export interface WarmUp {
  /** V8 optimizes what a score runs through in its first fifteen thousand, which takes a sixth of the CPU meanwhile. */
  readonly requests: number;
  /** Ends it where they take longer. */
  readonly seconds: number;
}

/** A guess before anything was measured, for how many sessions shall have a probe. */
export const scoresPerSecondFirst = 1_500;

/** Half of the sessions with a probe, as later; null for a server that knows no sessions. */
export async function warmUp(
  load: Load,
  { served, target }: Contestant,
  sessions: Sessions,
  { requests, seconds }: WarmUp,
): Promise<void> {
  const body = await sessions.take(Math.min(requests, seconds * scoresPerSecondFirst));
  await load.closed({ ...target, body }, seconds, requests);
  await settle([served], seconds);
}
