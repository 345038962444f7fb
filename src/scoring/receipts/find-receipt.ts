/**
 * Finds a receipt where it lies: in the database once the consumer was there, before that in the counters store, under the namespace of
 * the key that scored.
 */
import type { RecordedVerdict } from '../../contract/pool.js';
import type { SigningKey } from '../../crypto/master-key.js';
import { factsOf, openBase, openCounted } from '../../record/record.js';
import type { Counted, ReceiptOwner, ScoreBase } from '../../record/types.js';
import type { Counters, RecentReceipt } from '../../stores/counters/port.js';
import { type Namespace, namespaceOf } from '../../stores/counters/namespace.js';
import type { Queryable } from '../../stores/database/port.js';
import { findReceipt, timeOfReceipt } from './receipts.js';
import { createHash } from 'node:crypto';
import { idAt } from '../../crypto/ids.js';
import { underReceipt } from '../gather.js';

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

/**
 * For a retry of a score that another version of the rules judged: the recorded facts are judged again, under a receipt that supersedes
 * the first. Its id follows from the first and the rules, so that every further retry gets it. What to judge again; null if these rules
 * judged it.
 */
export function underOtherRules(
  base: ScoreBase,
  recorded: RecentReceipt,
  modelVersion: string,
): { readonly base: ScoreBase; readonly counted: Counted } | null {
  if (base.modelVersion === modelVersion) return null;
  const bits = createHash('sha256').update(`${recorded.receiptId}\n${modelVersion}`).digest();
  // A moment later than the first: of a session's receipts the latest is the one that counts.
  const receiptId = idAt('receipt', timeOfReceipt(recorded.receiptId).getTime() + 1, bits);
  return { base: underReceipt(base, receiptId), counted: { ...recorded, supersedes: recorded.receiptId } };
}
