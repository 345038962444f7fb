/**
 * After a restore from a back-up, the counters store may hold later records than the database, and keeps the higher version: so every
 * record gets a higher version and is published again.
 */
import type { Database } from './port.js';

const batchMax = 5_000;
const deadlineMs = 60_000;
const dayMs = 86_400_000;

/** Why a back-up cannot be of that time, by the database’s clock; null if it can. A wrong year would replay everything in the log. */
export async function doubtBackup(database: Pick<Database, 'query'>, backupAt: Date): Promise<string | null> {
  const [row] = await database.query<{ now: Date; made: Date }>(
    'SELECT now() AS now, (SELECT min(applied_at) FROM migrations) AS made',
  );
  if (row === undefined) return null;
  if (backupAt > row.now)
    return `is later than the database’s time ${row.now.toISOString()}. Give the time of the backup, or an earlier one`;
  if (backupAt.getTime() < row.made.getTime() - dayMs)
    return `is before the creation of this database (${row.made.toISOString()})`;
  return null;
}

/** Notes the restore and has every record published again; returns how many. */
export async function noteRestore(database: Database, backupAt: Date): Promise<number> {
  await database.query('INSERT INTO restores (backup_at) VALUES ($1)', [backupAt]);
  let records = 0;
  let after = ['', ''];
  for (;;) {
    const rows = await database.query<{ namespace: string; subject_ref: string }>(
      `WITH next AS (
         SELECT namespace, subject_ref FROM history WHERE (namespace, subject_ref) > ($1, $2) ORDER BY namespace, subject_ref LIMIT ${batchMax} FOR UPDATE),
       younger AS (
         UPDATE history h SET version = greatest(h.version, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) + 1
           FROM next WHERE h.namespace = next.namespace AND h.subject_ref = next.subject_ref)
       SELECT namespace, subject_ref FROM next ORDER BY namespace, subject_ref`,
      after,
      { deadlineMs },
    );
    records += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < batchMax) return records;
    after = [last.namespace, last.subject_ref];
  }
}
