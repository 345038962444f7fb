/**
 * When a failed attempt is repeated: after the wait of its number, lengthened or shortened a little by chance, so that what failed together
 * does not come back together.
 */

/** A wait varies by this share to either side. */
export const jitterShare = 0.1;

/**
 * Milliseconds until the attempt after `attempt` (1 for the first). `random` gives numbers from 0 up to 1. An attempt beyond the schedule waits as
 * long as the last one of it.
 */
export function retryWaitMs(waitsSeconds: readonly number[], attempt: number, random: () => number): number {
  const seconds = waitsSeconds[Math.min(attempt, waitsSeconds.length) - 1] ?? 0;
  return Math.round(seconds * 1_000 * (1 + jitterShare * (2 * random() - 1)));
}
