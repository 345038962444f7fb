import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { migrate } from '../../../src/stores/database/migrate.js';
import { openPostgres } from '../../../src/stores/database/postgres.js';
import { createDatabase, createEmptyDatabase, findStack, startOwnStack } from '../../helpers/stores.js';
import { testDatabaseContract } from './contract.js';

const stack = findStack(t, 'PostgreSQL behind the database port');
const options = { poolMax: 10, deadlineMs: 5_000 };

if (stack !== null) {
  testDatabaseContract(t, async () => openPostgres({ ...options, url: await createEmptyDatabase(t, stack) }));

  t.test('several instances that start at once apply each migration once', async (t) => {
    const url = await createEmptyDatabase(t, stack);
    const databases = await Promise.all(Array.from({ length: 4 }, () => openPostgres({ ...options, url })));
    t.teardown(() => Promise.all(databases.map((database) => database.close())));
    const applied = (await Promise.all(databases.map((database) => migrate(database)))).flat().sort();
    t.same(applied, [...new Set(applied)].sort());
    t.ok(applied.length > 0);
    t.same(await databases[0]?.query('SELECT count(*) AS n FROM migrations'), [{ n: applied.length }]);
  });

  t.test('a conflict keeps the connection; more callers than connections are all served', async (t) => {
    const database = await openPostgres({ url: await createDatabase(t, stack), poolMax: 2, deadlineMs: 5_000 });
    t.teardown(() => database.close());
    await database.query('CREATE TABLE once (n integer PRIMARY KEY)');
    await database.query('INSERT INTO once VALUES (1)');
    const pids = new Set<unknown>();
    for (let turn = 0; turn < 5; turn++) {
      await t.rejects(database.query('INSERT INTO once VALUES (1)'), { name: 'DatabaseConflict' });
      pids.add((await database.query('SELECT pg_backend_pid() AS pid'))[0]?.['pid']);
    }
    t.equal(pids.size, 1);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => database.query('SELECT $1::integer AS n', [n])),
    );
    t.same(
      answers.map(([row]) => row?.['n']),
      Array.from({ length: 50 }, (_, n) => n),
    );
  });

  t.test('a longer deadline reaches the server, and the next statement has its own again', async (t) => {
    const database = await openPostgres({ url: await createEmptyDatabase(t, stack), poolMax: 1, deadlineMs: 300 });
    t.teardown(() => database.close());
    await t.rejects(database.query('SELECT pg_sleep(30)'), { code: 'STORE_UNAVAILABLE' });
    await t.resolves(database.query('SELECT pg_sleep(0.5)', [], { deadlineMs: 20_000 }));
    await t.resolves(database.transaction((tx) => tx.query('SELECT pg_sleep(0.5)'), { deadlineMs: 20_000 }));
    t.same(await database.query('SHOW statement_timeout'), [{ statement_timeout: '300ms' }]);
  });

  t.test(
    'a connection that breaks between two statements of a transaction rejects the next one, and does not end the process',
    async (t) => {
      const database = await openPostgres({ url: await createEmptyDatabase(t, stack), poolMax: 2, deadlineMs: 5_000 });
      t.teardown(() => database.close());
      const broken = database.transaction(async (tx) => {
        const [row] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        await database.query('SELECT pg_terminate_backend($1)', [row?.pid ?? 0]);
        await delay(200);
        await tx.query('SELECT 1');
      });
      await t.rejects(broken, { code: 'STORE_UNAVAILABLE' });
      t.same(await database.query('SELECT 1 AS one'), [{ one: 1 }]);
    },
  );

  t.test('a server that is away or hangs is reported as that, and the pool recovers by itself', async (t) => {
    const own = await startOwnStack(t, ['postgres'], 100);
    const database = await openPostgres({ url: own.databaseUrl, poolMax: 2, deadlineMs: 1_000 });
    t.teardown(() => database.close());
    await database.query('CREATE TABLE kept (n integer)');

    await own.command('kill');
    await t.rejects(database.query('SELECT 1'), { code: 'STORE_UNAVAILABLE' });
    await t.rejects(
      database.transaction((tx) => tx.query('SELECT 1')),
      { code: 'STORE_UNAVAILABLE' },
    );
    await t.rejects(openPostgres({ url: own.databaseUrl, poolMax: 1, deadlineMs: 1_000 }), {
      code: 'STORE_UNAVAILABLE',
    });
    await own.command('start');
    await t.resolves(database.query('INSERT INTO kept VALUES (1)'));

    await own.command('pause');
    await t.rejects(Promise.all([database.ping(), database.ping(), database.ping()]), { code: 'STORE_UNAVAILABLE' });
    await own.command('resume');
    t.same(await database.query('SELECT n FROM kept'), [{ n: 1 }]);
  });
}
