/**
 * Respondents that were erased while something of theirs was still under way. The mark is there, committed, before anything is deleted, and a
 * receipt is held against it after it was recorded (settle_receipts): whichever of the two comes last sees the other.
 */
import { namespacesOf } from '../../stores/counters/namespace.js';
import type { Database, Queryable } from '../../stores/database/port.js';
import { deleteInBatches } from '../../stores/database/retention.js';

const dayMs = 86_400_000;

export async function markErased(database: Queryable, projectId: string, subject: string): Promise<void> {
  await database.query(
    `INSERT INTO erased_respondents (project_id, subject_ref) VALUES ($1, $2)
     ON CONFLICT (project_id, subject_ref) DO UPDATE SET erased_at = now()`,
    [projectId, subject],
  );
}

/** Of erased respondents: the records of history that have become empty and were told. */
export async function dropEmptiedHistories(database: Database): Promise<number> {
  const rows = await database.query(
    // What somebody is writing is left to the next round: who waits for nobody is in nobody's way.
    `DELETE FROM history WHERE ctid = ANY (ARRAY(
       SELECT h.ctid FROM history h JOIN erased_respondents e
           ON h.subject_ref = e.subject_ref AND h.namespace IN (e.project_id, e.project_id || '~test', e.project_id || '~demo')
        WHERE h.days = '{}'::jsonb AND h.published >= h.version FOR UPDATE OF h SKIP LOCKED)) RETURNING 1 AS one`,
  );
  return rows.length;
}

/** Marks, of respondents and of sessions, go with the last receipt that could still come for them. */
export async function dropExpiredMarks(database: Database, nowMs: number, retentionDays: number): Promise<number> {
  const expired = { where: 'erased_at < $1', values: [new Date(nowMs - retentionDays * dayMs)] };
  const sessions = await deleteInBatches(database, { table: 'erased_sessions', ...expired });
  return sessions + (await deleteInBatches(database, { table: 'erased_respondents', ...expired }));
}

/** What is still there of a respondent’s scores. */
export async function countLeft(
  database: Queryable,
  projectId: string,
  subject: string,
  deadlineMs: number,
): Promise<{ readonly receipts: number; readonly events: number; readonly history: number }> {
  const [row] = await database.query<{ receipts: number; events: number; history: number }>(
    `SELECT (SELECT count(*) FROM receipts WHERE namespace = ANY($1::text[]) AND subjects @> ARRAY[$2::text])::int AS receipts,
            (SELECT count(*) FROM outcomes WHERE namespace = ANY($1::text[]) AND respondent_ref = $2)::int AS events,
            (SELECT count(*) FROM adjudications WHERE namespace = ANY($1::text[]) AND subjects @> ARRAY[$2::text])::int
              + (SELECT count(*) FROM history WHERE namespace = ANY($1::text[]) AND subject_ref = $2 AND days <> '{}'::jsonb)::int AS history`,
    [namespacesOf(projectId), subject],
    { deadlineMs },
  );
  return row ?? { receipts: 0, events: 0, history: 0 };
}
