/**
 * Sessions and counts are kept as long as their receipts. Deleted a bounded number at a time, by the database’s clock, so that a wrong clock
 * here deletes nothing.
 */
import type { Database } from '../../stores/database/port.js';
import { deleteInBatches } from '../../stores/database/retention.js';

/** Deletes what is past its time; answers how many sessions. Whole days go, as with receipts. */
export async function dropExpiredDistribution(
  database: Database,
  retentionDays: number,
  isStopping: () => boolean = () => false,
): Promise<number> {
  const values = [retentionDays];
  const sessions = await deleteInBatches(database, {
    table: 'scored_sessions',
    where: `scored_at < ${firstDayKept}`,
    values,
    isStopping,
  });
  await deleteInBatches(database, {
    table: 'score_distribution',
    where: `day < (${firstDayKept})::date`,
    values,
    isStopping,
  });
  return sessions;
}

const firstDayKept = `date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - make_interval(days => $1::int)`;
