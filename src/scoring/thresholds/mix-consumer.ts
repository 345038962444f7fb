/**
 * Keeps the score mix current: a consumer group of its own on the topic `scores`, and a sweep of the sessions whose outcomes changed. Behind
 * by seconds at most and never in a score’s way; killed at any point, what was not finished is done again and counts once.
 */
import { namespaceOf } from '../../stores/counters/namespace.js';
import type { Consumer, Log, LogEntry } from '../../stores/log/port.js';
import type { Database } from '../../stores/database/port.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Receipt } from '../../record/types.js';
import { mapInSlices } from '../in-slices.js';
import { receiptOfEntry, timeOfReceipt } from '../receipts.js';
import { writeCell } from './cells.js';
import { dropExpiredMix } from './mix-retention.js';
import { createLabelWork } from './label-work.js';
import { recordSessions, relabelSessions, type ScoredSession } from './mix-store.js';
import { keptSourceName } from './source-name.js';

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
  let stopping = false;
  const consumer = await log.subscribe({
    topic: 'scores',
    group: 'thresholds',
    batchMax,
    lingerMs,
    tenantOf: ({ value }) => receiptOfEntry(value).organizationId,
    handle: (entries) => recordScores(database, entries),
  });
  async function round(): Promise<void> {
    while (!stopping && (await labels.next()) > 0);
    if (performance.now() - retainedAtMs < retainEveryMs) return;
    retainedAtMs = performance.now();
    await dropExpiredMix(database, deps.retentionDays, () => stopping);
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
      stopping = true;
      clearInterval(timer);
      await consumer.stop();
      await sweeping;
    },
  };
}

/** Records, and then, when that is committed, looks at outcomes: one that came in between is seen by one side or the other. */
async function recordScores(database: Database, entries: readonly LogEntry[]): Promise<void> {
  const sessions = (await mapInSlices(entries, (entry) => sessionOf(receiptOfEntry(entry.value)))).flat();
  if (sessions.length === 0) return;
  await recordSessions(database, sessions);
  await relabelSessions(database, sessions);
}

/** Nothing for a score without a project, which has no thresholds of its own, and for receipts from before they told what decided them. */
function sessionOf(receipt: Receipt): readonly ScoredSession[] {
  const { receiptId, trace, verdict, sourceId } = receipt;
  if (receipt.projectId === null || verdict.stepUpThreshold === undefined) return [];
  return [
    {
      // A world of test or demo keys is apart from that of live keys.
      namespace: namespaceOf(receipt),
      sessionRef: trace.session,
      receiptId,
      scoredAt: timeOfReceipt(receiptId),
      sourceId: keptSourceName(sourceId ?? ''),
      cell: writeCell(verdict),
      recommendation: verdict.recommendation,
    },
  ];
}
