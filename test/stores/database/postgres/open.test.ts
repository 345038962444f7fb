import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import type { Fault } from '../../../../src/errors.js';
import { migrate } from '../../../../src/stores/database/migrate.js';
import { openPostgres } from '../../../../src/stores/database/postgres/open.js';
import { createDatabase, createEmptyDatabase, findStack, startOwnStack } from '../../../helpers/stores.js';
import { waitUntil } from '../../../helpers/wait-until.js';
import { testDatabaseContract } from '../contract.js';

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

  t.test('a server that has become read-only is away, and none of the connections to it is used again', async (t) => {
    const url = await createDatabase(t, stack);
    const name = new URL(url).pathname.slice(1);
    const server = await openPostgres({ ...options, url: stack.databaseUrl });
    t.teardown(() => server.close());
    const database = await openPostgres({ ...options, url });
    t.teardown(() => database.close());
    const write = 'INSERT INTO log_topics (topic, end_offset) VALUES ($1, 1)';
    const ways: Readonly<Record<string, () => Promise<unknown>>> = {
      statement: () => database.query(write, ['a']),
      transaction: () => database.transaction((tx) => tx.query(write, ['b'])),
    };
    for (const [way, run] of Object.entries(ways)) {
      await server.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      const isReadOnly = async (): Promise<boolean> =>
        (await database.query('SHOW default_transaction_read_only').catch(() => []))[0]?.[
          'default_transaction_read_only'
        ] === 'on';
      await waitUntil(isReadOnly, 'connections are made anew');
      // Four of them, each of which learned at its start that it may not write.
      await Promise.all(Array.from({ length: 4 }, () => database.query('SELECT pg_sleep(0.2)')));
      await server.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
      await t.rejects(run(), { code: 'STORE_UNAVAILABLE', details: { internal: /25006/ } }, way);
      await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          t.resolves(database.query(write, [`${way} ${n}`]), 'one saw it, all are new'),
        ),
      );
    }
  });

  t.test('a user who is not let in, and work that was rolled back each time, are a server that is away', async (t) => {
    const url = new URL(await createDatabase(t, stack));
    const role = `${url.pathname.slice(1)}_user`;
    const server = await openPostgres({ ...options, url: stack.databaseUrl });
    t.teardown(() => server.close());
    await server.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    t.teardown(() => server.query(`DROP ROLE ${role}`));
    url.username = role;
    url.password = 'secret';
    const database = await openPostgres({ ...options, url: url.href });
    t.teardown(() => database.close());
    await server.query(`ALTER ROLE ${role} NOLOGIN`);
    await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [role]);
    const refusal = (): Promise<unknown> => database.query('SELECT 1').catch((error: unknown) => error);
    await waitUntil(
      async () => String(((await refusal()) as Fault).details.internal).includes('28000'),
      'the broken connection is gone, and another is not let in',
    );
    t.match(await refusal(), { code: 'STORE_UNAVAILABLE', details: { headers: { 'retry-after': '1' } } });
    await server.query(`ALTER ROLE ${role} LOGIN`);
    t.same(await database.query('SELECT 1 AS one'), [{ one: 1 }]);
    for (const state of ['25006', '25P03', '28P01', '40001', '40P01', '40003', '57P01', '57P03'])
      await t.rejects(
        database.query(`DO $$ BEGIN RAISE EXCEPTION 'as said' USING ERRCODE = '${state}'; END $$`),
        { code: 'STORE_UNAVAILABLE' },
        state,
      );
    t.same(await database.query('SELECT 1 AS one'), [{ one: 1 }]);
  });

  t.test('a server that is away or hangs is reported as that, and the pool recovers by itself', async (t) => {
    const own = await startOwnStack(t, ['postgres']);
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
