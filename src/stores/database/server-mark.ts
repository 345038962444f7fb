/** What tells one running database from another, by whatever addresses they are reached: its name, and when its server started. */
import type { Database } from './port.js';

export async function readServerMark(database: Pick<Database, 'query'>): Promise<string> {
  const [row] = await database.query<{ mark: string | null }>(
    "SELECT current_database() || ' ' || extract(epoch FROM pg_postmaster_start_time()) AS mark",
  );
  return row?.mark ?? '';
}
