/**
 * The role `consumers`: records receipts, carries outcomes into the history, and sends what is left in the outbox.
 */
import { startReceiptRetention } from '../scoring/receipt-retention.js';
import { createReceiptRecorder } from '../scoring/receipts.js';
import { startHistoryConsumer } from '../scoring/outcomes/history-consumer.js';
import { startMixConsumer } from '../scoring/thresholds/mix-consumer.js';
import type { Consumer } from '../stores/log/port.js';
import { startOutboxSweeper } from '../stores/outbox-sweeper.js';
import type { Parts } from './parts.js';

const receiptBatchMax = 500;
const receiptLingerMs = 200;

export interface NamedConsumer {
  readonly group: string;
  readonly consumer: Consumer;
}

/** Starts the consumers; each stops with the service. */
export async function startConsumers({
  settings,
  stores,
  metrics,
  logger,
  now,
  opened,
}: Parts): Promise<readonly NamedConsumer[]> {
  const record = createReceiptRecorder(stores.database);
  const consumer = await stores.log.subscribe({
    topic: 'scores',
    group: 'receipts',
    batchMax: receiptBatchMax,
    lingerMs: receiptLingerMs,
    handle: async (entries) => metrics.receiptsRecorded.inc(await record(entries)),
  });
  opened.push(() => consumer.stop());
  const history = await startHistoryConsumer({
    database: stores.database,
    counters: stores.counters,
    log: stores.log,
    logger,
    now,
  });
  opened.push(() => history.stop());
  const mix = await startMixConsumer({
    database: stores.database,
    log: stores.log,
    logger,
    now,
    retentionDays: settings.VH_RECEIPT_RETENTION_DAYS,
  });
  opened.push(() => mix.stop());
  const retention = startReceiptRetention({
    database: stores.database,
    logger,
    now,
    retentionDays: settings.VH_RECEIPT_RETENTION_DAYS,
  });
  opened.push(() => retention.stop());
  const sweeper = startOutboxSweeper({ database: stores.database, log: stores.log, logger, metrics });
  opened.push(() => sweeper.stop());
  return [
    { group: 'receipts', consumer },
    { group: 'history', consumer: history },
    { group: 'thresholds', consumer: mix },
  ];
}
