/**
 * Orders to work out sessions' adjudications anew, taken in turn from every project that has some. A batch that fails is made smaller, since the
 * likeliest reason is that it took too long; one that succeeds lets the next be larger again. An order that fails alone goes behind the others of
 * its project and rests: one that can never be done (a session with a million events) would otherwise be in the first batch of every round, and no
 * project would get past it.
 */
import { keysAreLookedUp } from '../../stores/database/by-key.js';
import { createBatchSize } from '../../stores/database/batch-size.js';
import type { Database, Queryable } from '../../stores/database/port.js';
import type { SessionName } from './session-subjects.js';
import { nextInTurn, takeOrders, type WaitingIn } from './waiting-projects.js';

type Work<T> = (tx: Queryable, sessions: readonly SessionName[]) => Promise<T>;

export interface WorkOrders {
  /**
   * Takes the next orders and does `work` for their sessions (each once, in one order) in the transaction that takes them. null where none waits,
   * or where others have them in hand. Rejects with what went wrong; the next call then takes fewer.
   */
  next<T>(work: Work<T>): Promise<T | null>;
}

const ordersMax = 500;
const restMs = 60_000;
/** Orders that rest at once; beyond it the one that has rested longest is tried again. */
const restingMax = 1_000;

export function createWorkOrders(database: Database, batchMax: number = ordersMax): WorkOrders {
  const size = createBatchSize(batchMax);
  let after = '';
  const resting = createResting();
  const workOff = <T>(waiting: ReturnType<typeof waitingBut>, projects: readonly string[], work: Work<T>) =>
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
        const waiting = waitingBut(resting.ids());
        // Mostly nothing waits: that is seen without a transaction.
        const turn = await nextInTurn(database, waiting, after, size.current());
        const result = turn.projects.length === 0 ? null : await workOff(waiting, turn.projects, work);
        after = turn.next;
        size.succeeded();
        return result;
      } catch (error) {
        if (size.current() === 1) resting.add(await postpone(database, after, waitingBut(resting.ids())));
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

const waitingBut = (ids: readonly number[]) => ({
  table: 'adjudication_work' as const,
  where: ids.length === 0 ? 'true' : `work_id NOT IN (${ids.join()})`,
});

/** The order that is next goes to the end; answers its new number. What hinders this hindered the work too, and is told by that. */
async function postpone(database: Database, after: string, waiting: WaitingIn): Promise<number | null> {
  const { projects } = await nextInTurn(database, waiting, after, 1).catch(() => ({ projects: [] }));
  const rows = await database
    .query<{ id: number }>(
      `UPDATE adjudication_work SET work_id = nextval(pg_get_serial_sequence('adjudication_work', 'work_id'))
        WHERE work_id = (SELECT work_id FROM adjudication_work WHERE namespace = ANY($1::text[]) AND ${waiting.where} ORDER BY work_id LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING work_id AS id`,
      [projects],
    )
    .catch(() => []);
  return rows[0]?.id ?? null;
}
