/**
 * Deletes outcomes by the time of receipt, and adjudications and histories once a day weighs nothing, after twelve half-lives
 * (`keepDays`). Until then a later event needs the adjudication to take back its earlier effect. A session’s subjects go with the last of
 * its outcomes and its adjudication.
 */
import type { Database, Queryable, Row } from '../../stores/database/port.js';
import {
  deleteInBatches,
  guardByColumn,
  startRetentionRounds,
  type RetentionRounds,
  type RoundsDeps,
} from '../../stores/database/retention.js';
import { dropEmptiedHistories } from '../receipts/respondent-erasure.js';
import { lockSessions } from './adjudication-work.js';
import { keepDays, sortRows } from './history-shifts.js';

const dayMs = 86_400_000;

/** Deletes what is past its lifetime at `nowMs`; resolves to the number of rows. */
export async function dropExpiredOutcomes(
  database: Database,
  nowMs: number,
  retentionDays: number,
  isStopping?: () => boolean,
): Promise<number> {
  const outcomes = await deleteInBatches(database, {
    table: 'outcomes',
    where: 'received_at < $1',
    values: [new Date(nowMs - retentionDays * dayMs)],
    isStopping,
    returning: 'namespace, session_ref',
    onBatch: async (tx, rows) => {
      // An adjudication in progress rests on outcomes that are about to go, and can be noted only after it.
      await lockSessions(
        tx,
        rows.map((row) => ({ namespace: row['namespace'] as string, sessionRef: row['session_ref'] as string })),
      );
      await noteDropped(tx, rows);
      await dropSubjects(tx, rows);
    },
  });
  // A day more than the history keeps, so that no day of it is left that a deletion could miss.
  const forgottenBefore = new Date(nowMs - (keepDays + 1) * dayMs);
  let histories = 0;
  const adjudications = await deleteInBatches(database, {
    table: 'adjudications',
    where: 'at < $1',
    values: [forgottenBefore],
    isStopping,
    returning: 'namespace, session_ref, subjects',
    onBatch: async (tx, rows) => {
      await dropSubjects(tx, rows);
      histories += await dropEmptyHistories(tx, rows, Math.floor(forgottenBefore.getTime() / dayMs));
    },
  });
  return outcomes + adjudications + histories + (await dropEmptiedHistories(database));
}

/** Adjudications from these outcomes no longer depend on them. */
async function noteDropped(tx: Queryable, rows: readonly Row[]): Promise<void> {
  await tx.query(
    `UPDATE adjudications a SET events_dropped = true FROM unnest($1::text[], $2::text[]) AS gone (project, session)
      WHERE a.namespace = gone.project AND a.session_ref = gone.session AND NOT a.events_dropped`,
    [rows.map((row) => row['namespace'] as string), rows.map((row) => row['session_ref'] as string)],
  );
}

/** Deletes the subjects of sessions that have nothing left. */
async function dropSubjects(tx: Queryable, rows: readonly Row[]): Promise<void> {
  await tx.query(
    `DELETE FROM outcome_subjects s USING unnest($1::text[], $2::text[]) AS gone (project, session)
      WHERE s.namespace = gone.project AND s.session_ref = gone.session
        AND NOT EXISTS (SELECT 1 FROM outcomes o WHERE o.namespace = s.namespace AND o.session_ref = s.session_ref)
        AND NOT EXISTS (SELECT 1 FROM adjudications a WHERE a.namespace = s.namespace AND a.session_ref = s.session_ref)`,
    [rows.map((row) => row['namespace'] as string), rows.map((row) => row['session_ref'] as string)],
  );
}

/** Deletes the records without a day from `firstDay` on, for the subjects of deleted adjudications. */
async function dropEmptyHistories(tx: Queryable, rows: readonly Row[], firstDay: number): Promise<number> {
  const records = sortRows(
    rows.flatMap((row) =>
      (row['subjects'] as readonly string[]).map((subject) => ({
        namespace: row['namespace'] as string,
        subject_ref: subject,
      })),
    ),
  );
  if (records.length === 0) return 0;
  const deleted = await tx.query(
    `DELETE FROM history h USING (
       SELECT project, subject FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS named (project, subject, place)
         JOIN history ON namespace = project AND subject_ref = subject ORDER BY place FOR UPDATE OF history) AS gone
      WHERE h.namespace = gone.project AND h.subject_ref = gone.subject AND h.published >= h.version
        AND NOT EXISTS (SELECT 1 FROM jsonb_object_keys(h.days) AS day WHERE day::bigint >= $3)
      RETURNING 1 AS one`,
    [records.map(({ namespace }) => namespace), records.map(({ subject_ref }) => subject_ref), firstDay],
  );
  return deleted.length;
}

export function startOutcomeRetention(deps: RoundsDeps & { readonly retentionDays: number }): RetentionRounds {
  const { database, retentionDays } = deps;
  return startRetentionRounds({
    ...deps,
    what: 'outcomes',
    guard: guardByColumn(database, { table: 'outcomes', column: 'received_at', keepDays: retentionDays }),
    drop: (nowMs, isStopping) => dropExpiredOutcomes(database, nowMs, retentionDays, isStopping),
  });
}
