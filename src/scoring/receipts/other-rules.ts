/**
 * An identical retry of a score that other rules judged, as in the hours after an upgrade and while two versions run side by side. What those rules
 * answered cannot be rendered again, and one receipt has one verdict: so the recorded facts are judged under a receipt of their own, which names the first
 * as the one that it supersedes. Its id follows from the first and from the rules, so that every further retry is answered with it.
 */
import { createHash } from 'node:crypto';
import { idAt } from '../../crypto/ids.js';
import type { Counted, ScoreBase } from '../../record/types.js';
import type { RecentReceipt } from '../../stores/counters/port.js';
import { underReceipt } from '../gather.js';
import { timeOfReceipt } from './receipts.js';

/** What there is to judge anew; null where these rules judged it. */
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
