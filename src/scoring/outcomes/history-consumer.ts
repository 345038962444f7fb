/**
 * Carries outcomes into the history: woken by the log and by a clock, one round at a time; a failed round is repeated, because orders stay
 * until they are done. Each batch is published before the next, so that no backlog delays others. While the counters store is away, the
 * work continues and is published later.
 */
import type { Consumer, Log } from '../../stores/log/port.js';
import type { Logger } from '../../telemetry/logger.js';
import { readjudicate } from './adjudication-work.js';
import { createPendingPublisher, publishRecords, type HistoryPublisherDeps } from './history-publisher.js';
import { findLostOutcomes, tenantOfOutcomes } from './outcome-rows.js';
import { storeEvents } from './outcome-store.js';
import { createWorkOrders } from './work-orders.js';

export interface HistoryConsumerDeps extends HistoryPublisherDeps {
  readonly log: Log;
  readonly logger: Logger;
}

const sweepMs = 1_000;
const wakeBatchMax = 1_000;

export async function startHistoryConsumer(deps: HistoryConsumerDeps): Promise<Consumer> {
  let running: Promise<void> | null = null;
  let again = false;
  let stopping = false;
  let tickAtMs = performance.now();

  const round = createHistoryRound(deps, {
    isStopping: () => stopping,
    onProgress: () => void (tickAtMs = performance.now()),
  });

  async function rounds(): Promise<void> {
    do {
      again = false;
      await round();
    } while (again && !stopping);
  }

  /** A round that begins after this call. */
  function wake(): Promise<void> {
    again = true;
    running ??= rounds()
      .catch((error: unknown) => deps.logger.warn({ err: error }, 'history update failed; the next round retries'))
      .finally(() => (running = null));
    return running;
  }

  const consumer = await deps.log.subscribe({
    topic: 'outcomes',
    group: 'history',
    batchMax: wakeBatchMax,
    tenantOf: tenantOfOutcomes,
    handle: async (entries) => {
      for (const rows of await findLostOutcomes(deps.database, entries)) await storeEvents(deps.database, rows);
      await wake();
    },
  });
  const sweeper = setInterval(() => void wake(), sweepMs);
  return {
    tickAgeMs: () => Math.max(consumer.tickAgeMs(), performance.now() - tickAtMs),
    async stop() {
      stopping = true;
      clearInterval(sweeper);
      await consumer.stop();
      await running;
    },
  };
}

export interface HistoryRoundOptions {
  readonly isStopping?: () => boolean;
  /** Called before each batch. */
  readonly onProgress?: () => void;
}

/** Works off the orders and publishes what changed, batch by batch, each with a page of what was left to publish. */
export function createHistoryRound(
  deps: HistoryPublisherDeps,
  { isStopping = () => false, onProgress = () => undefined }: HistoryRoundOptions = {},
): () => Promise<void> {
  const orders = createWorkOrders(deps.database);
  const pending = createPendingPublisher(deps);
  return async () => {
    const publishing = createPublishing();
    let isBusy = true;
    while (isBusy && !isStopping()) {
      onProgress();
      const done = await orders.next(readjudicate);
      await publishing.attempt(() => publishRecords(deps, done?.changed ?? []));
      let left = 0;
      await publishing.attempt(async () => void (left = await pending.next()));
      isBusy = done !== null || left > 0;
    }
    publishing.end();
  };
}

/** After a failure nothing more is published in this round, whose work continues; `end` throws the failure. */
function createPublishing() {
  let failure: { readonly error: unknown } | null = null;
  return {
    async attempt(publish: () => Promise<void>): Promise<void> {
      if (failure !== null) return;
      await publish().catch((error: unknown) => (failure = { error }));
    },
    end(): void {
      if (failure !== null) throw failure.error;
    },
  };
}
