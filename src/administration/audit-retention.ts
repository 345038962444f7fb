/**
 * Deletes entries of the audit trail past their retention, of every organization.
 */
import type { Database } from '../stores/database/port.js';
import {
  deleteInBatches,
  guardByColumn,
  startRetentionRounds,
  type RetentionRounds,
  type RoundsDeps,
} from '../stores/database/retention.js';

const dayMs = 86_400_000;

/** Deletes what is older at `nowMs`; resolves to the number of entries. */
export function dropExpiredAuditEntries(database: Database, nowMs: number, retentionDays: number): Promise<number> {
  return deleteInBatches(database, {
    table: 'audit_entries',
    where: 'at < $1',
    values: [new Date(nowMs - retentionDays * dayMs)],
  });
}

export function startAuditRetention(deps: RoundsDeps & { readonly retentionDays: number }): RetentionRounds {
  const { database, retentionDays } = deps;
  return startRetentionRounds({
    ...deps,
    what: 'audit entries',
    guard: guardByColumn(database, { table: 'audit_entries', column: 'at', keepDays: retentionDays }),
    drop: (nowMs) => dropExpiredAuditEntries(database, nowMs, retentionDays),
  });
}
