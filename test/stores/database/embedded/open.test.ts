import { Worker } from 'node:worker_threads';
import t from 'tap';
import { openEmbeddedDatabase } from '../../../../src/stores/database/embedded/open.js';
import type { EmbeddedThreadData } from '../../../../src/stores/database/embedded/thread.js';
import { temporaryDirectory } from '../../../helpers/directories.js';
import { testDatabaseContract } from '../contract.js';

testDatabaseContract(t, () => openEmbeddedDatabase({ directory: null }));

/** Starts the real thread and keeps it at hand, so that a test can end it. */
function createKillableThread() {
  const threads: Worker[] = [];
  const startThread = (workerData: EmbeddedThreadData) => {
    const worker = new Worker(new URL('../../../../src/stores/database/embedded/thread.js', import.meta.url), {
      workerData,
    });
    threads.push(worker);
    return worker;
  };
  return { startThread, kill: () => threads.at(-1)?.terminate() };
}

t.test('what was committed is there after the database is opened again', async (t) => {
  const directory = temporaryDirectory(t);
  const before = process.memoryUsage().rss;
  const first = await openEmbeddedDatabase({ directory });
  const taken = (process.memoryUsage().rss - before) / 1_048_576;
  t.ok(taken < 500, `a new cluster keeps no memory of what made it: ${taken} MB`);
  await first.query('CREATE TABLE kept (n integer)');
  await first.query('INSERT INTO kept VALUES ($1)', [7]);
  await t.rejects(
    openEmbeddedDatabase({ directory, lock: { waitMs: 0 } }),
    { name: 'DataDirectoryInUse' },
    'a second opening is refused while the first lasts',
  );
  await first.close();
  await t.rejects(first.query('SELECT 1'), { code: 'STORE_UNAVAILABLE' });

  const second = await openEmbeddedDatabase({ directory });
  t.teardown(() => second.close());
  t.same(await second.query('SELECT n FROM kept'), [{ n: 7 }]);
});

t.test(
  'the death of the thread rejects what is under way; the next call opens the cluster again, with all that was committed',
  async (t) => {
    const thread = createKillableThread();
    const database = await openEmbeddedDatabase({
      directory: temporaryDirectory(t),
      startThread: thread.startThread,
    });
    t.teardown(() => database.close());
    await database.query('CREATE TABLE kept (n integer)');
    await database.query('INSERT INTO kept VALUES (1)');
    const underWay = Promise.allSettled([
      database.query('SELECT pg_sleep(30)'),
      database.query('SELECT $1::integer', [1]),
      database.transaction(async (tx) => tx.query('INSERT INTO kept VALUES (2)')),
    ]);
    await thread.kill();
    for (const outcome of (await underWay).slice(0, 2))
      t.match(outcome, { status: 'rejected', reason: { code: 'STORE_UNAVAILABLE' } });
    t.match(await database.query('SELECT n FROM kept WHERE n = $1', [1]), [{ n: 1 }]);
  },
);

t.test('in memory, the death of the thread is final and says so', async (t) => {
  const thread = createKillableThread();
  const database = await openEmbeddedDatabase({ directory: null, startThread: thread.startThread });
  t.teardown(() => database.close());
  await thread.kill();
  await t.rejects(database.query('SELECT 1'), { code: 'STORE_UNAVAILABLE' });
  await t.rejects(
    database.transaction(async (tx) => tx.query('SELECT 1')),
    { code: 'STORE_UNAVAILABLE' },
  );
});

t.test('tidying runs beside the work, and closing twice is harmless', async (t) => {
  const database = await openEmbeddedDatabase({ directory: null, tidyEveryMs: 1 });
  await database.query('CREATE TABLE busy (n integer)');
  for (let n = 0; n < 50; n++) await database.transaction((tx) => tx.query('INSERT INTO busy VALUES ($1)', [n]));
  t.same(await database.query('SELECT count(*) AS n FROM busy'), [{ n: 50 }]);
  await Promise.all([database.close(), database.close()]);
});
