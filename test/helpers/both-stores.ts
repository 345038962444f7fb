/** Runs the same tests on an embedded database and, if the real stores run, on PostgreSQL. */
import type { Test } from 'tap';
import type { Database } from '../../src/stores/database/port.js';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import { shared } from '../../src/stores/database/shares.js';
import { openTestDatabase } from './embedded.js';
import { createDatabase, findStack } from './stores.js';

export interface TestStore {
  readonly database: Database;
  /** Opens another handle of the same database, as another instance has one; embedded, it is the same. */
  readonly another: (deadlineMs: number) => Promise<Database>;
}

const poolMax = 10;
const deadlineMsDefault = 30_000;

/** `subject` is left out if no stack runs. `open` makes a fresh database, which goes when its test ends. */
export function onBothStores(
  t: Test,
  subject: string,
  run: (t: Test, open: (t: Test) => Promise<TestStore>) => void,
): void {
  t.test('embedded', (t) => {
    run(t, async (t) => {
      const database = await openTestDatabase(t);
      return { database, another: () => Promise.resolve(database) };
    });
    t.end();
  });
  const stack = findStack(t, `${subject} on PostgreSQL`);
  if (stack === null) return;
  t.test('PostgreSQL', (t) => {
    run(t, async (t) => {
      const url = await createDatabase(t, stack);
      const another = async (deadlineMs: number): Promise<Database> => {
        const database = await openPostgres({ url, poolMax, deadlineMs });
        t.teardown(() => database.close());
        return shared(database, { connections: poolMax, waitMsMax: deadlineMs });
      };
      return { database: await another(deadlineMsDefault), another };
    });
    t.end();
  });
}
