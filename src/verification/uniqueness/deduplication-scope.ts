/**
 * In which scope a session is compared, and since when a participation blocks. Decided for each session from the projects’ current
 * settings: a project that joins a group brings its earlier participants along, one that leaves takes them with it.
 */
import { dayMs } from '../../kernel/calendar-day.js';
import type { Deduplication } from '../../contract/project-parts.js';
import type { Queryable } from '../../stores/database/port.js';
import type { Scope } from './fingerprint-store.js';

export interface Deduplicated {
  readonly organizationId: string;
  readonly projectId: string;
  readonly studyId: string | null;
  readonly dataCollector: string | null;
  readonly deduplication: Deduplication;
}

/** Most projects of a group that are looked at. */
const projectsMax = 10_000;

/** A participation that ended at this time or later blocks; -Infinity: each one does. */
export function blockedSince({ reEligibilityDays }: Deduplication, nowMs: number): number {
  return reEligibilityDays == null ? Number.NEGATIVE_INFINITY : nowMs - reEligibilityDays * dayMs;
}

/** Reads the projects of a group, where there is one, in a transaction of the organization; the session’s own is always among them. */
export async function resolveScope(
  inTenant: <T>(work: (tx: Queryable) => Promise<T>) => Promise<T>,
  session: Deduplicated,
): Promise<Scope> {
  const { organizationId, projectId, studyId, dataCollector, deduplication } = session;
  const { scope, groupId, perDataCollector } = deduplication;
  const group =
    scope === 'group' && groupId !== undefined ? await inTenant((tx) => projectsOf(tx, organizationId, groupId)) : [];
  return {
    organizationId,
    projectIds: [...new Set([projectId, ...group])],
    studyId: scope === 'study' ? studyId : undefined,
    dataCollector: perDataCollector === true ? dataCollector : undefined,
  };
}

async function projectsOf(tx: Queryable, organizationId: string, groupId: string): Promise<readonly string[]> {
  const rows = await tx.query<{ project_id: string }>(
    `SELECT project_id FROM projects
     WHERE organization_id = $1 AND fields #>> '{config,deduplication,scope}' = 'group' AND fields #>> '{config,deduplication,groupId}' = $2
     ORDER BY project_id LIMIT ${projectsMax}`,
    [organizationId, groupId],
  );
  return rows.map((row) => row.project_id);
}

/** These locks, in this order, let the second of two completions in one scope see the first. */
export function locksOf({ organizationId, projectId, deduplication }: Deduplicated): readonly string[] {
  const { scope, groupId } = deduplication;
  const project = `fingerprints:project:${projectId}`;
  return scope === 'group' && groupId !== undefined
    ? [project, `fingerprints:group:${organizationId}:${groupId}`]
    : [project];
}

/** This lock follows those. It lets the second of two completions of one respondent see the first. */
export function respondentLockOf(session: Deduplicated, respondentId: string): string {
  return `${locksOf(session).at(-1)}:respondent:${respondentId}`;
}

/** This lock is the last. It lets the second of two completions on one device see the first. */
export function deviceLockOf(session: Deduplicated, deviceRef: string): string {
  return `${locksOf(session).at(-1)}:device:${deviceRef}`;
}
