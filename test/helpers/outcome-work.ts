/** Outcomes carried into the history at once, without the consumer that does so in the service. */
import { readjudicate } from '../../src/scoring/outcomes/adjudication-work.js';
import { createWorkOrders } from '../../src/scoring/outcomes/work-orders.js';
import type { Database } from '../../src/stores/database/port.js';

/** Works off the orders there are; answers for how many sessions. */
export async function workOff(database: Database, batchMax?: number): Promise<number> {
  const orders = createWorkOrders(database, batchMax);
  let sessions = 0;
  for (;;) {
    const done = await orders.next(readjudicate);
    if (done === null) return sessions;
    sessions += done.sessions;
  }
}
