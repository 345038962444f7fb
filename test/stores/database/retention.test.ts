import t from 'tap';
import { openTestDatabase } from '../../helpers/embedded.js';
import {
  allowDeletion,
  deleteInBatches,
  guardByColumn,
  readMarks,
  runRetention,
} from '../../../src/stores/database/retention.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';

const dayMs = 86_400_000;
const database = await openTestDatabase(t);
await database.query('CREATE TABLE notes (age_days integer, at timestamptz)');

/** Runs a round over notes that are kept 30 days; answers the ages of those that are left. */
async function round(keepDays = 30) {
  const metrics = createMetrics();
  const lines: string[] = [];
  const where = (nowMs: number) => ({
    table: 'notes',
    where: 'at < $1',
    values: [new Date(nowMs - keepDays * dayMs)],
  });
  await runRetention({
    database,
    logger: createLogger('info', { write: (line) => lines.push(line) }),
    metrics,
    what: 'notes',
    guard: guardByColumn(database, { table: 'notes', column: 'at', keepDays }),
    drop: (nowMs) => deleteInBatches(database, where(nowMs)),
  });
  const rows = await database.query<{ age: number }>('SELECT age_days AS age FROM notes ORDER BY 1');
  const waits = (await metrics.retentionWaits.get()).values[0]?.value;
  return { ages: rows.map(({ age }) => age), waits, log: lines.join('') };
}

async function fill(...ages: readonly number[]): Promise<void> {
  await database.query('TRUNCATE notes, retention_marks');
  await database.query(
    "INSERT INTO notes SELECT age, now() - age * interval '1 day' - interval '1 hour' FROM unnest($1::int[]) AS age",
    [ages],
  );
}
/** Pretends that the last round was so long ago. */
const lastRoundWas = (days: number) =>
  database.query(
    `INSERT INTO retention_marks (what, deleted_before) VALUES ('notes', now() - (30 + $1::int) * interval '1 day')
     ON CONFLICT (what) DO UPDATE SET deleted_before = excluded.deleted_before`,
    [days],
  );

t.test('what a stop of some days left is deleted a day at a time, and then as it falls due', async (t) => {
  await fill(29, 30, 31, 32, 33);
  await lastRoundWas(4);
  t.same((await round()).ages, [29, 30, 31, 32]);
  t.same((await round()).ages, [29, 30, 31]);
  for (let more = 0; more < 4; more++) await round();
  t.match(await round(), { ages: [29], waits: 0, log: '' });
});

t.test(
  'a clock a year ahead, or a lifetime set much shorter, deletes nothing until an operator allows it',
  async (t) => {
    await fill(1, 9, 40);
    await lastRoundWas(11);
    await round();
    t.match(await round(20), { ages: [1, 9, 40], waits: 1, log: /an operator must approve the deletion/ });
    await fill(1, 25, 29);
    await lastRoundWas(0);
    t.match(await round(10), { ages: [1, 25, 29], waits: 1 }, 'it is that of the database here, and nothing goes');
    const [mark] = await readMarks(database);
    t.ok(mark?.waitsFor);
    t.equal(await allowDeletion(database, 'receipts', new Date()), false, 'only what is known can be allowed');
    await allowDeletion(database, 'notes', new Date(Date.now() - 27 * dayMs));
    t.same((await round(10)).ages, [1, 25], 'as far as was allowed');
    await allowDeletion(database, 'notes', new Date());
    t.match(await round(10), { ages: [1], waits: 0 }, 'never what is not due');
  },
);

t.test('a long stop with nothing to delete asks nobody, and neither does the first round of all', async (t) => {
  await fill(1, 30);
  await lastRoundWas(300);
  t.match(await round(), { waits: 0 });
  await fill(1, 31);
  for (let more = 0; more < 8; more++) await round();
  t.match(await round(), { ages: [1], waits: 0 });
});

t.test('an operator’s word is good for the deletion that it was given for, and for no later one', async (t) => {
  await fill(1, 25, 29, 40);
  await lastRoundWas(11);
  await allowDeletion(database, 'notes', new Date('2099-01-01'));
  t.same((await round()).ages, [1, 25, 29]);
  t.match(await round(10), { ages: [1, 25, 29], waits: 1 }, 'a lifetime set shorter later asks again');
});
