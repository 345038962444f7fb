/**
 * Applies plain numbered SQL files in order, each in a transaction of its own together with the note that it was applied.
 *
 * Safe under concurrent starts: an advisory lock lets one process at a time in, and the others find the work done. A file that was
 * changed after it was applied, two files with one number, and a database that is ahead of these files are refused by name. What fails
 * is rolled back whole, and the next start tries again.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../package-root.js';
import type { Database, Queryable } from './port.js';

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
}

/** Any number will do, as long as nothing else in the database locks the same. */
const advisoryLock = 7_236_501;
const deadlineMs = 600_000;

/** Applies what is missing and answers with the names of what it applied. */
export async function migrate(database: Database, directory = migrationsDirectory()): Promise<readonly string[]> {
  const migrations = await readMigrations(directory);
  const applied: string[] = [];
  for (let done = false; !done;) {
    done = await database.transaction(
      async (tx) => {
        const next = await findNext(tx, migrations);
        if (next === undefined) return true;
        await tx.query(next.sql);
        await tx.query('INSERT INTO migrations (name, sha256) VALUES ($1, $2)', [next.name, next.sha256]);
        applied.push(next.name);
        return false;
      },
      { deadlineMs },
    );
  }
  return applied;
}

/** The files stay in the source tree; compiled code finds them from the root of the package. */
export function migrationsDirectory(): string {
  return join(packageRoot, 'src', 'stores', 'database', 'migrations');
}

async function findNext(tx: Queryable, migrations: readonly Migration[]): Promise<Migration | undefined> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLock]);
  await tx.query(
    'CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
  );
  const applied = new Map(
    (await tx.query<{ name: string; sha256: string }>('SELECT name, sha256 FROM migrations')).map((row) => [
      row.name,
      row.sha256,
    ]),
  );
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = [...applied.keys()].find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new Error(
      `The database has the migration ${unknown}, which this version does not know. Start the version that made it, or a later one.`,
    );
  const changed = migrations.find(({ name, sha256 }) => applied.has(name) && applied.get(name) !== sha256);
  if (changed !== undefined)
    throw new Error(
      `The migration ${changed.name} was changed after it had been applied. Restore the file and put the change in a new one.`,
    );
  return migrations.find(({ name }) => !applied.has(name));
}

async function readMigrations(directory: string): Promise<readonly Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  names.forEach((name, index) => {
    if (!/^\d{4}-[a-z0-9-]+\.sql$/.test(name))
      throw new Error(`The migration ${name} is not named like 0001-what-it-makes.sql.`);
    if (name.slice(0, 4) === names[index - 1]?.slice(0, 4))
      throw new Error(`The migrations ${names[index - 1]} and ${name} have the same number.`);
  });
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(directory, name), 'utf8');
      return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}
