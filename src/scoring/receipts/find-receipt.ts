/** Finds a receipt in the database, or before it is recorded in the counters store, under the namespace of the key that scored. */
import type { RecordedVerdict } from '../../contract/pool.js';
import type { SigningKey } from '../../crypto/master-key.js';
import { factsOf, openBase, decodeCounters } from '../../record/record.js';
import type { Counted, HistorySubjects, ReceiptOwner, ScoreBase, SessionTrace } from '../../record/types.js';
import type { Counters } from '../../stores/counters/port.js';
import { type Namespace, namespaceOf } from '../../stores/counters/namespace.js';
import type { Queryable } from '../../stores/database/port.js';
import { findReceipt, timeOfReceipt } from './receipts.js';
import { createHash } from 'node:crypto';
import { idAt } from '../../crypto/ids.js';
import { underReceipt } from '../gather.js';

export interface RecordedReceipt {
  readonly owner: ReceiptOwner;
  readonly trace: SessionTrace;
  readonly subjects: HistorySubjects;
  /** Packed, for `openFacts`. */
  readonly facts: Uint8Array;
  /** null while only the counters store has the receipt. */
  readonly verdict: RecordedVerdict | null;
  /** The version of the rules that gave the verdict. */
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
  const { facts, verdict, trace, subjects } = found.receipt;
  const { modelVersion } = verdict;
  return { owner: found.receipt, trace, subjects, facts, verdict, modelVersion, authentic: found.authentic };
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
  const { owner, trace, subjects, modelVersion } = base;
  return { owner, trace, subjects, facts, verdict: null, modelVersion, authentic: true };
}

/** A retry is judged from the receipt’s packed base, and from what was counted for it: null if the counters did not answer in time. */
export interface FoundReceipt {
  readonly content: Uint8Array;
  readonly counted: Counted | null;
}

/** A receipt that the counters do not have, for a retry. null if the database has none of this namespace with a valid seal. */
export async function findReleased(
  database: Queryable,
  receiptKeys: readonly SigningKey[],
  namespace: Namespace,
  receiptId: string,
): Promise<FoundReceipt | null> {
  const found = await findReceipt(database, receiptKeys, receiptId);
  if (found === null || !found.authentic || namespaceOf(found.receipt) !== namespace) return null;
  const content = found.receipt.facts;
  return { content, counted: decodeCounters(content) };
}

/**
 * The input that a retry judges again if other rules judged the score; null if these did. The new receipt’s id follows from the first and the rules:
 * every further retry gets it.
 */
export function underOtherRules(
  base: ScoreBase,
  counted: Counted | null,
  modelVersion: string,
): { readonly base: ScoreBase; readonly counted: Counted | null } | null {
  if (base.modelVersion === modelVersion) return null;
  const { receiptId: first } = base.owner;
  const bits = createHash('sha256').update(`${first}\n${modelVersion}`).digest();
  // A moment later than the first: of a session's receipts the latest is the one that counts.
  const receiptId = idAt('receipt', timeOfReceipt(first).getTime() + 1, bits);
  return { base: underReceipt(base, receiptId), counted: counted && { ...counted, supersedes: first } };
}
