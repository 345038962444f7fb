/**
 * The score mix in the database: each session by its last receipt, and the counts by source, day, cell and label. What is written are calls of
 * functions there (docs/adr/0025). Writers of one project take turns, so that a session is never counted twice.
 */
import { callFunctions } from '../../stores/database/call-functions.js';
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

/** Records sessions by their newest receipt; older receipts of a session change nothing. */
export async function recordSessions(tx: Queryable, sessions: readonly ScoredSession[]): Promise<void> {
  const column = <T>(read: (session: ScoredSession) => T): T[] => sessions.map(read);
  const values = [
    ...columnsOf(sessions),
    column(({ receiptId }) => receiptId),
    column(({ scoredAt }) => scoredAt.getTime()),
    column(({ sourceId }) => sourceId),
    column(({ cell }) => cell),
    column(({ recommendation }) => recommendation),
  ];
  await callFunctions(tx, [{ name: 'record_score_mix', values }]);
}

/** Gives sessions the label that their outcomes say by now. Sessions without a receipt are passed over: recording one looks here again. */
export async function relabelSessions(tx: Queryable, sessions: readonly SessionName[]): Promise<void> {
  await callFunctions(tx, [{ name: 'relabel_score_mix', values: columnsOf(sessions) }]);
}
