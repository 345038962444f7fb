/**
 * Erases what scoring keeps of a respondent: receipts, the index of sessions, outcomes, subjects and flags. Ordering the sessions’
 * adjudication again removes their part in the history. Receipts not yet recorded are erased as they come, dead letters at once; another
 * walk over the receipts counts what is left. The digest of a receipt stays in its chain, without its id and its salt.
 */
import { walkDeadlineMs as deadlineMs } from '../../administration/respondent-records.js';
import { timeOfId } from '../../crypto/ids.js';
import type { MakeRef } from '../../crypto/master-key.js';
import type { HistorySubjects, ReceiptOwner } from '../../record/types.js';
import { namespacesOf, splitNamespace } from '../../stores/counters/namespace.js';
import type { Counters } from '../../stores/counters/port.js';
import type { Database, Queryable } from '../../stores/database/port.js';
import { eraseLetters } from '../../stores/log/dead-letters/erasure.js';
import { concernsErased } from '../outcomes/outcome-rows.js';
import { receiptOfEntry } from './receipts.js';
import { respondentSubject } from '../gather.js';
import { dropOverAge } from '../../stores/database/retention.js';

export interface ErasureParts {
  readonly database: Database;
  readonly counters: Pick<Counters, 'forgetReceipts' | 'forgetProbes'>;
  readonly makeRef: MakeRef;
}

export interface ErasedScores {
  readonly receipts: number;
  readonly events: number;
  /** The caller’s session ids, if the index had them. */
  readonly sessionIds: readonly string[];
  /** Counted after it. `history`: what the consumers of outcomes take away within seconds. */
  readonly left: { readonly receipts: number; readonly events: number; readonly history: number };
}

interface SessionRow extends Readonly<Record<string, unknown>> {
  readonly namespace: string;
  readonly session_ref: string;
}

interface ErasedReceipt extends SessionRow {
  readonly receipt_id: string;
  readonly batch_seq: number;
}

export async function eraseRespondentScores(
  { database, counters, makeRef }: ErasureParts,
  projectId: string,
  respondentId: string,
): Promise<ErasedScores> {
  const subject = respondentSubject(makeRef, projectId, respondentId);
  const modes = namespacesOf(projectId);
  await markErased(database, projectId, subject);
  const erased = await database.transaction((tx) => eraseRows(tx, modes, subject), { deadlineMs });
  const { receipts, events, sessionIds } = erased;
  await eraseLetters(database, 'scores', (value) => {
    const receipt = receiptOfEntry(value);
    return receipt.projectId === projectId && receipt.subjects.respondent === subject;
  });
  await eraseLetters(database, 'outcomes', (value) => concernsErased(value, erased.sessionRefs, subject));
  for (const namespace of modes) {
    const ids = receipts.filter((row) => row.namespace === namespace).map((row) => row.receipt_id);
    // Without the store they run out by themselves, within a day.
    await counters.forgetReceipts(namespace, ids).catch(() => undefined);
  }
  await counters.forgetProbes(projectId, [...erased.sessionRefs]).catch(() => undefined);
  const left = await countLeft(database, projectId, subject, deadlineMs);
  return { receipts: receipts.length, events: events.length, sessionIds, left };
}

/** Rows of respondents: $1 the namespaces, $2 the keyed hashes of their ids. */
export const ofSubjects = 'namespace = ANY($1::text[]) AND subjects && $2::text[]';

async function eraseRows(tx: Queryable, modes: readonly string[], subject: string) {
  const own = `WHERE ${ofSubjects}`;
  const erase = <R extends SessionRow>(sql: string): Promise<readonly R[]> =>
    tx.query<R>(sql, [modes, [subject]], { deadlineMs });
  // In the order in which the recorder writes, watched verdicts first: whoever looks at one of them again ends before its receipts are deleted.
  await erase('DELETE FROM watched_verdicts WHERE namespace = ANY($1::text[]) AND respondent_ref = ANY($2::text[])');
  await erase(`SELECT namespace, session_ref FROM session_index ${own} ORDER BY namespace, session_ref FOR UPDATE`);
  const indexed = await erase<SessionRow & { session_id: string }>(
    `DELETE FROM session_index ${own} RETURNING namespace, session_ref, session_id`,
  );
  const receipts = await erase<ErasedReceipt>(
    `DELETE FROM receipts ${own} RETURNING namespace, session_ref, receipt_id, batch_seq`,
  );
  await tx.query('SELECT forget_in_chains($1::text[], $2::text[], $3::bigint[])', [
    receipts.map((row) => row.receipt_id),
    receipts.map((row) => row.namespace),
    receipts.map((row) => row.batch_seq),
  ]);
  const sessions = [
    ...receipts,
    ...indexed,
    ...(await erase(`DELETE FROM outcome_subjects ${own} RETURNING namespace, session_ref`)),
    ...(await erase(`UPDATE adjudications SET events_dropped = false ${own} RETURNING namespace, session_ref`)),
  ];
  const columns = [sessions.map((row) => row.namespace), sessions.map((row) => row.session_ref)];
  const among = '(namespace, session_ref) IN (SELECT * FROM unnest($1::text[], $2::text[]))';
  await tx.query(`DELETE FROM outcome_subjects WHERE ${among}`, columns, { deadlineMs });
  const others = await tx.query<{ session_id: string }>(
    `DELETE FROM session_index WHERE ${among} RETURNING session_id`,
    columns,
    { deadlineMs },
  );
  await tx.query(
    'DELETE FROM session_flags WHERE (project_id, session_ref) IN (SELECT * FROM unnest($1::text[], $2::text[]))',
    [sessions.map((row) => splitNamespace(row.namespace).holder), columns[1] ?? []],
    { deadlineMs },
  );
  const events = await tx.query<SessionRow>(
    `DELETE FROM outcomes WHERE (namespace = ANY($3::text[]) AND respondent_ref = $4) OR ${among} RETURNING namespace, session_ref`,
    [...columns, modes, subject],
    { deadlineMs },
  );
  const touched = [...sessions, ...events];
  await tx.query(
    'INSERT INTO adjudication_work (namespace, session_ref) SELECT DISTINCT * FROM unnest($1::text[], $2::text[])',
    [touched.map((row) => row.namespace), touched.map((row) => row.session_ref)],
  );
  return {
    ...{ receipts, events },
    sessionIds: [...new Set([...indexed, ...others].map((row) => row.session_id))],
    sessionRefs: new Set(touched.map((row) => row.session_ref)),
  };
}

/** Committed before anything is deleted; settle_receipts checks later receipts against it, so that the later of the two sees the other. */
async function markErased(database: Queryable, projectId: string, subject: string): Promise<void> {
  await database.query(
    `INSERT INTO erased_respondents (project_id, subject_ref) VALUES ($1, $2)
     ON CONFLICT (project_id, subject_ref) DO UPDATE SET erased_at = now()`,
    [projectId, subject],
  );
}

/** Deletes published history records of erased respondents that have become empty. */
export async function dropEmptiedHistories(database: Database): Promise<number> {
  const rows = await database.query(
    // A row that is being written is left to the next round, so that this statement waits for nothing and blocks nothing.
    `DELETE FROM history WHERE ctid = ANY (ARRAY(
       SELECT h.ctid FROM history h JOIN erased_respondents e
           ON h.subject_ref = e.subject_ref AND h.namespace IN (e.project_id, e.project_id || '~test', e.project_id || '~demo')
        WHERE h.days = '{}'::jsonb AND h.published >= h.version FOR UPDATE OF h SKIP LOCKED)) RETURNING 1 AS one`,
  );
  return rows.length;
}

/** Marks, of respondents and of sessions, go with the last receipt that could still come for them. */
export async function dropExpiredMarks(
  database: Database,
  nowMs: number,
  keepDays: number,
  isStopping?: () => boolean,
): Promise<number> {
  const drop = (table: string): Promise<number> =>
    dropOverAge(database, { table, column: 'erased_at', keepDays }, nowMs, isStopping);
  return (await drop('erased_sessions')) + (await drop('erased_respondents'));
}

/** Whether the respondent of a receipt was erased after it, which every reader checks: the recorder and the counters store may come to it later. */
export async function isErased(
  database: Queryable,
  receiptId: string,
  { owner, subjects }: { readonly owner: ReceiptOwner; readonly subjects: HistorySubjects },
): Promise<boolean> {
  const scoredAt = timeOfId('receipt', receiptId);
  if (scoredAt === null || owner.projectId === null || subjects.respondent === null) return false;
  const marks = await database.query(
    'SELECT 1 AS one FROM erased_respondents WHERE project_id = $1 AND subject_ref = $2 AND erased_at >= $3',
    [owner.projectId, subjects.respondent, new Date(scoredAt)],
  );
  return marks.length > 0;
}

/** Counts the remaining scores of a respondent. */
async function countLeft(
  database: Queryable,
  projectId: string,
  subject: string,
  deadlineMs: number,
): Promise<{ readonly receipts: number; readonly events: number; readonly history: number }> {
  const [row] = await database.query<{ receipts: number; events: number; history: number }>(
    `SELECT (SELECT count(*) FROM receipts WHERE ${ofSubjects})::int AS receipts,
            (SELECT count(*) FROM outcomes WHERE namespace = ANY($1::text[]) AND respondent_ref = ANY($2::text[]))::int AS events,
            (SELECT count(*) FROM adjudications WHERE ${ofSubjects})::int
              + (SELECT count(*) FROM history WHERE namespace = ANY($1::text[]) AND subject_ref = ANY($2::text[]) AND days <> '{}'::jsonb)::int AS history`,
    [namespacesOf(projectId), [subject]],
    { deadlineMs },
  );
  return row ?? { receipts: 0, events: 0, history: 0 };
}
