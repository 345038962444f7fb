/** What the score distribution counts of a receipt. */
import { namespaceOf } from '../../stores/counters/namespace.js';
import type { Receipt } from '../../record/types.js';
import { writeCell } from './cells.js';
import type { ScoredSession } from './distribution-store.js';

/** Nothing for a score without a project, which has no thresholds. */
export function scoredSessionOf(receipt: Receipt, scoredAt: Date): readonly ScoredSession[] {
  const { receiptId, trace, verdict, sourceId } = receipt;
  if (receipt.projectId === null) return [];
  return [
    {
      // A mode of test or demo keys is apart from that of live keys.
      namespace: namespaceOf(receipt),
      sessionRef: trace.session,
      receiptId,
      scoredAt,
      sourceId: sourceId ?? '',
      cell: writeCell(verdict),
      recommendation: verdict.recommendation,
    },
  ];
}
