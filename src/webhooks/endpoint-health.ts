/**
 * Counts how endpoints fare; parks and frees them. Runs of failures are counted in this process; that an endpoint is parked stands in the
 * database, for its owner and the other senders. A write that fails is left to the next result.
 *
 *   working ──it has failed for long enough, often enough──▶ parked ──the wait is over──▶ one attempt goes through
 *      ▲                                                       ▲                             ├──it fails──▶ parked for longer
 *      └──an attempt succeeds, or the owner acts───────────────┴─────────────────────────────┘
 *
 * Parking discards nothing and uses up no attempt: deliveries wait where they are. An endpoint that answers with a status below 500 is
 * alive, whatever it says, so that only silence and 5xx count as failures.
 */
import type { Database } from '../stores/database/port.js';
import type { Logger } from '../telemetry/logger.js';
import type { PostOutcome } from './post.js';
import type { TargetConfig, TargetConfigs } from './target-configs.js';
import { park, unpark } from './webhook-store.js';

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

export interface EndpointHealthDeps {
  readonly database: Database;
  readonly configs: Pick<TargetConfigs, 'forget'>;
  readonly logger: Logger;
  readonly rules: BreakerRules;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

export type EndpointHealth = ReturnType<typeof createEndpointHealth>;

const streaksMax = 20_000;

export function createEndpointHealth({ database, configs, logger, rules, clock }: EndpointHealthDeps) {
  const streaks = new Map<string, Streak>();
  const writing = new Map<string, Promise<void>>();

  /** One write of an endpoint at a time; further results meanwhile say the same again. */
  const write = (webhookId: string, work: () => Promise<void>): void => {
    if (writing.has(webhookId)) return;
    const done = work()
      .catch((error: unknown) => logger.warn({ err: error, webhookId }, 'writing webhook state failed'))
      .finally(() => {
        configs.forget(webhookId);
        writing.delete(webhookId);
      });
    writing.set(webhookId, done);
  };
  const parkFor = (config: TargetConfig, count: number, reason: string): void => {
    streaks.delete(config.webhookId);
    const waitMs = parkWaitMs(rules, count);
    logger.warn({ webhookId: config.webhookId, projectId: config.projectId, waitMs, count }, 'a webhook is parked');
    write(config.webhookId, () => park(database, config.webhookId, waitMs, reason));
  };

  return {
    note(config: TargetConfig, { status, error }: Pick<PostOutcome, 'status' | 'error'>): void {
      const { webhookId, parking } = config;
      if (!isOutage(status)) {
        streaks.delete(webhookId);
        if (parking === null) return;
        logger.info({ webhookId }, 'a parked webhook is delivering again');
        return write(webhookId, () => unpark(database, webhookId));
      }
      const last = error ?? `status ${status}`;
      if (parking !== null) return parkFor(config, parking.count + 1, reasonOf(last, 'It still does not answer'));
      if (streaks.size >= streaksMax) streaks.clear();
      const streak = lengthen(streaks.get(webhookId) ?? null, clock());
      streaks.set(webhookId, streak);
      if (shouldPark(rules, streak, clock()))
        parkFor(config, 1, reasonOf(last, `The last ${streak.failures} attempts failed`));
    },
    /** Waits for what is being written. */
    close: async (): Promise<void> => void (await Promise.all(writing.values())),
  };
}

const reasonOf = (last: string, what: string): string =>
  `${what}, the latest with "${last}" Deliveries wait and none is lost; one is tried from time to time, and the rest follow once it succeeds. ` +
  'To go on sooner, repair the endpoint and send a test delivery.';
