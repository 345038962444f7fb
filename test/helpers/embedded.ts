/**
 * Embedded databases for tests, copied from a cluster with all migrations applied: a copy opens in a fifth of the time that a new one takes.
 * The cluster is made once for each state of the migrations, and kept below node_modules/.cache.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openEmbeddedDatabase } from '../../src/stores/database/embedded/open.js';
import { migrate } from '../../src/stores/database/migrate.js';
import { migrationsDirectory } from '../../src/stores/database/migration-plan.js';
import type { Database } from '../../src/stores/database/port.js';
import { temporaryDirectory } from './directories.js';
import { repositoryPath } from './repository.js';

const run = promisify(execFile);

interface Test {
  teardown(work: () => Promise<void>): unknown;
}

/** A database with all migrations applied and nothing else in it, closed and deleted when the test ends. */
export async function openTestDatabase(t: Test): Promise<Database> {
  const directory = join(temporaryDirectory(t), 'database');
  await copyCluster(directory);
  const database = await openEmbeddedDatabase({ directory });
  t.teardown(() => database.close());
  return database;
}

/** A data directory with a migrated cluster and nothing else: the first process in it starts in half of the processor's time. */
export async function migratedDirectory(t: Test): Promise<string> {
  const directory = temporaryDirectory(t);
  await copyCluster(join(directory, 'database'));
  return directory;
}

/** Writes a migrated cluster to a directory that does not exist yet, as an embedded database keeps it. */
export async function copyCluster(directory: string): Promise<void> {
  // Node's own copy takes five times the processor's time of this for the thousand files.
  await run('cp', ['-R', await ensureTemplate(), directory]);
}

/** Built under another name and renamed when complete, so that no test copies half of it. */
async function ensureTemplate(): Promise<string> {
  const parent = repositoryPath('node_modules/.cache/verifyhuman');
  const template = join(parent, `cluster-${await hashOfSources()}`);
  if (existsSync(template)) return template;
  await mkdir(parent, { recursive: true });
  const draft = await mkdtemp(join(parent, 'draft-'));
  try {
    const database = await openEmbeddedDatabase({ directory: draft });
    try {
      await migrate(database);
    } finally {
      await database.close();
    }
    await rename(draft, template);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another test file may have been faster.
    if (!existsSync(template)) throw error;
  }
  return template;
}

/** The content of the cluster depends on these: the migrations, and the version of PGlite. */
async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256').update(
    await readFile(repositoryPath('node_modules/@electric-sql/pglite/package.json')),
  );
  for (const name of (await readdir(migrationsDirectory())).sort())
    hash.update(name).update(await readFile(join(migrationsDirectory(), name)));
  return hash.digest('hex').slice(0, 24);
}
