/**
 * Deletes sessions past their retention, and what is kept of their faces and devices, by the database’s clock and a batch at a time. Devices of
 * camera checks that were never finished go as their sessions expire. Rounds of several instances share the work.
 */
import { dayMs } from '../../kernel/calendar-day.js';
import type { Database } from '../../stores/database/port.js';
import {
  guardByColumn,
  startRetentionRounds,
  type RetentionRounds,
  type RoundsDeps,
} from '../../stores/database/retention.js';
import { inOrganization } from '../../stores/database/tenant.js';
import { eraseFingerprints } from '../uniqueness/fingerprint-store.js';

const batchMax = 500;

/** Deletes what is due at `nowMs`; answers how many sessions. */
export async function dropExpiredSessions(
  database: Database,
  nowMs: number,
  retentionDays: number,
  isStopping: () => boolean = () => false,
): Promise<number> {
  return repeat(isStopping, async () => {
    const due = await database.query<{ session_id: string; organization_id: string }>(
      `SELECT session_id, organization_id FROM verification_sessions
        WHERE created_at < $1 ORDER BY created_at LIMIT ${batchMax}`,
      [new Date(nowMs - retentionDays * dayMs)],
    );
    for (const organizationId of new Set(due.map((row) => row.organization_id))) {
      const ids = due.filter((row) => row.organization_id === organizationId).map((row) => row.session_id);
      await inOrganization(database, organizationId, async (tx) => {
        await eraseFingerprints(tx, organizationId, ids);
        await tx.query('DELETE FROM verification_sessions WHERE session_id = ANY($1::text[])', [ids]);
      });
    }
    return due.length;
  });
}

/** Repeats work until it takes less than a batch; answers the sum. */
async function repeat(isStopping: () => boolean, work: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let taken = batchMax; taken === batchMax && !isStopping(); total += taken) taken = await work();
  return total;
}

export function startSessionRetention(deps: RoundsDeps & { readonly retentionDays: number }): RetentionRounds {
  const { database, retentionDays } = deps;
  return startRetentionRounds({
    ...deps,
    what: 'verification sessions',
    guard: guardByColumn(database, { table: 'verification_sessions', column: 'created_at', keepDays: retentionDays }),
    drop: (nowMs, isStopping) => dropExpiredSessions(database, nowMs, retentionDays, isStopping),
  });
}

/** Forgets the device, input and network that asked for a camera check, in sessions that expired before they ended; answers in how many. */
export async function forgetUnfinishedChecks(
  database: Database,
  nowMs: number,
  isStopping: () => boolean = () => false,
): Promise<number> {
  return repeat(isStopping, async () => {
    const rows = await database.query(
      `UPDATE verification_sessions SET passive_signals = NULL WHERE session_id IN
         (SELECT session_id FROM verification_sessions WHERE passive_signals IS NOT NULL AND expires_at < $1 LIMIT ${batchMax})
       RETURNING 1 AS one`,
      [new Date(nowMs)],
    );
    return rows.length;
  });
}

export function startUnfinishedCheckRetention(deps: RoundsDeps): RetentionRounds {
  return startRetentionRounds({
    ...deps,
    what: 'unfinished camera checks',
    drop: (nowMs, isStopping) => forgetUnfinishedChecks(deps.database, nowMs, isStopping),
  });
}
