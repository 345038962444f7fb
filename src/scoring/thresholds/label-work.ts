/**
 * Sessions whose outcomes changed, and with them the label under which the score mix counts them: worked off a batch at a time, in turn from every
 * project that has some, so that the back-fill of one holds up no other. A batch is one transaction: killed, it is done again.
 */
import type { Database } from '../../stores/database/port.js';
import { nextInTurn } from '../outcomes/waiting-projects.js';
import { relabelSessions, type SessionName } from './mix-store.js';

const ordersMax = 500;

export interface LabelWork {
  /** Works off a batch; answers how many orders it took. 0: none waits, or others have them in hand. */
  next(): Promise<number>;
}

export function createLabelWork(database: Database, batchMax: number = ordersMax): LabelWork {
  let after = '';
  return {
    async next() {
      const { turn, taken } = await database.transaction(async (tx) => {
        const projects = await nextInTurn(tx, { table: 'label_work' }, after, batchMax);
        if (projects.projects.length === 0) return { turn: projects, taken: 0 };
        const rows = await tx.query<{ namespace: string; session_ref: string }>(
          `DELETE FROM label_work WHERE work_id IN (
             SELECT own.work_id FROM unnest($1::text[]) AS project, LATERAL (
               SELECT work_id FROM label_work WHERE project_id = project ORDER BY work_id LIMIT $2 FOR UPDATE SKIP LOCKED) AS own)
           RETURNING project_id AS namespace, session_ref`,
          [projects.projects, Math.ceil(batchMax / projects.projects.length)],
        );
        const names = new Map<string, SessionName>(
          rows.map((row) => [
            `${row.namespace}\n${row.session_ref}`,
            { namespace: row.namespace, sessionRef: row.session_ref },
          ]),
        );
        if (names.size > 0) await relabelSessions(tx, [...names.values()]);
        return { turn: projects, taken: rows.length };
      });
      after = turn.next;
      return taken;
    },
  };
}
