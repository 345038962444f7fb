/** The table of watched verdicts: which sessions are looked at again, and when. Bounded for each subject and day. */
import type { Receipt } from '../../record/types.js';
import { namespaceOf } from '../../stores/counters/namespace.js';
import { batchFunction, doubles, texts } from '../../stores/database/call-functions.js';
import type { Queryable } from '../../stores/database/port.js';
import { verdictChangedDaysMax } from '../../contract/project.js';
import type { HistoryRow } from '../outcomes/history-shifts.js';
import type { SessionName } from '../outcomes/session-subjects.js';

/** The latest sessions of a respondent or a device that one change of its history leads to. */
export const watchedPerSubject = 50;
/** Looks at one session on one day; the next is on the next day. */
export const looksPerDay = 12;
const restMinutes = 10;

export interface WatchedReceipt {
  readonly receipt: Receipt;
  readonly scoredAt: Date;
}

/** Watches the sessions of these receipts, if their projects want it. */
export const watching = batchFunction<WatchedReceipt>('watch_verdicts', [
  texts(({ receipt }) => receipt.organizationId),
  texts(({ receipt }) => namespaceOf(receipt)),
  texts(({ receipt }) => receipt.trace.session),
  texts(({ receipt }) => receipt.receiptId),
  doubles(({ scoredAt }) => scoredAt.getTime()),
  texts(({ receipt }) => receipt.subjects.respondent),
  texts(({ receipt }) => receipt.device),
]);

/** Whether the project `p` asks for changed verdicts. */
export const watches = "(p.fields #>> '{config,verdictChangedDays}')::integer > 0";

/** Has the sessions of these subjects looked at, in the transaction that changes their history. Nothing for subjects of no watched session. */
export async function orderLooks(tx: Queryable, changed: readonly HistoryRow[]): Promise<void> {
  if (changed.length === 0) return;
  const latest = (column: string): string =>
    `(SELECT namespace, session_ref FROM watched_verdicts WHERE namespace = project AND ${column} = subject
       AND scored_at > now() - ${verdictChangedDaysMax} * interval '1 day' ORDER BY scored_at DESC LIMIT ${watchedPerSubject})`;
  await tx.query(
    `WITH concerned AS (SELECT DISTINCT own.* FROM unnest($1::text[], $2::text[]) AS changed (project, subject),
            LATERAL (${latest('respondent_ref')} UNION ${latest('device_ref')}) AS own),
          locked AS (SELECT w.namespace, w.session_ref FROM watched_verdicts w JOIN concerned USING (namespace, session_ref)
                      ORDER BY w.namespace, w.session_ref FOR UPDATE OF w)
     UPDATE watched_verdicts w SET due_at = coalesce(w.due_at,
            CASE WHEN w.checks >= ${looksPerDay} AND w.checked_on = ${today} THEN (${today} + 1)::timestamp AT TIME ZONE 'UTC' ELSE now() END)
       FROM locked WHERE w.namespace = locked.namespace AND w.session_ref = locked.session_ref`,
    [changed.map(({ namespace }) => namespace), changed.map(({ subject_ref }) => subject_ref)],
  );
}

const today = "(now() AT TIME ZONE 'UTC')::date";
const one = 'namespace = $1 AND session_ref = $2';

export interface Watched {
  readonly knownId: string;
  readonly calledId: string;
}

/** Takes a session that is due and holds it until the transaction ends; null where another has it, or its project’s days are over. */
export async function takeDue(tx: Queryable, { namespace, sessionRef }: SessionName): Promise<Watched | null> {
  const [row] = await tx.query<{ known_id: string; called_id: string; due: boolean }>(
    `SELECT w.known_id, w.called_id, w.scored_at > now() - coalesce((p.fields #>> '{config,verdictChangedDays}')::integer, 0) * interval '1 day' AS due
       FROM watched_verdicts w JOIN projects p ON p.project_id = w.namespace
      WHERE w.namespace = $1 AND w.session_ref = $2 AND w.due_at <= now() FOR UPDATE OF w SKIP LOCKED`,
    [namespace, sessionRef],
  );
  if (row === undefined) return null;
  if (row.due) return { knownId: row.known_id, calledId: row.called_id };
  await unwatch(tx, { namespace, sessionRef });
  return null;
}

/** Notes the look, and the receipt whose verdict is known now; the index of sessions finds one that no call asked for. */
export async function noteLook(
  tx: Queryable,
  { namespace, sessionRef }: SessionName,
  known: { readonly receiptId: string; readonly writtenAt: Date | null },
): Promise<void> {
  const { receiptId, writtenAt } = known;
  await tx.query(
    `UPDATE watched_verdicts SET known_id = $3, due_at = NULL, checks = CASE WHEN checked_on = ${today} THEN checks ELSE 0 END + 1, checked_on = ${today}
      WHERE ${one}`,
    [namespace, sessionRef, receiptId],
  );
  if (writtenAt !== null)
    await tx.query(`UPDATE session_index SET changed_at = $3 WHERE ${one}`, [namespace, sessionRef, writtenAt]);
}

/** Its project’s days are over, or a receipt is gone. */
export async function unwatch(tx: Queryable, { namespace, sessionRef }: SessionName): Promise<void> {
  await tx.query(`DELETE FROM watched_verdicts WHERE ${one}`, [namespace, sessionRef]);
}

/** A session that could not be judged waits behind the others. */
export async function postponeLook(database: Queryable, { namespace, sessionRef }: SessionName): Promise<void> {
  await database.query(
    `UPDATE watched_verdicts SET due_at = now() + ${restMinutes} * interval '1 minute' WHERE ${one} AND due_at IS NOT NULL`,
    [namespace, sessionRef],
  );
}
