/**
 * Whose work is next: organizations take turns, then the projects of each. A backlog delays no other organization, however many projects it is
 * spread over; each project that waits costs one index lookup.
 */
import { createBoundedCache } from '../../bounded-cache.js';
import { splitNamespace } from '../../stores/counters/namespace.js';
import type { Queryable } from '../../stores/database/port.js';

export interface WaitingIn {
  /** An index of it begins with namespace. */
  readonly table: 'adjudication_work' | 'label_work' | 'history' | 'watched_verdicts';
  /** Further conditions for a waiting row. */
  readonly where: string;
}

/** Projects that are served in one go, and of each how many rows. */
export interface Turn {
  readonly projects: readonly string[];
  readonly shares: readonly number[];
  /** Notes that they were served. */
  end(): void;
}

interface WaitingProject {
  readonly project: string;
  readonly organization: string;
}

const projectsMax = 50;
const listedMax = 1_000;
const organizationsMax = 10_000;

/** Answers who is next, with `max` rows for all of them; the same until the turn ends. Nothing waits: no projects. */
export type NextTurn = (tx: Queryable, waiting: WaitingIn, max: number) => Promise<Turn>;

export function createTurns(): NextTurn {
  /** For each organization, the time of its last turn and its last project. */
  const served = createBoundedCache<{ readonly at: number; readonly project: string }>(organizationsMax);
  let [after, turns] = ['', 0];

  return async function next(tx, waiting, max) {
    const listed = await listAfter(tx, waiting, after);
    if (listed.length === 0 && after !== '') {
      after = '';
      return next(tx, waiting, max);
    }
    const groups = [...groupByOrganization(listed)]
      .sort(([a], [b]) => (served.peek(a)?.at ?? 0) - (served.peek(b)?.at ?? 0))
      .slice(0, Math.min(max, projectsMax));
    const share = Math.ceil(max / groups.length);
    const chosen = groups.map(([organization, own]) =>
      rotate(own, served.peek(organization)?.project ?? '').slice(
        0,
        Math.min(share, Math.ceil(projectsMax / groups.length)),
      ),
    );
    return {
      projects: chosen.flat(),
      shares: chosen.flatMap((own) => own.map(() => Math.ceil(share / own.length))),
      end: () => {
        turns += 1;
        groups.forEach(([organization], index) =>
          served.set(organization, { at: turns, project: chosen[index]?.at(-1) ?? '' }),
        );
        after = listed.length < listedMax ? '' : (listed.at(-1)?.project ?? '');
      },
    };
  };
}

function groupByOrganization(listed: readonly WaitingProject[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { organization, project } of listed) {
    const own = groups.get(organization) ?? [];
    own.push(project);
    groups.set(organization, own);
  }
  return groups;
}

/** Begins with the first after the last that was served. */
function rotate(projects: readonly string[], last: string): readonly string[] {
  const from = projects.findIndex((project) => project > last);
  return from <= 0 ? projects : [...projects.slice(from), ...projects.slice(0, from)];
}

async function listAfter(
  tx: Queryable,
  { table, where }: WaitingIn,
  after: string,
): Promise<readonly WaitingProject[]> {
  const first = (than: string): string =>
    `SELECT namespace FROM ${table} WHERE namespace > ${than} AND ${where} ORDER BY namespace LIMIT 1`;
  const rows = await tx.query<{ namespace: string; organization: string | null }>(
    `WITH RECURSIVE waiting (namespace) AS (
       (${first('$1')}) UNION ALL
       SELECT later.namespace FROM waiting, LATERAL (${first('waiting.namespace')}) AS later)
     SELECT listed.namespace, p.organization_id AS organization FROM (SELECT namespace FROM waiting LIMIT ${listedMax}) AS listed
       LEFT JOIN projects p ON p.project_id = split_part(listed.namespace, '~', 1) ORDER BY listed.namespace`,
    [after],
  );
  return rows.map(({ namespace, organization }) => ({
    project: namespace,
    organization: organization ?? splitNamespace(namespace).holder,
  }));
}
