/**
 * Delivering, put together: fan-out of events, leasing of what is due, sending, results, retention and figures. Runs in the role `consumers`;
 * any number of instances share the work.
 *
 *   log ─▶ fan-out ─▶ deliveries (database) ─▶ claimer ─▶ sender ─▶ results (database)
 *             └──────────what it leases itself──────────────▲
 *
 * Stopping ends what is under way within its time and gives the other leases back.
 */
import type { SecretStore } from '../administration/secret-store.js';
import type { Database } from '../stores/database/port.js';
import { readClock } from '../stores/database/server.js';
import type { Consumer, Log } from '../stores/log/port.js';
import { eventOf, removeEvents } from '../stores/outbox/outbox.js';
import { type Rounds, type RoundsOptions, startRounds } from '../stores/rounds.js';
import type { Metrics } from '../telemetry/metrics.js';
import { createClaimer } from './claimer.js';
import { releaseLeases } from './delivery-store.js';
import { breakerRules, createEndpointHealth, type BreakerRules } from './endpoint-health.js';
import { createFanOut, fanOutStranded } from './fan-out.js';
import { createResultWriter, type ResultWriterDeps } from './result-writer.js';
import { measureDeliveries, removeExpired } from './rounds.js';
import { createSender } from './sender.js';
import type { AttemptDeps } from './attempt.js';
import { createTargetConfigs } from './target-configs.js';

export interface DeliveriesDeps
  extends
    Pick<AttemptDeps, 'poster' | 'timeoutMs' | 'waitsSeconds' | 'logger' | 'now' | 'clock' | 'random' | 'trace'>,
    Pick<ResultWriterDeps, 'noteArrived'> {
  readonly database: Database;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly secrets: SecretStore;
  readonly retentionDays: number;
  /** Takes a listener for webhooks that this process changes. */
  readonly listeners?: ((webhookId: string) => void)[];
  readonly leaseMs?: number;
  readonly rules?: BreakerRules;
}

/** Longer than a request and the wait before it may take. */
const leaseMsDefault = 30_000;
const fanOutBatchMax = 200;
const wakeBatchMax = 1_000;
const strandedEveryMs = 1_000;
const figuresEveryMs = 5_000;
const retentionEveryMs = 600_000;
/** Requests under way may take this long when the service stops. */
const stopDeadlineMs = 7_000;

export async function startDeliveries(deps: DeliveriesDeps): Promise<Consumer> {
  const { database, log, logger, metrics, clock, poster } = deps;
  const leaseMs = deps.leaseMs ?? leaseMsDefault;
  const configs = createTargetConfigs({ database, secrets: deps.secrets, clock });
  deps.listeners?.push(configs.forget);
  const health = createEndpointHealth({ database, configs, logger, rules: deps.rules ?? breakerRules, clock });
  const results = createResultWriter({
    ...{ database, logger, noteArrived: deps.noteArrived },
    onWritten: (written) => {
      const waits = written.flatMap(({ retryInMs }) => (retryInMs === null ? [] : [retryInMs]));
      if (waits.length > 0) claimer.wakeIn(Math.min(...waits));
      for (const result of written) deps.trace?.('written', result);
    },
  });
  const { timeoutMs, waitsSeconds, now, random } = deps;
  const sender = createSender({
    ...{ poster, configs, results, health, logger, metrics, waitsSeconds, leaseMs, timeoutMs, now, clock, random },
    ...(deps.trace === undefined ? {} : { trace: deps.trace }),
  });
  const claimer = createClaimer({ database, sender, logger, leaseMs, clock });
  sender.onRoom(() => claimer.roomMade());
  const fanOut = createFanOut({
    ...{ database, configs, sender, leaseMs, clock },
    isBehind: (webhookId) => claimer.isBehind(webhookId),
    onLeft: (webhookId) => claimer.noteLeft(webhookId),
  });
  const events = await log.subscribe({
    topic: 'verifications',
    group: 'webhooks',
    batchMax: fanOutBatchMax,
    tenantOf: (entry) => eventOf(entry).organizationId,
    handle: async (entries) => {
      const received = entries.map(eventOf);
      await fanOut(received);
      await removeEvents(
        database,
        received.map((event) => event.eventId),
      );
    },
  });
  const wakes = await log.subscribe({
    topic: 'deliveries',
    group: 'senders',
    batchMax: wakeBatchMax,
    // Without room for them there is nothing to lease; the claimer looks once there is.
    handle: async (entries) => {
      if (entries.some(({ key }) => sender.room(key) > 0)) claimer.wake();
      else for (const { key } of entries) claimer.noteLeft(key);
    },
  });
  const rounds = startDeliveryRounds(deps, fanOut);
  return {
    tickAgeMs: () => Math.max(events.tickAgeMs(), wakes.tickAgeMs()),
    async stop() {
      await Promise.all([events.stop(), wakes.stop(), claimer.stop(), ...rounds.map((each) => each.stop())]);
      const unused = await sender.stop(stopDeadlineMs);
      await results.close();
      await health.close();
      await releaseLeases(database, unused).catch((error: unknown) =>
        logger.warn({ err: error, deliveries: unused.length }, 'releasing leases failed; they expire'),
      );
      await poster.close();
    },
  };
}

function startDeliveryRounds(
  { database, logger, metrics, retentionDays }: DeliveriesDeps,
  fanOut: Parameters<typeof fanOutStranded>[1],
): readonly Rounds[] {
  const rounds = (what: string, everyMs: number, work: RoundsOptions['work']): Rounds =>
    startRounds({
      ...{ everyMs, firstMs: 0, work },
      onError: (error) => logger.warn({ err: error }, `${what}: round failed; the next round retries`),
    });
  return [
    rounds('events stuck in the outbox', strandedEveryMs, async () => (await fanOutStranded(database, fanOut)) > 0),
    rounds('figures of deliveries', figuresEveryMs, () => measureDeliveries(database, metrics)),
    rounds('deliveries past their retention', retentionEveryMs, async () => {
      const removed = await removeExpired(database, { nowMs: await readClock(database), retentionDays });
      return removed > 0;
    }),
  ];
}
