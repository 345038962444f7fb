/**
 * What an operator's command needs of a database that it has been pointed at: tables that are as this version knows them. Reads only, so that a
 * command with the wrong address changes nothing there. A later version of the same major is fine, as it is at a start.
 */
import { compare, migrationsDirectory, ownMajor, readApplied, readMigrations } from './migration-plan.js';
import type { MigrateOptions } from './migrate.js';
import type { Queryable } from './port.js';

const migrateCommand = 'npm run --silent admin -- migrate';

/** What is said of a database, or of a place for one, in which there is nothing yet. */
export const nothingThere = (): Error =>
  new Error(
    `There is nothing of this service in it. If it is the one that is meant, start the service on it, or make its tables (${migrateCommand}); then repeat the command.`,
  );

/** Rejects, with what to do, where a migration is missing or the database is of a later major version. */
export async function requireSchema(
  database: Queryable,
  {
    directory = migrationsDirectory(),
    major = ownMajor(),
    onLater,
  }: Pick<MigrateOptions, 'directory' | 'major' | 'onLater'> = {},
): Promise<void> {
  const [table] = await database.query<{ there: boolean }>(`SELECT to_regclass('migrations') IS NOT NULL AS there`);
  if (table?.there !== true) throw nothingThere();
  const plan = { migrations: await readMigrations(directory), major };
  const { next, missing, later } = compare(plan, await readApplied(database));
  if (next !== undefined)
    throw new Error(
      `The database is older than this command: ${missing} of its migrations are missing, from ${next.name} on. Give the command by the version that runs there, or bring the database to this one first: start this version on it, or ${migrateCommand}.`,
    );
  if (later.length > 0) onLater?.(later);
}
