import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openEmbeddedDatabase } from '../../../src/stores/database/embedded/open.js';
import { migrate, requireSchema } from '../../../src/stores/database/migrate.js';
import { migrationsDirectory } from '../../../src/stores/database/migration-plan.js';
import type { Database } from '../../../src/stores/database/port.js';
import { openPostgres } from '../../../src/stores/database/postgres/open.js';
import { createNotifier } from '../../../src/stores/notifier.js';
import { temporaryDirectory } from '../../helpers/directories.js';
import { createEmptyDatabase, findStack } from '../../helpers/stores.js';
import { waitUntil } from '../../helpers/wait-until.js';

const databases: Database[] = [];
t.before(async () => databases.push(await openEmbeddedDatabase({ directory: null })));
t.teardown(() => Promise.all(databases.map((database) => database.close())));

/** The shared database with nothing in it, and a directory for migrations. */
async function prepare(t: Parameters<typeof temporaryDirectory>[0]) {
  const [database] = databases;
  if (database === undefined) throw new Error('The database was not opened.');
  await database.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  return { database, directory: temporaryDirectory(t) };
}

t.test('files are applied in order, once, however many start at the same time', async (t) => {
  const { database, directory } = await prepare(t);
  await writeFile(join(directory, '0002-b.sql'), 'INSERT INTO a VALUES (2); INSERT INTO a VALUES (3);');
  await writeFile(join(directory, '0001-a.sql'), '-- A comment; with a semicolon.\nCREATE TABLE a (n integer);');
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(database, { directory })));
  t.same(applied.flat().sort(), ['0001-a.sql', '0002-b.sql']);
  await writeFile(join(directory, '0003-c.sql'), 'INSERT INTO a VALUES (4)');
  t.same(await migrate(database, { directory }), ['0003-c.sql']);
  t.same(await database.query('SELECT n FROM a ORDER BY n'), [{ n: 2 }, { n: 3 }, { n: 4 }]);
});

t.test('a file that fails leaves nothing behind, and is tried again', async (t) => {
  const { database, directory } = await prepare(t);
  await writeFile(join(directory, '0001-a.sql'), 'CREATE TABLE a (n integer)');
  await writeFile(join(directory, '0002-b.sql'), 'INSERT INTO a VALUES (1); SELECT 1 / 0;');
  await t.rejects(migrate(database, { directory }), /division by zero/);
  t.same(await database.query('SELECT n FROM a'), []);
  await writeFile(join(directory, '0002-b.sql'), 'INSERT INTO a VALUES (1)');
  t.same(await migrate(database, { directory }), ['0002-b.sql']);
});

t.test(
  'a command changes no schema: an older one is refused with what to do, a later one of the major works',
  async (t) => {
    const { database, directory } = await prepare(t);
    const tables = () => database.query("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace");
    await writeFile(join(directory, '0001-a.sql'), 'CREATE TABLE a (n integer)');
    await t.rejects(requireSchema(database, { directory }), /has no tables of this service.*admin -- migrate/);
    t.same(await tables(), []);
    await migrate(database, { directory });
    await requireSchema(database, { directory });
    await writeFile(join(directory, '0002-b.sql'), 'CREATE TABLE b (n integer)');
    await writeFile(join(directory, '0003-c.sql'), 'CREATE TABLE c (n integer)');
    await t.rejects(requireSchema(database, { directory }), /lacks 2 migrations, from 0002-b\.sql on/);
    t.notOk((await tables()).some(({ relname }) => relname === 'b'));
    await migrate(database, { directory });
    await rm(join(directory, '0003-c.sql'));
    const later: string[] = [];
    await requireSchema(database, { directory, onLater: (names) => later.push(...names) });
    t.same(later, ['0003-c.sql']);
    await database.query("UPDATE migrations SET major = 9 WHERE name = '0003-c.sql'");
    await t.rejects(requireSchema(database, { directory, major: 1 }), /0003-c\.sql of version 9/);
  },
);

t.test('what was changed, is missing, misnamed or numbered twice is refused by name', async (t) => {
  const { database, directory } = await prepare(t);
  await writeFile(join(directory, '0001-a.sql'), 'CREATE TABLE a (n integer)');
  await migrate(database, { directory });
  await writeFile(join(directory, '0001-a.sql'), 'CREATE TABLE a (n bigint)');
  await t.rejects(migrate(database, { directory }), /0001-a\.sql was changed/);
  await rm(join(directory, '0001-a.sql'));
  const refusal = /0001-a\.sql of version 1; this is version 0/;
  await database.query('UPDATE migrations SET major = 1');
  await t.rejects(migrate(database, { directory, major: 0 }), refusal);
  const misnamed = join(directory, 'misnamed');
  await mkdir(misnamed);
  await writeFile(join(misnamed, '1-a.sql'), '');
  await t.rejects(migrate(database, { directory: misnamed }), /1-a\.sql is not named/);
  const twice = join(directory, 'twice');
  await mkdir(twice);
  await writeFile(join(twice, '0001-a.sql'), '');
  await writeFile(join(twice, '0001-b.sql'), '');
  await t.rejects(migrate(database, { directory: twice }), /the same number/);
});

t.test('the migrations that ship are found and apply to an empty database', async (t) => {
  const { database } = await prepare(t);
  const applied = await migrate(database);
  t.same(applied, (await readdir(migrationsDirectory())).filter((name) => name.endsWith('.sql')).sort());
  t.same(await migrate(database), []);
});

t.test('an older version starts on what a later one of the same major made, and says what that was', async (t) => {
  const { database, directory } = await prepare(t);
  await writeFile(join(directory, '0001-a.sql'), 'CREATE TABLE a (n integer)');
  await writeFile(join(directory, '0002-b.sql'), 'ALTER TABLE a ADD COLUMN later text');
  await migrate(database, { directory, major: 3 });
  await rm(join(directory, '0002-b.sql'));
  const told: string[] = [];
  const start = (major: number) =>
    migrate(database, { directory, major, onLater: (names) => void told.push(...names) });
  t.same(await start(3), []);
  t.same(told, ['0002-b.sql']);
  t.same(await start(4), [], 'a later major knows what became of it');
  await t.rejects(start(2), /0002-b\.sql of version 3/);
});

const stack = findStack(t, 'migrations beside a long reader');
if (stack !== null)
  t.test('a migration that waits for a lock lets others pass, and goes through when it is free', async (t) => {
    const url = await createEmptyDatabase(t, stack);
    const open = async (): Promise<Database> => {
      const database = await openPostgres({ url, poolMax: 2, deadlineMs: 20_000 });
      t.teardown(() => database.close());
      return database;
    };
    const [database, others] = [await open(), await open()];
    const directory = temporaryDirectory(t);
    await writeFile(join(directory, '0001-a.sql'), 'CREATE TABLE a (n integer)');
    await migrate(database, { directory });
    await writeFile(join(directory, '0002-b.sql'), 'ALTER TABLE a ADD COLUMN later text');
    const release = createNotifier();
    const reader = others.transaction(async (tx) => {
      await tx.query('SELECT n FROM a');
      await release.wait(60_000);
    });
    t.teardown(() => release.notify());
    await waitUntil(
      async () => (await others.query(`SELECT 1 FROM pg_locks WHERE relation = 'a'::regclass`)).length > 0,
      'a long reader holds the table',
    );
    await t.rejects(migrate(database, { directory, patienceMs: 0 }), /waits for a lock/, 'not for ever');
    const migrated = migrate(database, { directory });
    await waitUntil(
      async () => (await others.query('SELECT 1 FROM pg_locks WHERE NOT granted')).length > 0,
      'the migration waits',
    );
    t.same(await others.query('SELECT n FROM a'), [], 'a reader that came after it is served before it');
    release.notify();
    await reader;
    t.same(await migrated, ['0002-b.sql']);
  });
