/** Promises of every adapter of the database port; embedded.test.ts and postgres.test.ts run it against theirs. */
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import type { Test } from 'tap';
import { Fault } from '../../../src/errors.js';
import { DatabaseConflict, type Database, type Queryable } from '../../../src/stores/database/port.js';

/** Runs the contract against `open`, which answers with a database of its own, empty at first. */
export function testDatabaseContract(t: Test, open: () => Promise<Database>): void {
  t.test('the database contract', async (t) => {
    const database = await open();
    t.teardown(() => database.close());
    await database.query(
      'CREATE TABLE things (id bigint PRIMARY KEY, name text NOT NULL UNIQUE, size integer CHECK (size > 0), made timestamptz, body jsonb, raw bytea)',
    );
    testValues(t, database);
    testConflicts(t, database);
    testTransactions(t, database);
    testOrder(t, database);
    testRolledBack(t, database);
  });
}

function testRolledBack(t: Test, database: Database): void {
  const deadlock = "DO $$ BEGIN RAISE EXCEPTION 'in the way' USING ERRCODE = '40P01'; END $$";

  t.test('a transaction that the server rolled back for a deadlock runs again, whole', async (t) => {
    let runs = 0;
    await database.transaction(async (tx) => {
      await tx.query("INSERT INTO things (id, name) VALUES (900, 'run again')");
      if ((runs += 1) < 3) await tx.query(deadlock);
    });
    t.equal(runs, 3);
    t.match(await database.query('SELECT count(*) AS n FROM things WHERE id = 900'), [{ n: 1 }]);
  });

  t.test('one that never gets through is a StoreUnavailable, not a bug', async (t) => {
    let runs = 0;
    const always = database.transaction(async (tx) => {
      runs += 1;
      await tx.query(deadlock);
    });
    await t.rejects(always, { code: 'STORE_UNAVAILABLE' });
    t.equal(runs, 4);
  });
}

function testValues(t: Test, database: Database): void {
  t.test('values come back as the kinds that the port names', async (t) => {
    const made = new Date('2026-03-01T10:20:30.456Z');
    const raw = new Uint8Array([0, 1, 128, 255]);
    await database.query('INSERT INTO things VALUES ($1, $2, $3, $4, $5::jsonb, $6)', [
      9_007_199_254_740_991,
      'a',
      3,
      made,
      JSON.stringify({ deep: [1, null] }),
      raw,
    ]);
    const [row] = await database.query('SELECT *, ARRAY[1, 2]::bigint[] AS list, NULL AS nothing FROM things');
    t.match(row, {
      id: 9_007_199_254_740_991,
      name: 'a',
      size: 3,
      body: { deep: [1, null] },
      list: [1, 2],
      nothing: null,
    });
    t.equal((row?.['made'] as Date | undefined)?.getTime(), made.getTime());
    t.same([...((row?.['raw'] as Uint8Array | undefined) ?? [])], [...raw]);
  });

  t.test('lists go in as arrays', async (t) => {
    const rows = await database.query('SELECT * FROM unnest($1::text[], $2::int[], $3::bytea[]) AS u(a, b, c)', [
      ['x', 'y"{},'],
      [1, null],
      [new Uint8Array([1]), new Uint8Array([92, 120])],
    ]);
    t.same(
      rows.map((row) => [row['a'], row['b'], [...(row['c'] as Uint8Array)]]),
      [
        ['x', 1, [1]],
        ['y"{},', null, [92, 120]],
      ],
    );
  });

  t.test('a recurring statement answers anew each time, also at once and after a conflict', async (t) => {
    const run = (id: number) =>
      database.query('INSERT INTO things (id, name) VALUES ($1, $2) RETURNING id', [id, `recurring ${id}`], {
        recurring: true,
      });
    t.same(await Promise.all([run(101), run(102)]), [[{ id: 101 }], [{ id: 102 }]]);
    await t.rejects(run(101), DatabaseConflict);
    t.same(await run(103), [{ id: 103 }]);
    await database.query('DELETE FROM things WHERE id > 100');
  });

  t.test(
    'a statement of transactions answers anew each time, also where it first stood behind one that failed',
    async (t) => {
      const insert = (tx: Queryable, id: number) =>
        tx.query('INSERT INTO things (id, name) VALUES ($1, $2) RETURNING id, name', [id, `again ${id}`]);
      const insertAll = (...ids: readonly number[]) =>
        database.transaction(async (tx) => {
          const sent = ids.map((id) => insert(tx, id));
          await Promise.allSettled(sent);
          return Promise.all(sent.reverse());
        });
      await database.query('INSERT INTO things (id, name) VALUES (110, $1)', ['there']);
      for (let round = 0; round < 3; round += 1) await t.rejects(insertAll(110, 111, 112), DatabaseConflict);
      for (const id of [111, 113])
        t.same(
          (await insertAll(id, id + 1)).flat().map(({ name }) => name),
          [`again ${id + 1}`, `again ${id}`],
        );
      await database.query('DELETE FROM things WHERE id > 100');
    },
  );

  t.test('a bigint that no number can hold is refused, not rounded', async (t) => {
    await t.rejects(database.query('SELECT 9007199254740993::bigint AS big'), RangeError);
    t.same(await database.query('SELECT 1 AS one'), [{ one: 1 }]);
  });
}

function testConflicts(t: Test, database: Database): void {
  t.test('a broken constraint is a DatabaseConflict that names it', async (t) => {
    await database.query('INSERT INTO things (id, name) VALUES (1, $1)', ['first']);
    const cases: readonly [string, string, string][] = [
      ['INSERT INTO things (id, name) VALUES (1, $1)', 'unique', 'things_pkey'],
      ["INSERT INTO things (id, name) VALUES (2, 'first'), (3, $1)", 'unique', 'things_name_key'],
      ['INSERT INTO things (id, name, size) VALUES (4, $1, 0)', 'check', 'things_size_check'],
      ["INSERT INTO things (id, name) VALUES (5, nullif($1, 'other'))", 'not_null', 'name'],
    ];
    for (const [sql, kind, constraint] of cases) {
      const error = await database.query(sql, ['other']).catch((error: unknown) => error);
      t.ok(error instanceof DatabaseConflict, sql);
      t.match(error, { kind, constraint, table: 'things' });
    }
  });

  t.test('a mistake in the SQL is neither a conflict nor an absence', async (t) => {
    const error = await database.query('SELECT nonsense').catch((error: unknown) => error);
    t.ok(error instanceof Error && !(error instanceof Fault) && !(error instanceof DatabaseConflict));
  });
}

function testTransactions(t: Test, database: Database): void {
  t.test('a transaction is kept whole or not at all', async (t) => {
    await database.query('CREATE TABLE tally (n integer)');
    t.equal(
      await database.transaction(async (tx) => {
        await tx.query('INSERT INTO tally VALUES (1), ($1)', [2]);
        return 'done';
      }),
      'done',
    );
    await t.rejects(
      database.transaction(async (tx) => {
        await tx.query('INSERT INTO tally VALUES (3)');
        throw new Error('the body gave up');
      }),
      /gave up/,
    );
    await t.rejects(
      database.transaction(async (tx) => {
        await tx.query('INSERT INTO tally VALUES (4)');
        await tx.query('SELECT 1 / $1::integer', [0]);
      }),
      /division/,
    );
    t.same(await database.query('SELECT n FROM tally ORDER BY n'), [{ n: 1 }, { n: 2 }]);
  });

  t.test('a transaction begins with its opening, and one whose opening fails leaves nothing behind', async (t) => {
    const name = 'o\'org "; SELECT 1; --';
    const opening = `SELECT set_config('vh.organization_id', ${pg.escapeLiteral(name)}, true)`;
    const read = "SELECT current_setting('vh.organization_id', true) AS value";
    t.same(await database.transaction((tx) => tx.query(read), { opening }), [{ value: name }]);
    await t.rejects(
      database.transaction(async (tx) => tx.query('INSERT INTO tally VALUES (6)'), { opening: 'SELECT 1 / 0' }),
      /division/,
    );
    const [after] = await database.query<{ value: string | null }>(read);
    t.equal(after?.value ?? '', '', 'it was of the transaction alone');
    t.same(await database.query('SELECT n FROM tally ORDER BY n'), [{ n: 1 }, { n: 2 }]);
  });

  t.test('a transaction ends with its closing, and one whose closing fails leaves nothing behind', async (t) => {
    await database.query('CREATE TABLE closings (n integer CONSTRAINT not_below CHECK (n >= 0))');
    const add = (n: number, closing: string): Promise<unknown> =>
      database.transaction((tx) => tx.query('INSERT INTO closings VALUES ($1)', [n]), { closing });
    await add(1, 'INSERT INTO closings VALUES (2)');
    const refused = await add(3, 'INSERT INTO closings VALUES (-1)').catch((error: unknown) => error);
    t.ok(refused instanceof DatabaseConflict);
    t.match(refused, { kind: 'check', constraint: 'not_below' });
    await t.rejects(
      database.transaction(() => Promise.reject(new Error('the body gave up')), {
        closing: 'INSERT INTO closings VALUES (4)',
      }),
      /gave up/,
    );
    t.same(await database.query('SELECT n FROM closings ORDER BY n'), [{ n: 1 }, { n: 2 }]);
  });

  t.test(
    'statements of a transaction that go out together are done in order, none after one that failed',
    async (t) => {
      await database.query('CREATE TABLE together (n integer)');
      const send = (divisor: number): Promise<readonly unknown[]> =>
        database.transaction((tx) =>
          Promise.all([
            tx.query('INSERT INTO together VALUES ($1)', [divisor]),
            tx.query('SELECT n / $1 AS n FROM together', [divisor]),
            tx.query('UPDATE together SET n = n + $1 RETURNING n', [10]),
          ]),
        );
      await t.rejects(send(0), /division/, 'the first that failed is told of');
      const failLate = (tx: Queryable) =>
        tx.query('SELECT 1 / $1::integer', [0]).catch(async (error: unknown) => {
          await setImmediate();
          throw error;
        });
      const sent = database.transaction((tx) => Promise.all([failLate(tx), tx.query('SELECT $1::integer', [1])]));
      await t.rejects(sent, /division/, 'also where the body hears of another failure first');
      t.same(await database.query('SELECT n FROM together'), []);
      t.same(await send(2), [[], [{ n: 1 }], [{ n: 12 }]]);
    },
  );

  t.test('a statement after the end of its transaction is refused', async (t) => {
    const tx = await database.transaction(async (tx) => tx);
    await t.rejects(tx.query('INSERT INTO tally VALUES (5)'), /after the end/);
  });

  t.test('nobody sees a transaction before its end, and its own statements see it', async (t) => {
    await database.query('CREATE TABLE steps (n integer)');
    const outside: Promise<unknown>[] = [];
    await database.transaction(async (tx) => {
      await tx.query('INSERT INTO steps VALUES (1)');
      outside.push(database.query('SELECT count(*) AS n FROM steps'));
      t.same(await tx.query('SELECT count(*) AS n FROM steps'), [{ n: 1 }]);
      await tx.query('DELETE FROM steps');
    });
    t.same(await Promise.all(outside), [[{ n: 0 }]]);
  });

  t.test('concurrent transactions lose no update', async (t) => {
    await database.query('CREATE TABLE balance (n integer)');
    await database.query('INSERT INTO balance VALUES (0)');
    await Promise.all(
      Array.from({ length: 20 }, () =>
        database.transaction(async (tx) => {
          const [row] = await tx.query<{ n: number }>('SELECT n FROM balance FOR UPDATE');
          await tx.query('UPDATE balance SET n = $1', [(row?.n ?? 0) + 1]);
        }),
      ),
    );
    t.same(await database.query('SELECT n FROM balance'), [{ n: 20 }]);
  });
}

function testOrder(t: Test, database: Database): void {
  t.test('each of many concurrent statements gets its own answer, failures included', async (t) => {
    const answers = await Promise.allSettled(
      Array.from({ length: 300 }, (_, n) => database.query('SELECT 100 / ($1::integer % 7) AS n', [n])),
    );
    for (const [n, answer] of answers.entries()) {
      if (n % 7 === 0) t.equal(answer.status, 'rejected');
      else t.match(answer, { value: [{ n: Math.trunc(100 / (n % 7)) }] });
    }
  });

  t.test('a statement past its deadline rejects as a store that does not answer', async (t) => {
    const error = await database.query('SELECT pg_sleep(0.5)', [], { deadlineMs: 20 }).catch((error: unknown) => error);
    t.match(error, { code: 'STORE_UNAVAILABLE' });
    await database.ping();
  });
}
