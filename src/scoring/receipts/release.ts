/**
 * Lets the counters go of receipts that the database has: a short rest of their life is left to them, and a retry after it is answered from the database
 * (`findReleased`). A process of the version before would count such a retry anew, so that nothing is let go of for a day from an upgrade. Nobody waits for
 * it, and where the counters do not take it, a receipt stays until its day is over.
 */
import { isMarked } from '../../record/parts.js';
import type { Receipt } from '../../record/types.js';
import { namespaceOf } from '../../stores/counters/namespace.js';
import type { Counters } from '../../stores/counters/port.js';
import type { Database } from '../../stores/database/port.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { openUpgradeDay } from './upgrade-day.js';

export type ReleaseSetting = 'auto' | 'yes' | 'no';

export interface ReceiptReleaseDeps {
  readonly database: Database;
  readonly counters: Pick<Counters, 'releaseReceipts'>;
  readonly metrics: Pick<Metrics, 'storeFailures'>;
  /** An operator’s word, for an upgrade that takes longer or may be taken back. */
  readonly setting: ReleaseSetting;
  readonly now: () => number;
}

/** Is told which receipts are committed. Asks the database once, when it is opened. */
export type ReleaseReceipts = (receipts: readonly Receipt[]) => void;

export async function openReceiptRelease(deps: ReceiptReleaseDeps): Promise<ReleaseReceipts> {
  const { database, counters, metrics, setting, now } = deps;
  if (setting === 'no') return () => undefined;
  const isDue = setting === 'yes' ? () => true : await openUpgradeDay(database, 'receipt_releases', now);
  return (receipts) => {
    if (!isDue()) return;
    for (const [namespace, ids] of idsByNamespace(receipts))
      counters.releaseReceipts(namespace, ids).catch(() => metrics.storeFailures.inc({ store: 'counters' }));
  };
}

/** Of those alone that can be answered again from their record; one that is packed by names does not say what was counted. */
function idsByNamespace(receipts: readonly Receipt[]): ReadonlyMap<string, readonly string[]> {
  const ids = new Map<string, string[]>();
  for (const receipt of receipts) {
    if (!isMarked(receipt.facts)) continue;
    const namespace = namespaceOf(receipt);
    const known = ids.get(namespace);
    if (known === undefined) ids.set(namespace, [receipt.receiptId]);
    else known.push(receipt.receiptId);
  }
  return ids;
}
