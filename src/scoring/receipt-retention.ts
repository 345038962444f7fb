/**
 * Drops receipts past their retention, a whole day’s partition at a time. A round that fails is repeated an hour later; rounds of
 * several instances do not disturb each other.
 */
import type { Database } from '../stores/database/port.js';
import { startRetentionRounds, type RetentionRounds } from '../stores/database/retention.js';
import { dropExpiredSessions } from './sessions/session-index.js';
import type { Logger } from '../telemetry/logger.js';

const dayMs = 86_400_000;
const partitionName = /^receipts_(\d{4})(\d{2})(\d{2})$/;

/** Drops the partitions of days that ended more than `retentionDays` ago; answers their names. */
export async function dropExpiredReceipts(
  database: Database,
  nowMs: number,
  retentionDays: number,
): Promise<readonly string[]> {
  const rows = await database.query<{ name: string }>(
    "SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'receipts'::regclass",
  );
  const expired = rows.map(({ name }) => name).filter((name) => endOf(name) <= nowMs - retentionDays * dayMs);
  for (const name of expired) await database.query(`DROP TABLE IF EXISTS ${name}`);
  return expired;
}

/** When the day of a partition ends; never for a table of another name. */
function endOf(name: string): number {
  const [, year, month, day] = partitionName.exec(name) ?? [];
  return day === undefined ? Infinity : Date.UTC(Number(year), Number(month) - 1, Number(day)) + dayMs;
}

export interface RetentionDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly now: () => number;
  readonly retentionDays: number;
}

/** Looks at once and then every hour. */
export function startReceiptRetention({ database, logger, now, retentionDays }: RetentionDeps): RetentionRounds {
  return startRetentionRounds({
    logger,
    what: 'receipts',
    drop: async () => {
      const days = await dropExpiredReceipts(database, now(), retentionDays);
      const sessions = await dropExpiredSessions(database, now(), retentionDays);
      return sessions === 0 ? days : [...days, `${sessions} sessions of the index`];
    },
  });
}
