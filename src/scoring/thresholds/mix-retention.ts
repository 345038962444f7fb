/**
 * Sessions and counts are kept as long as their receipts. Deleted a bounded number at a time, by the database’s clock, so that a wrong clock
 * here deletes nothing.
 */
import type { Database } from '../../stores/database/port.js';

const batchMax = 5_000;
const deadlineMs = 30_000;

/** Deletes what is past its time; answers how many sessions. Whole days go, as with receipts. */
export async function dropExpiredMix(
  database: Database,
  retentionDays: number,
  isStopping: () => boolean = () => false,
): Promise<number> {
  let total = 0;
  let deleted = batchMax;
  while (deleted === batchMax && !isStopping()) {
    const rows = await database.query(
      `DELETE FROM scored_sessions WHERE (project_id, session_ref) IN (
         SELECT project_id, session_ref FROM scored_sessions WHERE scored_at < ${firstDayKept} LIMIT ${batchMax}) RETURNING 1`,
      [retentionDays],
      { deadlineMs },
    );
    deleted = rows.length;
    total += deleted;
  }
  await database.query(`DELETE FROM score_mix WHERE day < (${firstDayKept})::date`, [retentionDays], { deadlineMs });
  return total;
}

const firstDayKept = `date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - make_interval(days => $1::int)`;
