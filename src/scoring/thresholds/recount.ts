/**
 * Recounts sessions from their receipts: those that the index of sessions knows with a later receipt than the score distribution. The recorder
 * orders a recount when it commits receipts that it could not count.
 */
import { openReceipt } from '../../record/record.js';
import { callFunctions, type FunctionCall } from '../../stores/database/call-functions.js';
import type { Queryable } from '../../stores/database/port.js';
import type { Logger } from '../../telemetry/logger.js';
import { columnsOf, type SessionName } from '../outcomes/session-subjects.js';
import { counting, type ScoredSession } from './distribution-store.js';
import { scoredSessionOf } from './scored-session.js';

export interface RecountDeps {
  readonly logger: Pick<Logger, 'warn'>;
}

/** Orders a recount of these sessions, in the statement that records their receipts. */
export const orderingRecount = (sessions: readonly SessionName[]): readonly FunctionCall[] =>
  sessions.length === 0 ? [] : [{ name: 'order_recount', values: columnsOf(sessions) }];

/** Counts the latest receipts of these sessions that are not counted yet. A record that cannot be counted is left out. */
export async function recountSessions(
  tx: Queryable,
  sessions: readonly SessionName[],
  { logger }: RecountDeps,
): Promise<void> {
  const missed = await tx.query<{ receipt_id: string; scored_at: Date; record: Uint8Array }>(
    `SELECT r.receipt_id, r.scored_at, r.record FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[])) AS named (project, session)
       JOIN session_index known ON known.namespace = named.project AND known.session_ref = named.session
       LEFT JOIN scored_sessions counted ON counted.namespace = named.project AND counted.session_ref = named.session
       JOIN receipts r ON r.receipt_id = known.receipt_id AND r.scored_at = known.scored_at
      WHERE counted.receipt_id IS NULL OR counted.receipt_id COLLATE "C" < known.receipt_id`,
    columnsOf(sessions),
  );
  const scored = missed.flatMap(({ receipt_id, scored_at, record }): readonly ScoredSession[] => {
    try {
      return scoredSessionOf(openReceipt(record), scored_at);
    } catch (error) {
      logger.warn({ err: error, receiptId: receipt_id }, 'a receipt cannot be counted in the score distribution');
      return [];
    }
  });
  if (scored.length > 0) await callFunctions(tx, [counting(scored)]);
}
