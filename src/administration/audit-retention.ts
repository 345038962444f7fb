/**
 * Deletes entries of the audit trail past their retention, of every organization.
 */
import type { Database } from '../stores/database/port.js';
import { deleteInBatches, startRetentionRounds, type RetentionRounds } from '../stores/database/retention.js';
import type { Logger } from '../telemetry/logger.js';

const dayMs = 86_400_000;

export interface AuditRetentionDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly now: () => number;
  readonly retentionDays: number;
}

/** Deletes what is older at `nowMs`; resolves to the number of entries. */
export function dropExpiredAuditEntries(database: Database, nowMs: number, retentionDays: number): Promise<number> {
  return deleteInBatches(database, {
    table: 'audit_entries',
    where: 'at < $1',
    values: [new Date(nowMs - retentionDays * dayMs)],
  });
}

export function startAuditRetention({ database, logger, now, retentionDays }: AuditRetentionDeps): RetentionRounds {
  return startRetentionRounds({
    logger,
    what: 'audit entries',
    drop: () => dropExpiredAuditEntries(database, now(), retentionDays),
  });
}
