import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openEmbeddedDatabase } from '../../../src/stores/database/embedded/open.js';
import { migrate, migrationsDirectory } from '../../../src/stores/database/migrate.js';
import type { Database } from '../../../src/stores/database/port.js';
import { createDirectory } from '../../helpers/directories.js';

const databases: Database[] = [];
t.before(async () => databases.push(await openEmbeddedDatabase({ directory: null })));
t.teardown(() => Promise.all(databases.map((database) => database.close())));

/** The shared database with nothing in it, and a directory for migrations. */
async function prepare(t: Parameters<typeof createDirectory>[0]) {
  const [database] = databases;
  if (database === undefined) throw new Error('The database was not opened.');
  await database.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  return { database, directory: await createDirectory(t) };
}

t.test('files are applied in order, once, however many start at the same time', async (t) => {
  const { database, directory } = await prepare(t);
  await writeFile(join(directory, '0002-b.sql'), 'INSERT INTO a VALUES (2); INSERT INTO a VALUES (3);');
  await writeFile(join(directory, '0001-a.sql'), '-- A comment; with a semicolon.\nCREATE TABLE a (n integer);');
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(database, directory)));
  t.same(applied.flat().sort(), ['0001-a.sql', '0002-b.sql']);
  await writeFile(join(directory, '0003-c.sql'), 'INSERT INTO a VALUES (4)');
  t.same(await migrate(database, directory), ['0003-c.sql']);
  t.same(await database.query('SELECT n FROM a ORDER BY n'), [{ n: 2 }, { n: 3 }, { n: 4 }]);
});

t.test('a file that fails leaves nothing behind, and is tried again', async (t) => {
  const { database, directory } = await prepare(t);
  await writeFile(join(directory, '0001-a.sql'), 'CREATE TABLE a (n integer)');
  await writeFile(join(directory, '0002-b.sql'), 'INSERT INTO a VALUES (1); SELECT 1 / 0;');
  await t.rejects(migrate(database, directory), /division by zero/);
  t.same(await database.query('SELECT n FROM a'), []);
  await writeFile(join(directory, '0002-b.sql'), 'INSERT INTO a VALUES (1)');
  t.same(await migrate(database, directory), ['0002-b.sql']);
});

t.test('what was changed, is missing, misnamed or numbered twice is refused by name', async (t) => {
  const { database, directory } = await prepare(t);
  await writeFile(join(directory, '0001-a.sql'), 'CREATE TABLE a (n integer)');
  await migrate(database, directory);
  await writeFile(join(directory, '0001-a.sql'), 'CREATE TABLE a (n bigint)');
  await t.rejects(migrate(database, directory), /0001-a\.sql was changed/);
  await rm(join(directory, '0001-a.sql'));
  await t.rejects(migrate(database, directory), /0001-a\.sql, which this version does not know/);
  const misnamed = join(directory, 'misnamed');
  await mkdir(misnamed);
  await writeFile(join(misnamed, '1-a.sql'), '');
  await t.rejects(migrate(database, misnamed), /1-a\.sql is not named/);
  const twice = join(directory, 'twice');
  await mkdir(twice);
  await writeFile(join(twice, '0001-a.sql'), '');
  await writeFile(join(twice, '0001-b.sql'), '');
  await t.rejects(migrate(database, twice), /the same number/);
});

t.test('the migrations that ship are found and apply to an empty database', async (t) => {
  const { database } = await prepare(t);
  const applied = await migrate(database);
  t.same(applied, (await readdir(migrationsDirectory())).filter((name) => name.endsWith('.sql')).sort());
  t.same(await migrate(database), []);
});
