/**
 * How fast deliveries go out. How many requests one endpoint gets at once: more while it answers, fewer as soon as it does not. An endpoint that hangs thus holds one place of
 * the sender’s, not all of them, a few seconds after it began to.
 * And how many repetitions go out beside what is new.
 */

/** A new endpoint begins here. */
export const concurrencyFirst = 4;
export const concurrencyMax = 32;

/** The limit after an answer of this status; null: none came. */
export function nextConcurrency(limit: number, status: number | null): number {
  if (status === null) return Math.max(1, Math.floor(limit / 4));
  if (status >= 500 || status === 429) return Math.max(1, limit - 1);
  return Math.min(concurrencyMax, limit + 1);
}

/** Repetitions a second while first attempts go out. */
export const retriesPerSecondMax = 200;
const windowMs = 1_000;

export interface RetryPace {
  mayRetry(): boolean;
  noteStart(lane: 'first' | 'retry'): void;
}

/** Repetitions are unlimited while nothing new goes out, and else at most so many a second. */
export function createRetryPace(clock: () => number): RetryPace {
  let firstAtMs = -Infinity;
  let windowAtMs = -Infinity;
  let started = 0;
  return {
    mayRetry() {
      if (clock() - firstAtMs > windowMs) return true;
      if (clock() - windowAtMs > windowMs) {
        windowAtMs = clock();
        started = 0;
      }
      return started < retriesPerSecondMax;
    },
    noteStart(lane) {
      if (lane === 'first') firstAtMs = clock();
      else started += 1;
    },
  };
}
