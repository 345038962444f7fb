/**
 * Describes a store that does not serve to the operator: which one, where, and why. For the start, readiness and the log; never for callers.
 */
import pg from 'pg';
import type { Settings } from '../config/settings.js';
import { Fault, isUnavailable } from '../errors.js';
import { wordsOf } from '../telemetry/logged-error.js';
import { settleWithin } from './notifier.js';

export type StoreName = 'database' | 'counters' | 'log';

/** Names the stores of a process with their addresses, without users, passwords and options. */
export function nameStores(settings: Settings): Readonly<Record<StoreName, string>> {
  const { DATABASE_URL: database, REDIS_URL: redis, KAFKA_BROKERS: brokers, VH_DATA_DIR: directory } = settings;
  const databaseName = database === null ? `the database in ${directory}` : `PostgreSQL at ${placeOf(database)}`;
  return {
    database: databaseName,
    counters: redis === null ? 'the counters in memory' : `Redis at ${placeOf(redis)}`,
    log: brokers === null ? `the log in ${databaseName}` : `Kafka at ${brokers.join(',')}`,
  };
}

/** Hosts, ports and path of an address. */
function placeOf(url: string): string {
  const [rest = ''] = url.replace(/^[a-z+]+:\/\//i, '').split(/[?#]/);
  return rest.slice(rest.lastIndexOf('@') + 1);
}

/** Why, in the words of the server or the client. */
export function causeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return [...new Set(error.errors.map((one) => causeOf(one)))].join(', ');
  if (!(error instanceof Fault)) return wordsOf(error);
  return error.cause instanceof AggregateError ? causeOf(error.cause) : (error.details.internal ?? error.message);
}

/** A check of a store whose rejection says which, where and why, at its deadline too. */
export function reportedCheck(name: string, check: () => Promise<void>, deadlineMs: number): () => Promise<void> {
  return () =>
    settleWithin(check(), deadlineMs, 'the check').catch((error: unknown) => {
      throw new Error(`${name}: ${causeOf(error)}`, { cause: error });
    });
}

/** Names the setting to check of a database with an address. */
const remedyOf = (name: string): string =>
  name.startsWith('PostgreSQL') ? ' Check DATABASE_URL, and that the server runs.' : '';

/** Runs a start's work on a store. Errors of the store or its client get its name and address; other errors stay unchanged. */
export async function needStore<T>(name: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isUnavailable(error) && !(error instanceof pg.DatabaseError)) throw error;
    throw new Error(`${name} cannot be used: ${causeOf(error)}.${remedyOf(name)}`, { cause: error });
  }
}
