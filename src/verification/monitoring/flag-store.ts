/**
 * Which flags were raised of which session. Raising takes a row that only one transaction gets, so that of instances that see the same thing
 * at the same moment one raises it.
 */
import { deleteInBatches } from '../../stores/database/retention.js';
import type { Database, Queryable } from '../../stores/database/port.js';

export interface FlaggedSession {
  readonly organizationId: string;
  readonly projectId: string;
  /** Keyed hash of the session’s id. */
  readonly sessionRef: string;
}

/** Flags of one session; a page that invents questions raises no more. */
const flagsPerSessionMax = 100;
/** Longer than any session goes on. */
const flagKeepDays = 7;

const dayMs = 86_400_000;

/** Takes flags that the session has not raised yet; answers which of them these are. In the transaction that writes their events. */
export async function takeFlags(
  tx: Queryable,
  { organizationId, projectId, sessionRef }: FlaggedSession,
  flagRefs: readonly string[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  // In one order everywhere: whoever takes the same flags at the same moment waits and does not deadlock.
  const rows = await tx.query<{ flag_ref: string }>(
    `INSERT INTO session_flags (organization_id, project_id, session_ref, flag_ref, flagged_at)
     SELECT $1, $2, $3, ref, $5 FROM unnest($4::text[]) AS ref
      WHERE (SELECT count(*) FROM session_flags WHERE project_id = $2 AND session_ref = $3) < ${flagsPerSessionMax}
      ORDER BY ref
     ON CONFLICT DO NOTHING RETURNING flag_ref`,
    [organizationId, projectId, sessionRef, [...new Set(flagRefs)].sort(), new Date(nowMs)],
  );
  return new Set(rows.map((row) => row.flag_ref));
}

/** Deletes what no session can raise any more; resolves to the number of flags. */
export const dropOldFlags = (database: Database, nowMs: number): Promise<number> =>
  deleteInBatches(database, {
    table: 'session_flags',
    where: 'flagged_at < $1',
    values: [new Date(nowMs - flagKeepDays * dayMs)],
  });
