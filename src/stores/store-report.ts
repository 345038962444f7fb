/**
 * Describes a store that does not serve to the operator: which one, where, and why. For the start, readiness and the log; never for callers.
 */
import pg from 'pg';
import type { Settings } from '../config/settings.js';
import { Fault, isUnavailable } from '../errors.js';
import { wordsOf } from '../telemetry/logged-error.js';
import type { Logger } from '../telemetry/logger.js';
import { settleWithin } from './notifier.js';
import { reportWait } from './wait-report.js';

export type StoreName = 'database' | 'counters' | 'log';

/** Names the stores of a process with their addresses, without users, passwords and options. */
export function nameStores(settings: Settings): Readonly<Record<StoreName, string>> {
  const { DATABASE_URL: database, REDIS_URL: redis, KAFKA_BROKERS: brokers, VH_DATA_DIR: directory } = settings;
  const databaseName = database === null ? `the database in ${directory}` : `PostgreSQL at ${placeOf(database)}`;
  return {
    database: databaseName,
    counters: redis === null ? 'the counters in memory' : nameRedis(redis),
    log: brokers === null ? `the log in ${databaseName}` : `Kafka at ${brokers.join(',')}`,
  };
}

/** The name of the counters: in logs, at the start and in readiness, which does not put it before an error that begins with it. */
export const nameRedis = (url: string): string => `Redis at ${placeOf(url)}`;

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
      const cause = causeOf(error);
      throw new Error(cause.startsWith(name) ? cause : `${name}: ${cause}`, { cause: error });
    });
}

const isServer = (name: string): boolean => name.startsWith('PostgreSQL');

/**
 * Runs a start's work on a store. Errors of the store or its client get its name and address; other errors stay unchanged. A long wait for a server is
 * logged.
 */
export async function needStore<T>(name: string, logger: Pick<Logger, 'warn'>, work: Promise<T>): Promise<T> {
  // The seconds make each line a new one, which the logger does not hold back as a repetition.
  const warn = (waitedSeconds: number): void =>
    logger.warn(
      `the start waits for ${name}, for ${waitedSeconds} s now. Check that the server answers, and in pg_stat_activity that no transaction holds a lock.`,
    );
  try {
    return await (isServer(name) ? reportWait(work, warn) : work);
  } catch (error) {
    if (!isUnavailable(error) && !(error instanceof pg.DatabaseError)) throw error;
    const remedy = isServer(name) ? ' Check DATABASE_URL, and that the server runs.' : '';
    throw new Error(`${name} cannot be used: ${causeOf(error)}.${remedy}`, { cause: error });
  }
}
