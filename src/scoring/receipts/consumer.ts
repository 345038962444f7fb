/**
 * Records receipts of the topic `scores` in the database, in batches, and has the counters let go of them; see `createReceiptRecorder` for what a batch promises.
 */
import type { Database } from '../../stores/database/port.js';
import type { Consumer, Log } from '../../stores/log/port.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { createReceiptRecorder, receiptOfEntry } from './receipts.js';
import type { Receipt } from '../../record/types.js';
import { type Namespace, namespaceOf, splitNamespace } from '../../stores/counters/namespace.js';
import type { Counters } from '../../stores/counters/port.js';

export interface ReceiptConsumerDeps {
  readonly counters: ReceiptReleaseDeps['counters'] & ErasedReceiptDeps['counters'];
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
      const { kept, erased } = await record(entries);
      metrics.receiptsRecorded.inc(kept.length);
      releaseReceipts(deps, kept);
      forgetErased(deps, erased);
    },
  });
}

interface FailureDeps {
  readonly metrics: Pick<Metrics, 'storeFailures'>;
}

export interface ReceiptReleaseDeps extends FailureDeps {
  readonly counters: Pick<Counters, 'releaseReceipts'>;
}

export interface ErasedReceiptDeps extends FailureDeps {
  readonly counters: Pick<Counters, 'forgetReceipts' | 'forgetProbes'>;
}

/** Shortens the life of committed receipts in the counters store; if that fails, they stay for their full day. Nobody waits for it. */
export function releaseReceipts({ counters, metrics }: ReceiptReleaseDeps, receipts: readonly Receipt[]): void {
  for (const [namespace, each] of byNamespace(receipts))
    counters.releaseReceipts(namespace, idsOf(each)).catch(() => metrics.storeFailures.inc({ store: 'counters' }));
}

/** Deletes what the counters store has of receipts that an erasure reached in the log. If that fails, it expires, and no reader gets it meanwhile. */
export function forgetErased({ counters, metrics }: ErasedReceiptDeps, receipts: readonly Receipt[]): void {
  for (const [namespace, each] of byNamespace(receipts)) {
    const sessions = each.map(({ trace }) => trace.session);
    Promise.all([
      counters.forgetReceipts(namespace, idsOf(each)),
      counters.forgetProbes(splitNamespace(namespace).holder, sessions),
    ]).catch(() => metrics.storeFailures.inc({ store: 'counters' }));
  }
}

const idsOf = (receipts: readonly Receipt[]): readonly string[] => receipts.map(({ receiptId }) => receiptId);

function byNamespace(receipts: readonly Receipt[]): ReadonlyMap<Namespace, readonly Receipt[]> {
  const groups = new Map<Namespace, Receipt[]>();
  for (const receipt of receipts) {
    const namespace = namespaceOf(receipt);
    const group = groups.get(namespace);
    if (group === undefined) groups.set(namespace, [receipt]);
    else group.push(receipt);
  }
  return groups;
}
