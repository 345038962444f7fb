/**
 * How fast deliveries go out: how many requests one endpoint gets at once, and how many repetitions go out while first attempts do. An endpoint
 * gets more requests while it answers, and fewer as soon as it does not. After a few seconds, an endpoint that hangs holds one slot of the
 * sender, not all.
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
