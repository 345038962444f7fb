/**
 * Orders to adjudicate sessions, or to count them again, taken from each organization in turn. A failed batch is repeated smaller, and grows again with success. An
 * order that fails alone goes to the end of its project and rests, because it would otherwise block every round.
 */
import { createBatchSize } from '../../stores/database/batch-size.js';
import { type Database, keysAreLookedUp, type Queryable } from '../../stores/database/port.js';
import { nameOf, type SessionName, sessionOf } from './session-subjects.js';
import { createTurns, type NextTurn, type Turn, type WaitingIn } from './turns.js';

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
  const nextTurn = createTurns();
  const resting = createResting();
  const free = (): Orders => waitingBut(table, resting.ids());
  const workOff = <T>(waiting: Orders, turn: Turn, work: Work<T>) =>
    database.transaction(
      async (tx) => {
        const sessions = await takeOrders(tx, waiting, turn);
        return sessions.length === 0 ? null : work(tx, sessions);
      },
      { opening: keysAreLookedUp },
    );
  return {
    async next(work) {
      try {
        const waiting = free();
        // Mostly nothing waits: that is seen without a transaction.
        const turn = await nextTurn(database, waiting, size.current());
        const result = turn.projects.length === 0 ? null : await workOff(waiting, turn, work);
        turn.end();
        size.succeeded();
        return result;
      } catch (error) {
        if (size.current() === 1) resting.add(await postpone(database, nextTurn, free()));
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

/** Moves the next order to the end and returns its new number. A failure here also failed the work, which reports it. */
async function postpone(database: Database, nextTurn: NextTurn, waiting: Orders): Promise<number | null> {
  const { table, where } = waiting;
  const { projects } = await nextTurn(database, waiting, 1).catch(() => ({ projects: [] }));
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

type Orders = WaitingIn & { readonly table: OrderTable };
type OrderTable = Extract<WaitingIn['table'], `${string}_work`>;

/**
 * Takes free orders of these projects, of each its share, oldest first. Returns their sessions, each once and in one
 * order for all who lock them.
 */
async function takeOrders(
  tx: Queryable,
  { table, where }: Orders,
  { projects, shares }: Turn,
): Promise<readonly SessionName[]> {
  const rows = await tx.query<{ namespace: string; session_ref: string }>(
    `DELETE FROM ${table} WHERE work_id IN (
       SELECT own.work_id FROM unnest($1::text[], $2::int[]) AS turn (project, share), LATERAL (
         SELECT work_id FROM ${table} WHERE namespace = project AND ${where} ORDER BY work_id LIMIT share FOR UPDATE SKIP LOCKED) AS own)
     RETURNING namespace, session_ref`,
    [projects, shares],
  );
  const sessions = new Map(
    rows.map((row) => {
      const session = sessionOf(row);
      return [nameOf(session), session] as const;
    }),
  );
  return [...sessions].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, session]) => session);
}
