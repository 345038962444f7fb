/**
 * Shortens the life of receipts in the counters store once the database has them. A later retry is answered from the database (`findReleased`).
 * Nobody waits for it. If the counters store fails, a receipt stays there for its full day.
 */
import type { Receipt } from '../../record/types.js';
import { namespaceOf, type Namespace } from '../../stores/counters/namespace.js';
import type { Counters } from '../../stores/counters/port.js';
import type { Metrics } from '../../telemetry/metrics.js';

export interface ReceiptReleaseDeps {
  readonly counters: Pick<Counters, 'releaseReceipts'>;
  readonly metrics: Pick<Metrics, 'storeFailures'>;
}

/** Releases receipts that are committed. */
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
