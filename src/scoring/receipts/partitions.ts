/**
 * The partitions of the receipts, one for each UTC day: made a week ahead, dropped whole, with the row security of the whole. Locks have
 * short deadlines: a partition is made as a table and then attached, which disturbs no reader; a drop gives up if somebody reads, and the
 * next round retries.
 */
import { isUnavailable } from '../../errors.js';
import type { Database } from '../../stores/database/port.js';

const dayMs = 86_400_000;
const daysAhead = 7;
const attachLockMs = 1_000;
const dropLockMs = 250;
const partitionName = /^receipts_(\d{4})(\d{2})(\d{2})$/;
/** Instances that make or drop partitions do so one after the other. */
const inTurn = "SELECT pg_advisory_xact_lock(hashtext('receipts partition'))";

/** Makes the partition of a day ("2026-01-31") where it is missing; safe when several come at once. */
export async function makePartition(database: Database, day: string): Promise<void> {
  const name = `receipts_${day.replaceAll('-', '')}`;
  const next = new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10);
  await database.transaction(async (tx) => {
    await tx.query(`SET LOCAL lock_timeout = ${attachLockMs}`);
    await tx.query(inTurn);
    const [row] = await tx.query('SELECT 1 FROM pg_inherits WHERE inhrelid = to_regclass($1)', [name]);
    if (row !== undefined) return;
    await tx.query(
      `CREATE TABLE ${name} (LIKE receipts INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE) WITH (toast_tuple_target = 8160)`,
    );
    await tx.query(`CALL reserve_for_background_work('${name}')`);
    await tx.query(
      `ALTER TABLE receipts ATTACH PARTITION ${name} FOR VALUES FROM ('${day} 00:00:00+00') TO ('${next} 00:00:00+00')`,
    );
  });
}

/** Makes the partitions of the coming days, by the database’s clock. */
export async function makePartitionsAhead(database: Database): Promise<void> {
  const rows = await database.query<{ day: string }>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day
       FROM generate_series(date_trunc('day', now() AT TIME ZONE 'UTC'), now() AT TIME ZONE 'UTC' + interval '${daysAhead} days', interval '1 day') AS day
      WHERE to_regclass('receipts_' || to_char(day, 'YYYYMMDD')) IS NULL`,
  );
  for (const { day } of rows) await makePartition(database, day);
}

/** Names of the partitions whose day ended at or before `endsBeforeMs`, oldest first; never a table of another name. */
export async function findPartitionsBefore(database: Database, endsBeforeMs: number): Promise<readonly string[]> {
  const rows = await database.query<{ name: string }>(
    "SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'receipts'::regclass ORDER BY 1",
  );
  return rows.map(({ name }) => name).filter((name) => endOf(name) <= endsBeforeMs);
}

/** Drops a partition; false where it is being read for too long. */
export async function dropPartition(database: Database, name: string): Promise<boolean> {
  try {
    await database.transaction(async (tx) => {
      await tx.query(`SET LOCAL lock_timeout = ${dropLockMs}`);
      await tx.query(inTurn);
      await tx.query(`DROP TABLE IF EXISTS ${name}`);
    });
    return true;
  } catch (error) {
    if (isUnavailable(error)) return false;
    throw error;
  }
}

/** When the day of a partition ends; never for a table of another name. */
function endOf(name: string): number {
  const [, year, month, day] = partitionName.exec(name) ?? [];
  return day === undefined ? Infinity : Date.UTC(Number(year), Number(month) - 1, Number(day)) + dayMs;
}
