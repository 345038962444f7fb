/**
 * Flags of sessions. Each is raised once for a session, its type and its question, whichever instance sees it again, and is kept as the
 * event that went to webhooks. Sessions are found by a keyed hash of their id.
 */
import type { SessionMode } from '../../contract/common.js';
import type { FlagEvent } from '../../contract/session-event.js';
import { cutPage, type Page, type PageOf } from '../../kernel/paging.js';
import type { Queryable, SqlValue } from '../../stores/database/port.js';
import {
  dropOverAge,
  startRetentionRounds,
  type RetentionRounds,
  type RoundsDeps,
} from '../../stores/database/retention.js';

export interface FlaggedSession {
  readonly organizationId: string;
  readonly projectId: string;
  readonly mode: SessionMode;
  /** Keyed hash of the session’s id. */
  readonly sessionRef: string;
}

export interface NamedFlag {
  /** Keyed hash of its type and question. */
  readonly ref: string;
  readonly event: FlagEvent;
}

/** Flags of one session; a page that invents questions raises no more. */
const flagsPerSessionMax = 100;

/** Takes flags that the session has not raised yet; answers the references of these. In the transaction that writes their events. */
export async function takeFlags(
  tx: Queryable,
  { organizationId, projectId, mode, sessionRef }: FlaggedSession,
  flags: readonly NamedFlag[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  // In one order everywhere: whoever takes the same flags at the same moment waits and does not deadlock.
  const byRef = [...new Map(flags.map((flag) => [flag.ref, flag.event]))].sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = await tx.query<{ flag_ref: string }>(
    `INSERT INTO session_flags (organization_id, project_id, mode, session_ref, flag_ref, event_id, event_type, event, flagged_at)
     SELECT $1, $2, $3, $4, flag.ref, flag.event_id, flag.event_type, flag.event, $9
       FROM unnest($5::text[], $6::text[], $7::text[], $8::text[]) AS flag (ref, event_id, event_type, event)
      WHERE (SELECT count(*) FROM session_flags WHERE project_id = $2 AND session_ref = $4) < ${flagsPerSessionMax}
      ORDER BY flag.ref
     ON CONFLICT DO NOTHING RETURNING flag_ref`,
    [
      ...[organizationId, projectId, mode, sessionRef],
      byRef.map(([ref]) => ref),
      byRef.map(([, event]) => event.eventId),
      byRef.map(([, event]) => event.type),
      byRef.map(([, event]) => JSON.stringify(event)),
      new Date(nowMs),
    ],
  );
  return new Set(rows.map((row) => row.flag_ref));
}

export interface FlagFilter {
  readonly projectId: string;
  readonly mode: SessionMode;
  readonly type?: FlagEvent['type'] | undefined;
  readonly sessionRef?: string | undefined;
}

/** A page of a project’s flags, the newest first. */
export async function listFlags(
  tx: Queryable,
  { projectId, mode, type, sessionRef }: FlagFilter,
  page: Page,
): Promise<PageOf<FlagEvent>> {
  const values: SqlValue[] = [projectId, mode, page.below, type ?? null, sessionRef ?? null];
  const rows = await tx.query<{ event_id: string; event: string }>(
    `SELECT event_id, event FROM session_flags
      WHERE project_id = $1 AND mode = $2 AND ($3::text IS NULL OR event_id < $3)
        AND ($4::text IS NULL OR event_type = $4) AND ($5::text IS NULL OR session_ref = $5)
      ORDER BY event_id DESC LIMIT ${page.limit + 1}`,
    values,
  );
  const { items, nextCursor } = cutPage(rows, page.limit, (row) => row.event_id);
  return { items: items.map(({ event }) => JSON.parse(event) as FlagEvent), nextCursor };
}

/** Flags of sessions: $1 the project, $2 references of the sessions. */
export const flagsOf = 'project_id = $1 AND session_ref = ANY($2::text[])';

/** Deletes the flags of sessions by their references. */
export const eraseFlags = async (tx: Queryable, projectId: string, sessionRefs: readonly string[]): Promise<void> =>
  void (await tx.query(`DELETE FROM session_flags WHERE ${flagsOf}`, [projectId, [...sessionRefs]]));

/** Longer than any session goes on: then none can raise the flag again. */
export const flagLifetime = { table: 'session_flags', column: 'flagged_at', keepDays: 7 } as const;

export const startFlagRetention = (deps: RoundsDeps): RetentionRounds =>
  startRetentionRounds({
    ...deps,
    what: 'flags of sessions',
    drop: (nowMs, isStopping) => dropOverAge(deps.database, flagLifetime, nowMs, isStopping),
  });
