/**
 * Orders to adjudicate sessions, or to count them again, taken from each project in turn. A failed batch is repeated smaller, and grows again with success. An
 * order that fails alone goes to the end of its project and rests, because it would otherwise block every round.
 */
import { createBatchSize } from '../../stores/database/batch-size.js';
import { type Database, keysAreLookedUp, type Queryable } from '../../stores/database/port.js';
import { nameOf, type SessionName, sessionOf } from './session-subjects.js';

type Work<T> = (tx: Queryable, sessions: readonly SessionName[]) => Promise<T>;

export interface WorkOrders {
  /**
   * Takes the next orders and does `work` for their sessions in one transaction; null if none is free. Rejects with the failure; the next
   * call takes fewer.
   */
  next<T>(work: Work<T>): Promise<T | null>;
}

const ordersMax = 500;
const restMs = 60_000;
/** Orders that rest at once; beyond it the one that has rested longest is tried again. */
const restingMax = 1_000;

export function createWorkOrders(
  database: Database,
  batchMax: number = ordersMax,
  table: OrderTable = 'adjudication_work',
): WorkOrders {
  const size = createBatchSize(batchMax);
  let after = '';
  const resting = createResting();
  const free = (): Orders => waitingBut(table, resting.ids());
  const workOff = <T>(waiting: Orders, projects: readonly string[], work: Work<T>) =>
    database.transaction(
      async (tx) => {
        const sessions = await takeOrders(tx, waiting, projects, size.current());
        return sessions.length === 0 ? null : work(tx, sessions);
      },
      { opening: keysAreLookedUp },
    );
  return {
    async next(work) {
      try {
        const waiting = free();
        // Mostly nothing waits: that is seen without a transaction.
        const turn = await nextInTurn(database, waiting, after, size.current());
        const result = turn.projects.length === 0 ? null : await workOff(waiting, turn.projects, work);
        after = turn.next;
        size.succeeded();
        return result;
      } catch (error) {
        if (size.current() === 1) resting.add(await postpone(database, after, free()));
        size.failed(batchMax);
        throw error;
      }
    },
  };
}

/** Orders of this process that failed alone, for a while. */
function createResting() {
  const untilMs = new Map<number, number>();
  return {
    ids: (): readonly number[] => {
      for (const [id, endMs] of untilMs) if (endMs <= performance.now()) untilMs.delete(id);
      return [...untilMs.keys()];
    },
    add: (id: number | null): void => {
      const [oldest] = untilMs.keys();
      if (oldest !== undefined && untilMs.size >= restingMax) untilMs.delete(oldest);
      if (id !== null) untilMs.set(id, performance.now() + restMs);
    },
  };
}

const waitingBut = (table: OrderTable, ids: readonly number[]): Orders => ({
  table,
  where: ids.length === 0 ? 'true' : `work_id NOT IN (${ids.join()})`,
});

/** Moves the next order to the end and returns its new number. What fails here failed the work too, which reports it. */
async function postpone(database: Database, after: string, waiting: Orders): Promise<number | null> {
  const { table, where } = waiting;
  const { projects } = await nextInTurn(database, waiting, after, 1).catch(() => ({ projects: [] }));
  const rows = await database
    .query<{ id: number }>(
      `UPDATE ${table} SET work_id = nextval(pg_get_serial_sequence('${table}', 'work_id'))
        WHERE work_id = (SELECT work_id FROM ${table} WHERE namespace = ANY($1::text[]) AND ${where} ORDER BY work_id LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING work_id AS id`,
      [projects],
    )
    .catch(() => []);
  return rows[0]?.id ?? null;
}

/** Projects that are served in one go. */
const projectsMax = 50;

export interface Turn {
  readonly projects: readonly string[];
  /** Where the next turn goes on. */
  readonly next: string;
}

type OrderTable = 'adjudication_work' | 'label_work';

export interface WaitingIn {
  /** An index of it begins with namespace. */
  readonly table: OrderTable | 'history';
  /** What else holds of a row that waits. */
  readonly where: string;
}

type Orders = WaitingIn & { readonly table: OrderTable };

/** At most `max` projects after `after`, else from the first on: a backlog delays no other project, and each costs one index lookup. */
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
  { table, where }: WaitingIn,
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
 * Takes up to `max` free orders of these projects, an equal share of each, oldest first. Returns their sessions, each once and in one
 * order for all who lock them.
 */
async function takeOrders(
  tx: Queryable,
  { table, where }: Orders,
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
