/**
 * Keeps count of how endpoints fare, and parks and frees them as the breaker (breaker.ts) decides. Runs of failures are counted in this process;
 * that an endpoint is parked stands in the database, for its owner and the other senders. A write that fails is left to the next result.
 */
import type { Database } from '../stores/database/port.js';
import type { Logger } from '../telemetry/logger.js';
import { isOutage, lengthen, parkWaitMs, shouldPark, type BreakerRules, type Streak } from './breaker.js';
import type { TargetConfig, TargetConfigs } from './target-configs.js';
import { park, unpark } from './webhook-store.js';

export interface EndpointHealthDeps {
  readonly database: Database;
  readonly configs: Pick<TargetConfigs, 'forget'>;
  readonly logger: Logger;
  readonly rules: BreakerRules;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

export interface EndpointHealth {
  note(config: TargetConfig, answer: { readonly status: number | null; readonly error: string | null }): void;
  /** Waits for what is being written. */
  close(): Promise<void>;
}

const streaksMax = 20_000;

export function createEndpointHealth({ database, configs, logger, rules, clock }: EndpointHealthDeps): EndpointHealth {
  const streaks = new Map<string, Streak>();
  const writing = new Map<string, Promise<void>>();

  /** One write of an endpoint at a time; further results meanwhile say the same again. */
  const write = (webhookId: string, work: () => Promise<void>): void => {
    if (writing.has(webhookId)) return;
    const done = work()
      .catch((error: unknown) => logger.warn({ err: error, webhookId }, 'the state of a webhook was not written'))
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
    note(config, { status, error }) {
      const { webhookId, parking } = config;
      if (!isOutage(status)) {
        streaks.delete(webhookId);
        if (parking === null) return;
        logger.info({ webhookId }, 'a parked webhook answers again');
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
    close: async () => void (await Promise.all(writing.values())),
  };
}

const reasonOf = (last: string, what: string): string =>
  `${what}, the latest with "${last}" Deliveries wait and none is lost; one is tried at nextTryAt, and the rest follow once it succeeds. ` +
  'To go on sooner, repair the endpoint and send a test delivery.';
