/**
 * Deletes sessions past their retention, and what is kept of their faces and devices. A round takes a batch at a time until nothing is left;
 * one that fails is repeated an hour later. Rounds of several instances share the work.
 */
import type { Database } from '../../stores/database/port.js';
import { inOrganization } from '../../stores/database/tenant.js';
import type { Logger } from '../../telemetry/logger.js';
import { eraseFingerprints } from '../uniqueness/fingerprint-store.js';

const dayMs = 86_400_000;
const everyMs = 3_600_000;
const batchMax = 500;

export interface SessionRetentionDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly now: () => number;
  readonly retentionDays: number;
}

/** Deletes what is due; answers how many sessions. */
async function deleteExpiredSessions(
  { database, now, retentionDays }: SessionRetentionDeps,
  isStopping: () => boolean = () => false,
): Promise<number> {
  const before = new Date(now() - retentionDays * dayMs);
  let total = 0;
  for (let taken = batchMax; taken === batchMax && !isStopping();) {
    const due = await database.query<{ session_id: string; organization_id: string }>(
      `SELECT session_id, organization_id FROM verification_sessions WHERE created_at < $1 ORDER BY created_at LIMIT ${batchMax}`,
      [before],
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
export function startSessionRetention(deps: SessionRetentionDeps): { stop(): Promise<void> } {
  let isStopping = false;
  let running: Promise<void> = Promise.resolve();
  const look = (): void => {
    running = deleteExpiredSessions(deps, () => isStopping).then(
      (deleted) => void (deleted > 0 && deps.logger.info({ deleted }, 'sessions past their retention were deleted')),
      (error: unknown) =>
        deps.logger.warn({ err: error }, 'sessions past their retention were not deleted; the next round does it'),
    );
  };
  look();
  const timer = setInterval(look, everyMs);
  timer.unref();
  return {
    stop: () => {
      isStopping = true;
      clearInterval(timer);
      return running;
    },
  };
}
