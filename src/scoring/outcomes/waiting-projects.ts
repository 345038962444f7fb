/**
 * Projects that have something waiting in a table, in turn: so that one with a long backlog does not hold up the others. Each is found by one
 * look into an index that begins with the project, however much of it waits.
 */
import type { Queryable } from '../../stores/database/port.js';
import { nameOf, sessionOf, type SessionName } from './session-subjects.js';

/** Projects that are served in one go. */
const projectsMax = 50;

export interface Turn {
  readonly projects: readonly string[];
  /** Where the next turn goes on. */
  readonly next: string;
}

export interface WaitingIn {
  /** An index of it begins with namespace. */
  readonly table: 'adjudication_work' | 'history' | 'label_work';
  /** What else holds of a row that waits. */
  readonly where?: string;
}

/** At most `max` projects that come after `after`, or, where there is none, from the first one on. */
export async function nextInTurn(
  tx: Queryable,
  waiting: WaitingIn,
  after: string,
  max: number = projectsMax,
): Promise<Turn> {
  const count = Math.min(max, projectsMax);
  const projects = await listAfter(tx, waiting, after, count);
  if (projects.length === 0 && after !== '') return nextInTurn(tx, waiting, '', max);
  return { projects, next: projects.length < count ? '' : (projects.at(-1) ?? '') };
}

async function listAfter(
  tx: Queryable,
  { table, where = 'true' }: WaitingIn,
  after: string,
  count: number,
): Promise<readonly string[]> {
  const first = (than: string): string =>
    `SELECT namespace FROM ${table} WHERE namespace > ${than} AND ${where} ORDER BY namespace LIMIT 1`;
  const rows = await tx.query<{ namespace: string }>(
    `WITH RECURSIVE waiting (namespace) AS (
       (${first('$1')}) UNION ALL
       SELECT later.namespace FROM waiting, LATERAL (${first('waiting.namespace')}) AS later)
     SELECT namespace FROM waiting LIMIT ${count}`,
    [after],
  );
  return rows.map((row) => row.namespace);
}

/**
 * Takes up to `max` orders of these projects, an equal share of each and the oldest first; those that another transaction has in hand are passed over.
 * Answers their sessions, each once and in one order for all who lock them.
 */
export async function takeOrders(
  tx: Queryable,
  { table, where = 'true' }: WaitingIn & { readonly table: 'adjudication_work' | 'label_work' },
  projects: readonly string[],
  max: number,
): Promise<readonly SessionName[]> {
  const rows = await tx.query<{ namespace: string; session_ref: string }>(
    `DELETE FROM ${table} WHERE work_id IN (
       SELECT own.work_id FROM unnest($1::text[]) AS project, LATERAL (
         SELECT work_id FROM ${table} WHERE namespace = project AND ${where} ORDER BY work_id LIMIT $2 FOR UPDATE SKIP LOCKED) AS own)
     RETURNING namespace, session_ref`,
    [projects, Math.ceil(max / projects.length)],
  );
  const sessions = new Map(
    rows.map((row) => {
      const session = sessionOf(row);
      return [nameOf(session), session] as const;
    }),
  );
  return [...sessions].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, session]) => session);
}
