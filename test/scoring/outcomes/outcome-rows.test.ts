import t from 'tap';
import { insertOutcomes, sortRows, type OutcomeRow } from '../../../src/scoring/outcomes/outcome-rows.js';
import { migrate } from '../../../src/stores/database/migrate.js';
import { openPostgres } from '../../../src/stores/database/postgres.js';
import { createDatabase, findStack } from '../../helpers/stores.js';

t.setTimeout(120_000);
const rows: readonly OutcomeRow[] = Array.from({ length: 400 }, (_, n) => ({
  namespace: 'proj_1',
  sessionRef: `session-${(n * 7) % 200}`,
  type: n % 2 === 0 ? 'complete' : 'ban',
  occurredAt: new Date(1_700_000_000_000),
  target: '',
  reasonClass: null,
  respondentRef: null,
  eventId: null,
}));

t.test('rows come in one order whatever the order of the request', (t) => {
  t.same(sortRows([...rows].reverse()), sortRows(rows));
  t.end();
});

const stack = findStack(t, 'two bulk posts at once');
if (stack !== null) {
  t.test('two posts of the same events in other orders are both stored, and each event once', async (t) => {
    const database = await openPostgres({ url: await createDatabase(t, stack), poolMax: 8, deadlineMs: 20_000 });
    t.teardown(() => database.close());
    await migrate(database);
    const post = (list: readonly OutcomeRow[]): Promise<number> =>
      database.transaction(async (tx) => (await insertOutcomes(tx, sortRows(list))).length);
    const stored = await Promise.all(
      Array.from({ length: 8 }, (_, n) => post(n % 2 === 0 ? rows : [...rows].reverse())),
    );
    t.equal(
      stored.reduce((sum, count) => sum + count, 0),
      new Set(rows.map(({ sessionRef, type }) => `${sessionRef} ${type}`)).size,
    );
  });

  t.test('where they lock each other up all the same, one is rolled back and runs again', async (t) => {
    const database = await openPostgres({ url: await createDatabase(t, stack), poolMax: 8, deadlineMs: 20_000 });
    t.teardown(() => database.close());
    await database.query('CREATE TABLE seats (n integer PRIMARY KEY, taken integer NOT NULL)');
    await database.query('INSERT INTO seats VALUES (1, 0), (2, 0)');
    let runs = 0;
    const ready: (() => void)[] = [];
    const bothHold = new Promise<void>((resolve) => ready.push(resolve));
    const take = (first: number, second: number): Promise<unknown> =>
      database.transaction(async (tx) => {
        runs += 1;
        await tx.query('UPDATE seats SET taken = taken + 1 WHERE n = $1', [first]);
        if (runs >= 2) ready[0]?.();
        await bothHold;
        await tx.query('UPDATE seats SET taken = taken + 1 WHERE n = $1', [second]);
      });
    await Promise.all([take(1, 2), take(2, 1)]);
    t.equal(runs, 3);
    t.same(await database.query('SELECT n, taken FROM seats ORDER BY n'), [
      { n: 1, taken: 2 },
      { n: 2, taken: 2 },
    ]);
  });
}
