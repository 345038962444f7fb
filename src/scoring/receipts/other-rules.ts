/**
 * An identical retry of a score that another version of the rules judged, while two versions run side by side. One receipt has one verdict, so
 * the recorded facts are judged under a receipt that supersedes the first. Its id follows from the first and the rules: every further retry gets it.
 */
import { createHash } from 'node:crypto';
import { idAt } from '../../crypto/ids.js';
import type { Counted, ScoreBase } from '../../record/types.js';
import type { RecentReceipt } from '../../stores/counters/port.js';
import { underReceipt } from '../gather.js';
import { timeOfReceipt } from './receipts.js';

/** What to judge again; null if these rules judged it. */
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
