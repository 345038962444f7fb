/**
 * Keeps the score mix whole: a sweep of the sessions whose outcomes changed, and a consumer group of its own on the topic `scores` for what
 * the recorder of receipts did not count (docs/adr/0017). Killed at any point, what was not finished is done again and counts once.
 */
import type { Consumer, Log, LogEntry } from '../../stores/log/port.js';
import { callFunctions } from '../../stores/database/call-functions.js';
import type { Database } from '../../stores/database/port.js';
import type { Logger } from '../../telemetry/logger.js';
import { mapInSlices } from '../recovery/in-slices.js';
import { receiptOfEntry, timeOfReceipt } from '../receipts/receipts.js';
import { dropExpiredMix } from './mix-retention.js';
import { createLabelWork } from './label-work.js';
import { createMixMarks } from './mix-marks.js';
import { counting } from './mix-store.js';
import { scoredSessionOf } from './scored-session.js';

export interface MixConsumerDeps {
  readonly database: Database;
  readonly log: Log;
  readonly logger: Logger;
  /** Days that sessions are kept: as long as their receipts. */
  readonly retentionDays: number;
}

const batchMax = 500;
const lingerMs = 1_000;
const sweepEveryMs = 1_000;
const retainEveryMs = 3_600_000;

export async function startMixConsumer(deps: MixConsumerDeps): Promise<Consumer> {
  const { database, log, logger } = deps;
  const labels = createLabelWork(database);
  let sweptAtMs = performance.now();
  let retainedAtMs = performance.now();
  let sweeping: Promise<void> | null = null;
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  const marks = createMixMarks(database, stopping.signal);
  const consumer = await log.subscribe({
    topic: 'scores',
    group: 'thresholds',
    batchMax,
    lingerMs,
    tenantOf: ({ value }) => receiptOfEntry(value).organizationId,
    handle: async (entries, signal) => countScores(database, await marks.leftOf(entries, signal)),
  });
  async function round(): Promise<void> {
    while (!isStopping() && (await labels.next()) > 0);
    if (performance.now() - retainedAtMs < retainEveryMs) return;
    retainedAtMs = performance.now();
    await dropExpiredMix(database, deps.retentionDays, isStopping);
  }
  const sweep = (): void => {
    sweeping ??= round()
      .then(
        () => void (sweptAtMs = performance.now()),
        (error: unknown) => logger.warn({ err: error }, 'the score mix was not kept up; the next round does it'),
      )
      .finally(() => (sweeping = null));
  };
  const timer = setInterval(sweep, sweepEveryMs);
  return {
    tickAgeMs: () => Math.max(consumer.tickAgeMs(), performance.now() - sweptAtMs),
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await consumer.stop();
      await sweeping;
    },
  };
}

async function countScores(database: Database, entries: readonly LogEntry[]): Promise<void> {
  const sessions = await mapInSlices(entries, ({ value }) => {
    const receipt = receiptOfEntry(value);
    return scoredSessionOf(receipt, timeOfReceipt(receipt.receiptId));
  });
  if (sessions.flat().length > 0) await callFunctions(database, [counting(sessions.flat())]);
}
