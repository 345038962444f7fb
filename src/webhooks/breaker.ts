/**
 * The breaker of an endpoint: decides when its work is set aside for a while, and when it is tried again.
 *
 *   working ──it has failed for long enough, often enough──▶ parked ──the wait is over──▶ one attempt goes through
 *      ▲                                                       ▲                             ├──it fails──▶ parked for longer
 *      └──an attempt succeeds, or the owner acts───────────────┴─────────────────────────────┘
 *
 * Parking discards nothing and uses up no attempt: deliveries wait where they are. An endpoint that answers with a status below 500 is
 * alive, whatever it says, so that only silence and 5xx count as failures.
 */

/** A run of failures without a success in between. */
export interface Streak {
  readonly failures: number;
  /** Monotonic milliseconds of its first failure. */
  readonly sinceMs: number;
}

export interface BreakerRules {
  readonly failuresMin: number;
  readonly lastingMsMin: number;
  /** First wait; each further one is twice as long, up to the longest. */
  readonly waitMsFirst: number;
  readonly waitMsMax: number;
}

/** Slow to open: the schedule of retries deals with a short outage by itself. */
export const breakerRules: BreakerRules = {
  failuresMin: 20,
  lastingMsMin: 60_000,
  waitMsFirst: 15_000,
  waitMsMax: 300_000,
};

/** Whether an answer (null: none came) speaks for an endpoint that does not work. */
export const isOutage = (status: number | null): boolean => status === null || status >= 500;

export function lengthen(streak: Streak | null, nowMs: number): Streak {
  return { failures: (streak?.failures ?? 0) + 1, sinceMs: streak?.sinceMs ?? nowMs };
}

export const shouldPark = (rules: BreakerRules, streak: Streak, nowMs: number): boolean =>
  streak.failures >= rules.failuresMin && nowMs - streak.sinceMs >= rules.lastingMsMin;

/** How long the endpoint is parked for the `count`-th time in a row, counted from 1. */
export const parkWaitMs = (rules: BreakerRules, count: number): number =>
  Math.min(rules.waitMsMax, rules.waitMsFirst * 2 ** Math.min(count - 1, 30));
