import t from 'tap';
import { openEmbeddedDatabase, tidyTables } from '../../../../src/stores/database/embedded/open.js';

t.test(
  'a table that is emptied again and again does not grow without end, and quiet tables are left alone',
  async (t) => {
    const database = await openEmbeddedDatabase({ directory: null, tidyEveryMs: 3_600_000 });
    t.teardown(() => database.close());
    await database.query(
      'CREATE TABLE busy (n integer, filler text); CREATE TABLE quiet (n integer); INSERT INTO quiet VALUES (1)',
    );
    const sizes: number[] = [];
    for (let turn = 0; turn < 4; turn++) {
      await database.query(
        "INSERT INTO busy SELECT n, repeat('x', 200) FROM generate_series(1, $1::integer) n",
        [5_000],
      );
      await database.query('DELETE FROM busy');
      t.same(await tidyTables(database), ['public.busy']);
      sizes.push((await database.query<{ size: number }>("SELECT pg_table_size('busy') AS size"))[0]?.size ?? 0);
    }
    t.ok(Math.max(...sizes) <= 2 * (sizes[0] ?? 0) + 65_536, sizes.join());
    t.same(await tidyTables(database), []);
  },
);
