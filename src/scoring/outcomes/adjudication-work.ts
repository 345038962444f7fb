/**
 * Carries outcomes into the history. Work orders are taken in batches, each batch in one transaction: what stood in the history for the
 * session is taken away, what its events say now is put there. Killed at any point, nothing was done or everything was; orders taken
 * twice change nothing, because the history follows from the events alone. Events that come before their score wait for it: recording the
 * receipt orders the work again.
 */
import type { Database, Queryable, Row } from '../../stores/database/port.js';
import { adjudicate, type Adjudication, type StoredOutcome } from './adjudication-rules.js';
import { shiftDays, type HistoryDays } from './history-days.js';

const batchMax = 500;

interface Session {
  readonly projectId: string;
  readonly sessionRef: string;
}

/** Works off the orders there are, a batch at a time until `isStopping`; answers how many. */
export async function workOff(database: Database, isStopping: () => boolean = () => false): Promise<number> {
  let total = 0;
  for (;;) {
    const taken = await database.transaction(workOffBatch);
    total += taken;
    if (taken < batchMax || isStopping()) return total;
  }
}

async function workOffBatch(tx: Queryable): Promise<number> {
  const orders = await tx.query<{ project_id: string; session_ref: string }>(
    `DELETE FROM adjudication_work WHERE work_id IN (SELECT work_id FROM adjudication_work ORDER BY work_id LIMIT ${batchMax} FOR UPDATE SKIP LOCKED)
     RETURNING project_id, session_ref`,
  );
  const keys = [...new Set(orders.map((row) => `${row.project_id}\n${row.session_ref}`))].sort();
  const shifts = new Shifts();
  for (const key of keys) {
    const [projectId = '', sessionRef = ''] = key.split('\n');
    await readjudicate(tx, { projectId, sessionRef }, shifts);
  }
  await shifts.apply(tx);
  await orderLabels(tx, keys);
  return orders.length;
}

/** Has the labels of these sessions looked at again, by whoever keeps the score mix. */
async function orderLabels(tx: Queryable, keys: readonly string[]): Promise<void> {
  const names = keys.map((key) => key.split('\n'));
  await tx.query('INSERT INTO label_work (project_id, session_ref) SELECT * FROM unnest($1::text[], $2::text[])', [
    names.map(([projectId = '']) => projectId),
    names.map(([, sessionRef = '']) => sessionRef),
  ]);
}

/** Replaces what stands in the history for one session by what its events say now. */
async function readjudicate(tx: Queryable, session: Session, shifts: Shifts): Promise<void> {
  const { projectId, sessionRef } = session;
  const key = [projectId, sessionRef] as const;
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`adjudicate ${projectId} ${sessionRef}`]);
  const [standing] = await tx.query<{ fraud: boolean; clawback: boolean; at: Date; subjects: readonly string[] }>(
    'DELETE FROM adjudications WHERE project_id = $1 AND session_ref = $2 RETURNING *',
    key,
  );
  if (standing !== undefined)
    shifts.add(
      projectId,
      standing.subjects,
      { fraud: standing.fraud, clawback: standing.clawback, atMs: standing.at.getTime() },
      -1,
    );

  const adjudication = adjudicate(await readOutcomes(tx, session));
  // Also where nothing counts yet: when something does, the receipt that tells may be gone.
  const subjects = await findSubjects(tx, session);
  if (adjudication === null || subjects.length === 0) return;
  await tx.query(
    'INSERT INTO adjudications (project_id, session_ref, fraud, clawback, at, subjects) VALUES ($1, $2, $3, $4, $5, $6)',
    [...key, adjudication.fraud, adjudication.clawback, new Date(adjudication.atMs), subjects],
  );
  shifts.add(projectId, subjects, adjudication, 1);
}

async function readOutcomes(tx: Queryable, { projectId, sessionRef }: Session): Promise<readonly StoredOutcome[]> {
  const rows = await tx.query<{
    type: StoredOutcome['type'];
    occurred_at: Date;
    target: string;
    reason_class: StoredOutcome['reasonClass'];
    statement_no: number;
  }>(
    'SELECT type, occurred_at, target, reason_class, statement_no FROM outcomes WHERE project_id = $1 AND session_ref = $2',
    [projectId, sessionRef],
  );
  return rows.map(({ type, occurred_at, target, reason_class, statement_no }) => {
    const [targetType = '', targetAt = ''] = target.split('@');
    return {
      type,
      occurredAtMs: occurred_at.getTime(),
      reasonClass: reason_class,
      statement: statement_no,
      retracts: target === '' ? null : { type: targetType as StoredOutcome['type'], occurredAtMs: Number(targetAt) },
    };
  });
}

/** Whose history the session belongs to: as it was scored last, with the respondent that the latest event names where the score named none. */
async function findSubjects(tx: Queryable, session: Session): Promise<readonly string[]> {
  const key = [session.projectId, session.sessionRef] as const;
  const scored = await keepScored(tx, key);
  const [named] = await tx.query<{ respondent_ref: string }>(
    'SELECT respondent_ref FROM outcomes WHERE project_id = $1 AND session_ref = $2 AND respondent_ref IS NOT NULL ORDER BY statement_no DESC LIMIT 1',
    key,
  );
  const respondent = scored?.respondent_known === true || named === undefined ? [] : [named.respondent_ref];
  return [...(scored?.subjects ?? []), ...respondent];
}

interface ScoredSubjects extends Row {
  readonly subjects: readonly string[];
  readonly respondent_known: boolean;
}

/** What the latest receipt says, kept for when it has been dropped; then what was kept. */
async function keepScored(tx: Queryable, key: readonly [string, string]): Promise<ScoredSubjects | undefined> {
  const [scored] = await tx.query<ScoredSubjects>(
    'SELECT subjects, respondent_known FROM receipts WHERE project_id = $1 AND session_ref = $2 ORDER BY scored_at DESC LIMIT 1',
    key,
  );
  if (scored === undefined) {
    const [kept] = await tx.query<ScoredSubjects>(
      'SELECT subjects, respondent_known FROM outcome_subjects WHERE project_id = $1 AND session_ref = $2',
      key,
    );
    return kept;
  }
  await tx.query(
    `INSERT INTO outcome_subjects AS kept (project_id, session_ref, subjects, respondent_known) VALUES ($1, $2, $3, $4)
     ON CONFLICT (project_id, session_ref) DO UPDATE SET subjects = excluded.subjects, respondent_known = excluded.respondent_known
      WHERE (kept.subjects, kept.respondent_known) IS DISTINCT FROM (excluded.subjects, excluded.respondent_known)`,
    [...key, scored.subjects, scored.respondent_known],
  );
  return scored;
}

/** Changes of subjects gathered over a batch, so that each subject’s row is written once, in one order. */
class Shifts {
  readonly #bySubject = new Map<string, { adjudication: Adjudication; sign: 1 | -1 }[]>();

  add(projectId: string, subjects: readonly string[], adjudication: Adjudication, sign: 1 | -1): void {
    for (const subject of subjects) {
      const key = `${projectId}\n${subject}`;
      const list = this.#bySubject.get(key) ?? [];
      list.push({ adjudication, sign });
      this.#bySubject.set(key, list);
    }
  }

  async apply(tx: Queryable): Promise<void> {
    for (const [key, shifts] of [...this.#bySubject].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const [projectId = '', subject = ''] = key.split('\n');
      await tx.query(
        "INSERT INTO history (project_id, subject_ref, version, days) VALUES ($1, $2, 0, '{}') ON CONFLICT DO NOTHING",
        [projectId, subject],
      );
      const [row] = await tx.query<{ days: HistoryDays }>(
        'SELECT days FROM history WHERE project_id = $1 AND subject_ref = $2 FOR UPDATE',
        [projectId, subject],
      );
      const days = shifts.reduce((sum, { adjudication, sign }) => shiftDays(sum, adjudication, sign), row?.days ?? {});
      await tx.query(
        'UPDATE history SET version = version + 1, days = $3::jsonb WHERE project_id = $1 AND subject_ref = $2',
        [projectId, subject, JSON.stringify(days)],
      );
    }
  }
}
