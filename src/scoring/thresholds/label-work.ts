/**
 * Works off the orders of the score distribution: sessions whose outcomes changed, and sessions whose receipts the recorder could not count. A batch
 * at a time, in turn from every project that has some, so that the back-fill of one holds up no other. A batch is one transaction: killed, it
 * is done again.
 */
import { keysAreLookedUp } from '../../stores/database/by-key.js';
import type { Database } from '../../stores/database/port.js';
import { nextInTurn, takeOrders } from '../outcomes/waiting-projects.js';
import { relabelSessions } from './distribution-store.js';
import { recountSessions, type RecountDeps } from './recount.js';

const ordersMax = 500;

export interface LabelWork {
  /** Works off a batch; answers of how many sessions. 0: none waits, or others have them in hand. */
  next(): Promise<number>;
}

export interface LabelWorkDeps extends RecountDeps {
  readonly database: Database;
}

export function createLabelWork(deps: LabelWorkDeps, batchMax: number = ordersMax): LabelWork {
  let after = '';
  return {
    async next() {
      const turn = await nextInTurn(deps.database, { table: 'label_work' }, after, batchMax);
      const taken = turn.projects.length === 0 ? 0 : await workOff(deps, turn.projects, batchMax);
      after = turn.next;
      return taken;
    },
  };
}

const workOff = (deps: LabelWorkDeps, projects: readonly string[], batchMax: number): Promise<number> =>
  deps.database.transaction(
    async (tx) => {
      const sessions = await takeOrders(tx, { table: 'label_work' }, projects, batchMax);
      if (sessions.length === 0) return 0;
      await recountSessions(tx, sessions, deps);
      await relabelSessions(tx, sessions);
      return sessions.length;
    },
    { opening: keysAreLookedUp },
  );
