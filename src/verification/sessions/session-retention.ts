/**
 * Deletes sessions past their retention, and what is kept of their faces and devices. A round takes a batch at a time until nothing is left;
 * one that fails is repeated an hour later. Rounds of several instances share the work. It goes by the database’s clock, so that a wrong clock
 * here deletes nothing.
 */
import type { Database } from '../../stores/database/port.js';
import { startRetentionRounds, type RetentionRounds } from '../../stores/database/retention.js';
import { inOrganization } from '../../stores/database/tenant.js';
import type { Logger } from '../../telemetry/logger.js';
import { eraseFingerprints } from '../uniqueness/fingerprint-store.js';

const batchMax = 500;

export interface SessionRetentionDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly retentionDays: number;
}

/** Deletes what is due; answers how many sessions. */
export async function dropExpiredSessions(
  database: Database,
  retentionDays: number,
  isStopping: () => boolean = () => false,
): Promise<number> {
  let total = 0;
  for (let taken = batchMax; taken === batchMax && !isStopping();) {
    const due = await database.query<{ session_id: string; organization_id: string }>(
      `SELECT session_id, organization_id FROM verification_sessions
        WHERE created_at < now() - make_interval(days => $1::int) ORDER BY created_at LIMIT ${batchMax}`,
      [retentionDays],
    );
    for (const organizationId of new Set(due.map((row) => row.organization_id))) {
      const ids = due.filter((row) => row.organization_id === organizationId).map((row) => row.session_id);
      await inOrganization(database, organizationId, async (tx) => {
        await eraseFingerprints(tx, organizationId, ids);
        await tx.query('DELETE FROM verification_sessions WHERE session_id = ANY($1::text[])', [ids]);
      });
    }
    taken = due.length;
    total += taken;
  }
  return total;
}

/** Looks at once and then every hour; the answer stops it. */
export function startSessionRetention({ database, logger, retentionDays }: SessionRetentionDeps): RetentionRounds {
  return startRetentionRounds({
    logger,
    what: 'verification sessions',
    drop: (isStopping) => dropExpiredSessions(database, retentionDays, isStopping),
  });
}
