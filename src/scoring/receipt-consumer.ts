/**
 * Records receipts of the topic `scores` in the database, in batches; see `createReceiptRecorder` for what a batch promises.
 */
import type { Database } from '../stores/database/port.js';
import type { Consumer, Log } from '../stores/log/port.js';
import type { Metrics } from '../telemetry/metrics.js';
import { createReceiptRecorder, receiptOfEntry } from './receipts.js';

export interface ReceiptConsumerDeps {
  readonly database: Database;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'receiptsRecorded'>;
}

const batchMax = 500;
/** A batch waits this long to fill. */
const lingerMs = 200;

export function startReceiptConsumer({ database, log, metrics }: ReceiptConsumerDeps): Promise<Consumer> {
  const record = createReceiptRecorder(database);
  return log.subscribe({
    topic: 'scores',
    group: 'receipts',
    batchMax,
    lingerMs,
    tenantOf: ({ value }) => receiptOfEntry(value).organizationId,
    handle: async (entries) => metrics.receiptsRecorded.inc(await record(entries)),
  });
}
