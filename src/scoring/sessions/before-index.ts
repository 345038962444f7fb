/**
 * Until when there may be receipts whose sessions the index does not hold. The migration that made it filled nothing in, and consumers of the
 * version before, which do not write it, may run on for a day.
 */
import type { Queryable } from '../../stores/database/port.js';
import { upgradeMs } from '../receipts/upgrade-day.js';

const migration = '0051-session-index.sql';

/** From when on each receipt has its session in the index, milliseconds since 1970; null where no migration is noted. */
export async function indexedFrom(database: Queryable): Promise<number | null> {
  const [made] = await database.query<{ applied_at: Date }>('SELECT applied_at FROM migrations WHERE name = $1', [
    migration,
  ]);
  return made === undefined ? null : made.applied_at.getTime() + upgradeMs;
}
