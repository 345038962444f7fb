/**
 * Records receipts of the topic `scores` in the database, in batches, and has the counters let go of them; see `createReceiptRecorder` for what a batch promises.
 */
import type { Database } from '../../stores/database/port.js';
import type { Consumer, Log } from '../../stores/log/port.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { createReceiptRecorder, receiptOfEntry } from './receipts.js';
import type { Receipt } from '../../record/types.js';
import { type Namespace, namespaceOf } from '../../stores/counters/namespace.js';
import type { Counters } from '../../stores/counters/port.js';

export interface ReceiptConsumerDeps extends ReceiptReleaseDeps {
  readonly database: Database;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'receiptsRecorded' | 'storeFailures'>;
}

const batchMax = 500;
/** A batch waits this long to fill. */
const lingerMs = 200;

export function startReceiptConsumer(deps: ReceiptConsumerDeps): Promise<Consumer> {
  const { database, log, metrics } = deps;
  const record = createReceiptRecorder(database);
  return log.subscribe({
    topic: 'scores',
    group: 'receipts',
    batchMax,
    lingerMs,
    tenantOf: ({ value }) => receiptOfEntry(value).organizationId,
    handle: async (entries) => {
      const receipts = await record(entries);
      metrics.receiptsRecorded.inc(receipts.length);
      releaseReceipts(deps, receipts);
    },
  });
}

export interface ReceiptReleaseDeps {
  readonly counters: Pick<Counters, 'releaseReceipts'>;
  readonly metrics: Pick<Metrics, 'storeFailures'>;
}

/** Shortens the life of committed receipts in the counters store; if that fails, they stay for their full day. Nobody waits for it. */
export function releaseReceipts({ counters, metrics }: ReceiptReleaseDeps, receipts: readonly Receipt[]): void {
  const ids = new Map<Namespace, string[]>();
  for (const receipt of receipts) {
    const namespace = namespaceOf(receipt);
    const known = ids.get(namespace);
    if (known === undefined) ids.set(namespace, [receipt.receiptId]);
    else known.push(receipt.receiptId);
  }
  for (const [namespace, each] of ids)
    counters.releaseReceipts(namespace, each).catch(() => metrics.storeFailures.inc({ store: 'counters' }));
}
