import t from 'tap';
import type { DataLoss, LogEntry } from '../../../../src/stores/log/port.js';
import { openTestDatabase } from '../../../helpers/embedded.js';
import { openPostgres } from '../../../../src/stores/database/postgres/open.js';
import type { Database } from '../../../../src/stores/database/port.js';
import { openTableLog } from '../../../../src/stores/log/embedded/log.js';
import { removeExpired, removeRead } from '../../../../src/stores/log/embedded/trim.js';
import { createDatabase, findStack } from '../../../helpers/stores.js';
import { waitUntil } from '../../../helpers/wait-until.js';
import { entry, freshGroup, gather, testLogContract, textOf } from '../contract.js';

// Opening one takes seconds, emptying it none.
const shared = await openTestDatabase(t);

async function emptyDatabase(): Promise<Database> {
  await shared.query('TRUNCATE log_batches, log_groups, log_topics');
  return shared;
}
const quick = { now: () => performance.now(), pollMs: 50, trimEveryMs: 20 };

testLogContract(t, async () => openTableLog({ ...quick, database: await emptyDatabase() }));

t.test('what every group has read is removed from the table, and nothing else', async (t) => {
  const database = await emptyDatabase();
  const log = openTableLog({ ...quick, database, trimEveryMs: 3_600_000 });
  t.teardown(() => log.close());
  const first = await gather(log, 'scores', 'first');
  const second = await gather(log, 'scores', 'second');
  await log.append('scores', [entry('a', '1')]);
  await waitUntil(() => first.entries.length + second.entries.length === 2, 'both have read');
  await second.consumer.stop();
  await log.append('scores', [entry('b', '2')]);
  await log.append('outcomes', [entry('c', '3')]);
  await waitUntil(() => first.entries.length === 2, 'the first has read on');
  await first.consumer.stop();
  t.equal(await removeRead(database), 1);
  t.same(await database.query('SELECT topic, end_offset FROM log_batches ORDER BY topic'), [
    { topic: 'outcomes', end_offset: 1 },
    { topic: 'scores', end_offset: 2 },
  ]);
  const again = await gather(log, 'scores', 'second');
  await waitUntil(() => again.entries.length === 1, 'the second reads on');
  t.same(again.texts(), ['2']);
});

t.test('no batch is larger than the log allows, whatever its reader asks for', async (t) => {
  const log = openTableLog({ ...quick, database: await emptyDatabase(), batchMax: 2 });
  t.teardown(() => log.close());
  const sizes: number[] = [];
  await log.append(
    'scores',
    ['1', '2', '3', '4', '5'].map((text) => entry('a', text)),
  );
  const handle = async (batch: readonly LogEntry[]): Promise<void> => void sizes.push(batch.length);
  await log.subscribe({ topic: 'scores', group: freshGroup(), batchMax: 100, handle });
  await waitUntil(() => sizes.length === 3, 'all is read');
  t.same(sizes, [2, 2, 1]);
});

t.test('groups that never came back stop holding entries, and so do topics that nobody reads', async (t) => {
  const database = await emptyDatabase();
  const log = openTableLog({ ...quick, database, trimEveryMs: 3_600_000 });
  t.teardown(() => log.close());
  const gone = await gather(log, 'scores', 'gone');
  await gone.consumer.stop();
  await log.append('scores', [entry('a', '1')]);
  await removeExpired(database, 3_600);
  t.match(await database.query('SELECT count(*) AS n FROM log_batches'), [{ n: 1 }]);
  await database.query("UPDATE log_groups SET seen_at = now() - interval '2 hours'");
  await database.query("UPDATE log_batches SET appended_at = now() - interval '2 hours'");
  await removeExpired(database, 3_600);
  t.match(
    await database.query(
      'SELECT (SELECT count(*) FROM log_batches) AS batches, (SELECT count(*) FROM log_groups) AS groups',
    ),
    [{ batches: 0, groups: 0 }],
  );
});

t.test('what was removed before a group had read it is told with its number', async (t) => {
  const losses: DataLoss[] = [];
  const database = await emptyDatabase();
  const log = openTableLog({ ...quick, database, trimEveryMs: 3_600_000, onDataLoss: (loss) => losses.push(loss) });
  t.teardown(() => log.close());
  const group = freshGroup();
  const reader = await gather(log, 'deliveries', group);
  await log.append('deliveries', [entry('a', '1')]);
  await waitUntil(() => reader.entries.length === 1, 'the first is read');
  await reader.consumer.stop();
  await log.append('deliveries', [entry('a', '2'), entry('a', '3')]);
  await database.query("DELETE FROM log_batches WHERE topic = 'deliveries'");
  await log.append('deliveries', [entry('a', '4')]);
  const later = await gather(log, 'deliveries', group);
  await waitUntil(() => later.entries.length === 1, 'what is left is read');
  t.same(losses, [{ topic: 'deliveries', group, entries: 2 }]);
});

t.test('with the database away appends reject in time, and readers go on when it is back', async (t) => {
  const database = await emptyDatabase();
  let isAway = false;
  const flaky: Database = {
    ...database,
    query: (sql, values, options) =>
      isAway ? Promise.reject(new Error('away')) : database.query(sql, values, options),
  };
  const log = openTableLog({ ...quick, database: flaky });
  t.teardown(() => log.close());
  const { consumer, texts } = await gather(log, 'scores', freshGroup());
  await log.append('scores', [entry('a', 'before')]);
  await waitUntil(() => texts().length === 1, 'the first arrives');
  isAway = true;
  await t.rejects(log.append('scores', [entry('a', 'lost')]));
  isAway = false;
  await log.append('scores', [entry('a', 'after')]);
  await waitUntil(() => texts().length === 2, 'the reader goes on');
  t.same(texts(), ['before', 'after']);
  await consumer.stop();
});

t.test(
  'an append that waits for a slow database rejects at its deadline as a store that does not answer',
  async (t) => {
    const database = await emptyDatabase();
    const log = openTableLog({ ...quick, database, appendDeadlineMs: 50 });
    t.teardown(() => log.close());
    const slow = database.query('SELECT pg_sleep(0.3)');
    await t.rejects(log.append('scores', [entry('a', '1')]), { code: 'STORE_UNAVAILABLE' });
    await slow;
  },
);

t.test('closing writes what waits, and then refuses', async (t) => {
  const database = await emptyDatabase();
  const log = openTableLog({ ...quick, database });
  const appended = log.append('scores', [entry('a', '1')]);
  await log.close();
  await t.resolves(appended);
  await t.rejects(log.append('scores', [entry('a', '2')]), { code: 'STORE_UNAVAILABLE' });
  t.match(await database.query('SELECT count(*) AS n FROM log_batches'), [{ n: 1 }]);
});

const stack = findStack(t, 'the table log on PostgreSQL, with several instances');

if (stack !== null) {
  t.test(
    'several instances on one PostgreSQL share a group, and another takes over when the reader goes',
    async (t) => {
      const url = await createDatabase(t, stack);
      const open = async () => {
        const database = await openPostgres({ url, poolMax: 4, deadlineMs: 5_000 });
        const log = openTableLog({ ...quick, database, leaseMs: 600 });
        t.teardown(async () => {
          await log.close();
          await database.close();
        });
        return { database, log };
      };
      const [one, two] = [await open(), await open()];
      const seen: string[] = [];
      const handle = async (batch: readonly { key: string; value: Uint8Array }[]): Promise<void> =>
        void seen.push(...batch.map(textOf));
      const first = await one.log.subscribe({ topic: 'scores', group: 'g', batchMax: 10, handle });
      await two.log.subscribe({ topic: 'scores', group: 'g', batchMax: 10, handle });
      await Promise.all(
        Array.from({ length: 200 }, (_, n) => (n % 2 === 0 ? one : two).log.append('scores', [entry('k', `${n}`)])),
      );
      await waitUntil(() => seen.length >= 200, 'all arrive');
      t.equal(new Set(seen).size, 200);
      for (const parity of [0, 1]) {
        const ofOne = seen.map(Number).filter((n) => n % 2 === parity);
        t.same(
          ofOne,
          [...ofOne].sort((a, b) => a - b),
          'appends of one instance keep their order',
        );
      }
      await first.stop();
      await two.log.append('scores', [entry('k', 'last')]);
      await waitUntil(() => seen.includes('last'), 'the other instance reads on');
    },
  );

  t.test('a member that lost its lease while handling is told so, and stores nothing', async (t) => {
    const database = await openPostgres({ url: await createDatabase(t, stack), poolMax: 4, deadlineMs: 5_000 });
    const log = openTableLog({ ...quick, database, leaseMs: 300 });
    t.teardown(async () => {
      await log.close();
      await database.close();
    });
    let wasAborted = false;
    const handle = (_batch: unknown, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          wasAborted = true;
          resolve();
        });
      });
    await log.subscribe({ topic: 'scores', group: 'g', batchMax: 10, handle });
    await log.append('scores', [entry('k', '1')]);
    await waitUntil(
      async () =>
        (
          await database.query(
            "UPDATE log_groups SET member = 'a thief', lease_until = now() + interval '1 hour' WHERE member IS NOT NULL RETURNING 1",
          )
        ).length > 0,
      'the lease is taken away',
    );
    await waitUntil(() => wasAborted, 'the handler is told');
    t.match(await database.query('SELECT next_offset FROM log_groups'), [{ next_offset: 0 }]);
  });
}
