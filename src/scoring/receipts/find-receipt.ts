/**
 * Finds a receipt where it lies: in the database once the consumer was there, before that in the counters store, under the namespace of
 * the key that scored.
 */
import type { RecordedVerdict } from '../../contract/pool.js';
import type { SigningKey } from '../../crypto/master-key.js';
import { factsOf, openBase, openCounted } from '../../record/record.js';
import type { ReceiptOwner } from '../../record/types.js';
import type { Counters, RecentReceipt } from '../../stores/counters/port.js';
import { namespaceOf, type Namespace } from '../../stores/counters/namespace.js';
import type { Queryable } from '../../stores/database/port.js';
import { findReceipt } from './receipts.js';

export interface RecordedReceipt {
  readonly owner: ReceiptOwner;
  /** Packed, for `openFacts`. */
  readonly facts: Uint8Array;
  /** null while only the counters store has the receipt. */
  readonly verdict: RecordedVerdict | null;
  /** Of the rules that gave the verdict. */
  readonly modelVersion: string;
  readonly authentic: boolean;
}

export async function findInDatabase(
  database: Queryable,
  receiptKeys: readonly SigningKey[],
  receiptId: string,
): Promise<RecordedReceipt | null> {
  const found = await findReceipt(database, receiptKeys, receiptId);
  if (found === null) return null;
  const { facts, verdict } = found.receipt;
  return { owner: found.receipt, facts, verdict, modelVersion: verdict.modelVersion, authentic: found.authentic };
}

export async function findInCounters(
  counters: Counters,
  namespace: Namespace,
  receiptId: string,
): Promise<RecordedReceipt | null> {
  const recent = await counters.recentReceipt(namespace, receiptId);
  if (recent === null) return null;
  const base = openBase(recent.content);
  const facts = factsOf(recent);
  return { owner: base.owner, facts, verdict: null, modelVersion: base.modelVersion, authentic: true };
}

/**
 * A receipt that the counters store has let go of, as that store gave it, for a retry of the call. null where the database has none of this namespace whose
 * seal holds, or if the counters were away when it was scored: nothing was recorded then that could be answered again.
 */
export async function findReleased(
  database: Queryable,
  receiptKeys: readonly SigningKey[],
  namespace: Namespace,
  receiptId: string,
): Promise<RecentReceipt | null> {
  const found = await findReceipt(database, receiptKeys, receiptId);
  if (found === null || !found.authentic || namespaceOf(found.receipt) !== namespace) return null;
  const content = found.receipt.facts;
  const counted = openCounted(content);
  return counted === null ? null : { namespace, content, receiptId, ...counted };
}
