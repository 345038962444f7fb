/**
 * Erases what scoring keeps of a respondent: receipts, their outcomes, and so their part in the history. The history follows from the outcomes:
 * ordering the sessions’ adjudication anew takes away what stood there for them, the respondent’s own record included. Receipts are found
 * by a walk over the project’s, which takes its time where there are many.
 */
import type { MakeRef } from '../crypto/master-key.js';
import type { Database } from '../stores/database/port.js';
import { respondentSubject } from './subjects.js';

/** For the walk over a project’s receipts. */
const deadlineMs = 120_000;

export async function eraseRespondentScores(
  { database, makeRef }: { readonly database: Database; readonly makeRef: MakeRef },
  projectId: string,
  respondentId: string,
): Promise<{ readonly receipts: number; readonly events: number }> {
  const subject = respondentSubject(makeRef, projectId, respondentId);
  const worlds = [projectId, `${projectId}~test`, `${projectId}~demo`];
  return database.transaction(
    async (tx) => {
      const receipts = await tx.query<{ project_id: string; session_ref: string }>(
        'DELETE FROM receipts WHERE project_id = ANY($1::text[]) AND subjects @> ARRAY[$2::text] RETURNING project_id, session_ref',
        [worlds, subject],
        { deadlineMs },
      );
      const columns = [receipts.map((row) => row.project_id), receipts.map((row) => row.session_ref)];
      await tx.query(
        `DELETE FROM session_index WHERE (project_id, session_ref) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
        columns,
        { deadlineMs },
      );
      const events = await tx.query<{ project_id: string; session_ref: string }>(
        `DELETE FROM outcomes WHERE (project_id = ANY($3::text[]) AND respondent_ref = $4)
            OR (project_id, session_ref) IN (SELECT * FROM unnest($1::text[], $2::text[])) RETURNING project_id, session_ref`,
        [...columns, worlds, subject],
        { deadlineMs },
      );
      const touched = [...receipts, ...events];
      await tx.query(
        'INSERT INTO adjudication_work (project_id, session_ref) SELECT * FROM unnest($1::text[], $2::text[])',
        [touched.map((row) => row.project_id), touched.map((row) => row.session_ref)],
      );
      return { receipts: receipts.length, events: events.length };
    },
    { deadlineMs },
  );
}
