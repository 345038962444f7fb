/**
 * Projects that have something waiting in a table, in turn: so that one with a long backlog does not hold up the others. Each is found by one
 * look into an index that begins with the project, however much of it waits.
 */
import type { Queryable } from '../../stores/database/port.js';

/** Projects that are served in one go. */
const projectsMax = 50;

export interface Turn {
  readonly projects: readonly string[];
  /** Where the next turn goes on. */
  readonly next: string;
}

export interface WaitingIn {
  /** An index of it begins with project_id. */
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
    `SELECT project_id FROM ${table} WHERE project_id > ${than} AND ${where} ORDER BY project_id LIMIT 1`;
  const rows = await tx.query<{ namespace: string }>(
    `WITH RECURSIVE waiting (project_id) AS (
       (${first('$1')}) UNION ALL
       SELECT later.project_id FROM waiting, LATERAL (${first('waiting.project_id')}) AS later)
     SELECT project_id AS namespace FROM waiting LIMIT ${count}`,
    [after],
  );
  return rows.map((row) => row.namespace);
}
