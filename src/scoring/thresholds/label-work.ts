/**
 * Sessions whose outcomes changed, and with them the label under which the score mix counts them: worked off a batch at a time, in turn from every
 * project that has some, so that the back-fill of one holds up no other. A batch is one transaction: killed, it is done again.
 */
import { keysAreLookedUp } from '../../stores/database/by-key.js';
import type { Database } from '../../stores/database/port.js';
import { nextInTurn, takeOrders } from '../outcomes/waiting-projects.js';
import { relabelSessions } from './mix-store.js';

const ordersMax = 500;

export interface LabelWork {
  /** Works off a batch; answers of how many sessions. 0: none waits, or others have them in hand. */
  next(): Promise<number>;
}

export function createLabelWork(database: Database, batchMax: number = ordersMax): LabelWork {
  let after = '';
  return {
    async next() {
      const turn = await nextInTurn(database, { table: 'label_work' }, after, batchMax);
      const taken = turn.projects.length === 0 ? 0 : await workOff(database, turn.projects, batchMax);
      after = turn.next;
      return taken;
    },
  };
}

const workOff = (database: Database, projects: readonly string[], batchMax: number): Promise<number> =>
  database.transaction(
    async (tx) => {
      const sessions = await takeOrders(tx, { table: 'label_work' }, projects, batchMax);
      if (sessions.length > 0) await relabelSessions(tx, sessions);
      return sessions.length;
    },
    { opening: keysAreLookedUp },
  );
