/**
 * Records receipts of the topic `scores` in the database, in batches, and has the counters let go of them; see `createReceiptRecorder` for what a batch promises.
 */
import type { Database } from '../../stores/database/port.js';
import type { Consumer, Log } from '../../stores/log/port.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { releaseReceipts, type ReceiptReleaseDeps } from './release.js';
import { createReceiptRecorder, receiptOfEntry } from './receipts.js';

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
