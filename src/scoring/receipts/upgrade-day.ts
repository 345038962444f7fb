/**
 * The day after an upgrade, in which processes of the version before may run beside this one. A migration leaves a row that says when it came and whether it
 * found organizations: a new installation has no older processes.
 */
import type { Database } from '../../stores/database/port.js';

/** How long processes of the version before are reckoned with. */
export const upgradeMs = 86_400_000;

/** Answers whether that day is over. Asks the database once; the day ends without a restart. */
export async function openUpgradeDay(
  database: Database,
  table: 'record_formats' | 'receipt_releases',
  now: () => number,
): Promise<() => boolean> {
  const [row] = await database.query<{ came_at: Date; found_organizations: boolean }>(
    `SELECT came_at, found_organizations FROM ${table}`,
  );
  if (row?.found_organizations === false) return () => true;
  const cameMs = row?.came_at.getTime() ?? Infinity;
  return () => now() - cameMs >= upgradeMs;
}
