/** Whether the database takes what the service needs of it, which is more than that it answers. */
import type { Database } from './port.js';

/** Writes one row; rejects as that write does. */
export async function checkWrite(database: Database): Promise<void> {
  await database.query(
    "INSERT INTO store_checks (name) VALUES ('write') ON CONFLICT (name) DO UPDATE SET checked_at = now()",
    [],
    { recurring: true },
  );
}
