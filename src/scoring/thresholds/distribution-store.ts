/**
 * The score distribution in the database: each session by its last receipt, and the counts by source, day, cell and label. What is written are calls of
 * functions there (docs/adr/0025). Writers of one project take turns, so that a session is never counted twice, however often and by whomever.
 */
import { callFunctions, type FunctionCall } from '../../stores/database/call-functions.js';
import type { Queryable } from '../../stores/database/port.js';
import { columnsOf, type SessionName } from '../outcomes/session-subjects.js';

/** A session as its last receipt tells of it. */
export interface ScoredSession extends SessionName {
  readonly receiptId: string;
  readonly scoredAt: Date;
  readonly sourceId: string;
  readonly cell: string;
  readonly recommendation: string;
}

/** Counts sessions by their newest receipt, under the label that their outcomes say; older receipts of a session change nothing. */
export function counting(sessions: readonly ScoredSession[]): FunctionCall {
  const column = <T>(read: (session: ScoredSession) => T): T[] => sessions.map(read);
  const values = [
    ...columnsOf(sessions),
    column(({ receiptId }) => receiptId),
    column(({ scoredAt }) => scoredAt.getTime()),
    column(({ sourceId }) => sourceId),
    column(({ cell }) => cell),
    column(({ recommendation }) => recommendation),
  ];
  return { name: 'count_scored_sessions', values };
}

/** Gives sessions the label that their outcomes say by now. Sessions without a receipt are passed over: counting one looks here. */
export async function relabelSessions(tx: Queryable, sessions: readonly SessionName[]): Promise<void> {
  await callFunctions(tx, [{ name: 'relabel_scored_sessions', values: columnsOf(sessions) }]);
}
