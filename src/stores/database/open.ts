/**
 * Opens the database: PostgreSQL where its address is set, else the one in the data directory; for the service, and by itself for an operator's command.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../config/settings.js';
import type { Logger } from '../../telemetry/logger.js';
import { createClosers } from '../closers.js';
import { lockDataDirectory } from '../data-lock.js';
import { openEmbeddedDatabase } from './embedded/open.js';
import { migrate, emptyDatabaseError, requireSchema } from './migrate.js';
import type { Database } from './port.js';
import { openPostgres } from './postgres/open.js';
import { readServerMark } from './server.js';
import { nameStores, needStore } from '../store-report.js';
import type { Metrics } from '../../telemetry/metrics.js';

const statementTimeoutMs = 5_000;

const embeddedDirectory = ({ VH_DATA_DIR }: Settings): string => join(VH_DATA_DIR, 'database');

export function openDatabase(settings: Settings, logger: Logger): Promise<Database> {
  const { DATABASE_URL: url, VH_DATABASE_CONNECTIONS: poolMax } = settings;
  if (url === null) return openEmbeddedDatabase({ directory: embeddedDirectory(settings), logger });
  return openPostgres({ url, poolMax, deadlineMs: statementTimeoutMs, logger });
}

export const warnAboutNewerMigrations = (logger: Logger) => (migrations: readonly string[]) =>
  logger.warn({ migrations }, 'a newer version has migrated this database; this version runs alongside it');

/**
 * The database without the other stores, for a command; locks the data directory if it is in there. Its tables must exist; with
 * `onMigrated`, called for each, they are migrated.
 */
export async function openDatabaseAlone(
  settings: Settings,
  logger: Logger,
  onMigrated?: (name: string) => void,
): Promise<Database> {
  const opened = createClosers();
  const { database: name } = nameStores(settings);
  const onLater = warnAboutNewerMigrations(logger);
  try {
    if (settings.DATABASE_URL === null) {
      if (onMigrated === undefined && !existsSync(embeddedDirectory(settings))) throw emptyDatabaseError();
      const lock = await lockDataDirectory(settings.VH_DATA_DIR);
      opened.push(() => lock.release());
    }
    const database = await needStore(name, logger, openDatabase(settings, logger));
    opened.push(() => database.close());
    if (onMigrated === undefined) await needStore(name, logger, requireSchema(database, { onLater }));
    else (await needStore(name, logger, migrate(database, { onLater }))).forEach(onMigrated);
    return { ...database, close: () => opened.close() };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** The mark of the database that DATABASE_URL names, for a service to compare with its own; null if it names none. */
export async function findServerMark(settings: Settings, logger: Logger): Promise<string | null> {
  if (settings.DATABASE_URL === null) return null;
  const { database: name } = nameStores(settings);
  const database = await needStore(name, logger, openDatabase(settings, logger));
  try {
    return await needStore(name, logger, readServerMark(database));
  } finally {
    await database.close();
  }
}

export type DatabaseMetrics = Pick<
  Metrics,
  'databaseTime' | 'databaseFailures' | 'databaseConnections' | 'beforeScrape'
>;

/** Measures durations, failures and connections. `pool` names the database in the metrics: work, lookups. */
export function measured(database: Database, metrics: DatabaseMetrics, pool: string): Database {
  const timed = async <T>(kind: 'statement' | 'transaction', work: () => Promise<T>): Promise<T> => {
    const end = metrics.databaseTime.startTimer({ pool, kind });
    try {
      return await work();
    } catch (error) {
      metrics.databaseFailures.inc({ pool });
      throw error;
    } finally {
      end();
    }
  };
  metrics.beforeScrape.push(() => {
    for (const [state, count] of Object.entries(database.connections?.() ?? {}))
      metrics.databaseConnections.set({ pool, state }, count);
  });
  return {
    ...database,
    query: (sql, values, options) => timed('statement', () => database.query(sql, values, options)),
    transaction: (run, options) => timed('transaction', () => database.transaction(run, options)),
  };
}
