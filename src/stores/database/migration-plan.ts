/**
 * The migrations of this version, compared with those of a database. A changed file, a number used twice, and a later major version are
 * refused by name.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot, packageVersion } from '../../package-root.js';
import type { Queryable, Row } from './port.js';

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
}

export interface Plan {
  readonly migrations: readonly Migration[];
  /** The major version of this service. */
  readonly major: number;
}

interface Applied {
  readonly name: string;
  readonly sha256: string;
  /** The major version that applied it. */
  readonly major: number;
}

export interface PlanOptions {
  readonly directory?: string;
  /** First part of the version that migrates. */
  readonly major?: number;
}

export interface Comparison {
  /** The database was never migrated. */
  readonly isNew: boolean;
  /** The one that is to be applied next; undefined where the database has them all. */
  readonly next: Migration | undefined;
  /** How many are not applied. */
  readonly missing: number;
  /** Applied, and unknown to this version. */
  readonly later: readonly string[];
}

/** First part of the version. */
const ownMajor = (): number => Number.parseInt(packageVersion, 10);

/** The files stay in the source tree; compiled code finds them from the root of the package. */
export function migrationsDirectory(): string {
  return join(packageRoot, 'src', 'stores', 'database', 'migrations');
}

export const readPlan = async ({
  directory = migrationsDirectory(),
  major = ownMajor(),
}: PlanOptions = {}): Promise<Plan> => ({ migrations: await readMigrations(directory), major });

/** In the order of their numbers. Rejects where a name is not right. */
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

/** The migrations that a database has; its table of them exists. */
export const readApplied = (database: Queryable): Promise<readonly Applied[]> =>
  database.query<Applied & Row>('SELECT name, sha256, major FROM migrations ORDER BY name');

/** Only reads. Throws where the database is none that this version may work on. */
export async function compareWith(database: Queryable, { migrations, major }: Plan): Promise<Comparison> {
  const [table] = await database.query<{ known: boolean }>(`SELECT to_regclass('migrations') IS NOT NULL AS known`);
  const isNew = table?.known !== true;
  const rows = isNew ? [] : await readApplied(database);
  const applied = new Map(rows.map((row) => [row.name, row.sha256]));
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = rows.filter(({ name }) => !known.has(name));
  const breaking = unknown.find((row) => row.major > major);
  if (breaking !== undefined)
    throw new Error(
      `The database has the migration ${breaking.name} of version ${breaking.major}; this is version ${major}. Start version ${breaking.major} or later.`,
    );
  const changed = migrations.find(({ name, sha256 }) => applied.has(name) && applied.get(name) !== sha256);
  if (changed !== undefined)
    throw new Error(
      `The migration ${changed.name} was changed after it was applied. Restore it and add a new migration.`,
    );
  const missing = migrations.filter(({ name }) => !applied.has(name));
  return { isNew, next: missing[0], missing: missing.length, later: unknown.map(({ name }) => name) };
}
