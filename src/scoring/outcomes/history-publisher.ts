/**
 * Tells scoring of the history: from the database, where it is true, to the counters store, where a score finds it in its one round
 * trip. A record counts as told only after the counters store took it, so one that could not be told is told later; told twice, it
 * changes nothing. A project whose data the counters store has lost is told whole.
 */
import type { Counters } from '../../stores/counters/port.js';
import type { Database } from '../../stores/database/port.js';
import { decay, type HistoryDays } from './history-days.js';

export interface HistoryPublisherDeps {
  readonly database: Database;
  readonly counters: Counters;
  readonly now: () => number;
}

const pageMax = 500;

type HistoryRow = {
  readonly project_id: string;
  readonly subject_ref: string;
  readonly version: number;
  readonly days: HistoryDays;
};

/** Publishes what changed since it was last told; answers how many records. */
export async function publishPending(deps: HistoryPublisherDeps): Promise<number> {
  let total = 0;
  for (;;) {
    const rows = await deps.database.query<HistoryRow>(
      `SELECT project_id, subject_ref, version, days FROM history WHERE published < version LIMIT ${pageMax}`,
    );
    await publish(deps, rows);
    await deps.database.query(
      `UPDATE history SET published = greatest(published, told.version)
         FROM unnest($1::text[], $2::text[], $3::bigint[]) AS told (project, subject, version)
        WHERE project_id = told.project AND subject_ref = told.subject`,
      [rows.map((row) => row.project_id), rows.map((row) => row.subject_ref), rows.map((row) => row.version)],
    );
    total += rows.length;
    if (rows.length < pageMax) return total;
  }
}

/** Publishes the whole history of one project. */
export async function publishProject(deps: HistoryPublisherDeps, projectId: string): Promise<void> {
  let after = '';
  for (;;) {
    const rows = await deps.database.query<HistoryRow>(
      `SELECT project_id, subject_ref, version, days FROM history WHERE project_id = $1 AND subject_ref > $2 ORDER BY subject_ref LIMIT ${pageMax}`,
      [projectId, after],
    );
    await publish(deps, rows);
    after = rows.at(-1)?.subject_ref ?? '';
    if (rows.length < pageMax) return;
  }
}

async function publish({ counters, now }: HistoryPublisherDeps, rows: readonly HistoryRow[]): Promise<void> {
  for (const projectId of new Set(rows.map((row) => row.project_id))) {
    const records = rows
      .filter((row) => row.project_id === projectId)
      .map((row) => ({ subject: row.subject_ref, version: row.version, value: decay(row.days, now()) }));
    await counters.publishHistory(projectId, records);
  }
}
