/**
 * Clears away dead rows where they have piled up: the embedded database has no autovacuum of its own.
 *
 * Table by table, so that nobody waits for longer than one takes, and only where it pays. A table dropped meanwhile is an error that
 * the caller logs; the next round starts over.
 */
import type { Queryable } from '../port.js';

/** As autovacuum does it: a fixed number of dead or changed rows plus a share of the table. */
const rowsMin = 1_000;
const share = 0.2;
const deadlineMs = 60_000;

/** One round. Answers with the tables that were tidied. */
export async function tidyTables(database: Queryable): Promise<readonly string[]> {
  // Counts are gathered lazily; this has them written before they are read.
  await database.query('SELECT pg_stat_force_next_flush()');
  const tables = await database.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, relname) AS name FROM pg_stat_user_tables
     WHERE n_dead_tup > $1::float8 + $2::float8 * n_live_tup OR n_mod_since_analyze > $1::float8 + $2::float8 * n_live_tup ORDER BY relid`,
    [rowsMin, share],
  );
  for (const { name } of tables) await database.query(`VACUUM (ANALYZE) ${name}`, [], { deadlineMs });
  return tables.map(({ name }) => name);
}
