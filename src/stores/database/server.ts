/** The database server: its identity, its clock, and whether it accepts writes. */
import type { Database } from './port.js';

/** Distinguishes running databases, whatever their addresses: the name, and the start of the server. */
export async function readServerMark(database: Pick<Database, 'query'>): Promise<string> {
  const [row] = await database.query<{ mark: string | null }>(
    "SELECT current_database() || ' ' || extract(epoch FROM pg_postmaster_start_time()) AS mark",
  );
  return row?.mark ?? '';
}

/** The time on the database’s clock, milliseconds since 1970. */
export async function readClock(database: Database): Promise<number> {
  const [row] = await database.query<{ now: Date }>('SELECT now() AS now');
  if (row === undefined) throw new Error('the database returned no time');
  return row.now.getTime();
}

/** The oldest transaction that is still open; all before it can be seen. */
export async function readHorizon(database: Pick<Database, 'query'>): Promise<string> {
  const [row] = await database.query<{ horizon: string }>(
    'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon',
  );
  return row?.horizon ?? '0';
}

/** Writes one row; rejects as that write does. A server that answers reads may still refuse writes. */
export async function checkWrite(database: Database): Promise<void> {
  await database.query(
    "INSERT INTO store_checks (name) VALUES ('write') ON CONFLICT (name) DO UPDATE SET checked_at = now()",
    [],
    { recurring: true },
  );
}
