import t from 'tap';
import { readjudicate } from '../../../src/scoring/outcomes/adjudication-work.js';
import { createHistoryShifts } from '../../../src/scoring/outcomes/history-shifts.js';
import { storeEvents } from '../../../src/scoring/outcomes/outcome-store.js';
import { createWorkOrders } from '../../../src/scoring/outcomes/work-orders.js';
import { sortRows, type OutcomeRow } from '../../../src/scoring/outcomes/outcome-rows.js';
import { migrate } from '../../../src/stores/database/migrate.js';
import type { Database } from '../../../src/stores/database/port.js';
import { openPostgres } from '../../../src/stores/database/postgres/open.js';
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

t.test(
  'rows come in one order whatever the order of the request, each statement once, the last of an event last',
  (t) => {
    const [row] = rows;
    const said = ['fraud', 'quality', 'fraud'].map((reasonClass) => ({ ...row!, reasonClass }));
    t.same(
      sortRows(said).map(({ reasonClass }) => reasonClass),
      ['quality', 'fraud'],
    );
    t.same(sortRows([...rows].reverse()), sortRows(rows));
    t.end();
  },
);

const stack = findStack(t, 'two bulk posts at once');
if (stack !== null) {
  t.test('two posts of the same events in other orders are both stored, and each event once', async (t) => {
    const database = await openPostgres({ url: await createDatabase(t, stack), poolMax: 8, deadlineMs: 20_000 });
    t.teardown(() => database.close());
    await migrate(database);
    const post = (list: readonly OutcomeRow[]): Promise<number> =>
      storeEvents(database, list).then(({ accepted }) => accepted.length);
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
    let [runs, held] = [0, 0];
    const ready: (() => void)[] = [];
    const bothHold = new Promise<void>((resolve) => ready.push(resolve));
    const take = (first: number, second: number): Promise<unknown> =>
      database.transaction(async (tx) => {
        runs += 1;
        await tx.query('UPDATE seats SET taken = taken + 1 WHERE n = $1', [first]);
        held += 1;
        if (held >= 2) ready[0]?.();
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

  t.test('a batch looks its sessions up by their keys, and reads no table whole', async (t) => {
    const url = await createDatabase(t, stack);
    const open = async (): Promise<Database> => {
      const database = await openPostgres({ url, poolMax: 1, deadlineMs: 20_000 });
      t.teardown(() => database.close());
      return database;
    };
    const database = await open();
    for (let part = 0; part < 10; part += 1)
      await storeEvents(
        database,
        rows.map((row) => ({ ...row, sessionRef: `${part} ${row.sessionRef}` })),
      );
    // Earlier work of a connection counts as its transaction's too, for a second.
    const read = await createWorkOrders(await open(), 20).next(async (tx, sessions) => {
      await readjudicate(tx, sessions);
      return tx.query(
        "SELECT relname, seq_tup_read FROM pg_stat_xact_user_tables WHERE seq_tup_read > 0 AND relname IN ('outcomes', 'session_index', 'adjudications', 'outcome_subjects', 'history')",
      );
    });
    t.same(read, []);
  });

  t.test('transactions that make the records of the same subjects at once are all counted', async (t) => {
    const database = await openPostgres({ url: await createDatabase(t, stack), poolMax: 8, deadlineMs: 20_000 });
    t.teardown(() => database.close());
    const adjudication = { fraud: false, clawback: false, atMs: 1_700_000_000_000 };
    const writers = Array.from({ length: 8 }, (_, n) => `own ${n}`);
    await Promise.all(
      writers.map((own) =>
        database.transaction(async (tx) => {
          const shifts = createHistoryShifts();
          shifts.add('proj_1', ['a', 'b', own, 'z'], adjudication, 1);
          const changed = await shifts.apply(tx);
          t.equal(changed.length, 4);
        }),
      ),
    );
    const counted = await database.query(
      "SELECT subject_ref, version, days FROM history WHERE subject_ref IN ('a', 'z', 'own 3') ORDER BY subject_ref",
    );
    const days = (n: number): object => ({ version: n, days: { 19675: [n, 0, 0] } });
    t.same(counted, [
      { subject_ref: 'a', ...days(8) },
      { subject_ref: 'own 3', ...days(1) },
      { subject_ref: 'z', ...days(8) },
    ]);
  });
}
