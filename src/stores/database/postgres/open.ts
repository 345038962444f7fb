/**
 * PostgreSQL 15 or later through a pool of connections. The server ends statements at their deadline; connections that do not answer, or
 * lead to a demoted server, are replaced. While the server is away, calls reject with StoreUnavailable, at once if refused, else at their
 * deadline. The address chooses TLS (sslmode=verify-full and so on).
 */
import pg from 'pg';
import type { Logger } from '../../../telemetry/logger.js';
import { settleWithin } from '../../notifier.js';
import type { Database, Queryable, Row, SqlValue, TransactionCallOptions } from '../port.js';
import { retryRolledBack, runStatement, runTransaction } from '../transaction.js';
import { isReadOnly, mapError, wireTypes, withinDeadline } from '../wire.js';

export interface PostgresOptions {
  readonly url: string;
  /** Most connections at once. */
  readonly poolMax: number;
  /** Longest wait for one statement, waiting for a connection included. */
  readonly deadlineMs: number;
  readonly logger?: Logger;
}

type Ends = Required<Pick<TransactionCallOptions, 'opening' | 'closing'>>;

const store = 'postgres';
const idleMsMax = 30_000;
const closeDeadlineMs = 2_000;

/** Connects, and rejects with StoreUnavailable (or what the server objects to) where that fails. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const database = createPostgres(options);
  try {
    await database.ping();
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function createPostgres({ url, poolMax, deadlineMs: deadlineMsOwn, logger }: PostgresOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolMax,
    pipeline: true,
    connectionTimeoutMillis: deadlineMsOwn,
    idleTimeoutMillis: idleMsMax,
    statement_timeout: deadlineMsOwn,
    keepAlive: true,
    types: wireTypes,
    application_name: 'verifyhuman',
  });
  // A broken connection leaves the pool by itself, and the next call opens another. Each is listened to for as long as it lives: one that breaks between
  // two statements of a transaction has nobody else who listens, and an error event without a listener ends the process. So it is with the pool’s own.
  pool.on('connect', (client) =>
    client.on('error', (error) => logger?.warn({ err: error }, 'a connection to PostgreSQL broke')),
  );
  pool.on('error', () => undefined);
  const { checkOut, giveBack } = createLending(pool, () => deadlineMsOwn * 2);

  const run = createTimedRun(deadlineMsOwn);
  const runOnce = async <R extends Row>(
    sql: string,
    values: readonly SqlValue[],
    deadlineMs: number,
  ): Promise<readonly R[]> => {
    const client = await checkOut();
    try {
      const rows = await withinDeadline(run<R>(client, sql, values, deadlineMs), deadlineMs, store);
      giveBack(client, true);
      return rows;
    } catch (error) {
      // An error of the statement leaves the connection as it was; anything else does not.
      const isSound =
        error instanceof pg.DatabaseError ||
        (error instanceof Error && error.cause instanceof pg.DatabaseError && deadlineMs === deadlineMsOwn);
      giveBack(client, isSound, error);
      throw error;
    }
  };
  const query: Queryable['query'] = (sql, values = [], { deadlineMs = deadlineMsOwn } = {}) =>
    settleWithin(
      retryRolledBack(store, () => runOnce(sql, values, deadlineMs)),
      deadlineMs,
      store,
    );
  const transactOnce = async <T>(
    body: (tx: Queryable) => Promise<T>,
    { deadlineMs, opening: given, closing }: Ends & { readonly deadlineMs: number },
  ): Promise<T> => {
    const ownTime = deadlineMs === deadlineMsOwn ? '' : `SET LOCAL statement_timeout = ${Math.ceil(deadlineMs)};`;
    const client = await checkOut();
    // Anything but idle means that not even the rollback went through.
    const isSound = (): boolean => client.getTransactionStatus() === 'I';
    try {
      const result = await runTransaction({ client, deadlineMs, store, opening: ownTime + given, closing }, body);
      giveBack(client, isSound());
      return result;
    } catch (error) {
      giveBack(client, isSound(), error);
      throw error;
    }
  };
  const transaction: Database['transaction'] = (body, options) =>
    retryRolledBack(store, () =>
      transactOnce(body, { deadlineMs: deadlineMsOwn, opening: '', closing: '', ...options }),
    );
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> =>
    (closing ??= settleWithin(pool.end(), closeDeadlineMs, store).catch((error: unknown) =>
      logger?.warn({ err: mapError(error, store) }, 'PostgreSQL connections did not close in time'),
    ));

  const ping = async (): Promise<void> => void (await query('SELECT 1'));
  return { query, transaction, ping, connections: () => usageOf(pool), close };
}

const usageOf = ({ totalCount, idleCount, waitingCount }: pg.Pool) => ({
  busy: totalCount - idleCount,
  idle: idleCount,
  waiting: waitingCount,
});

/**
 * Lends connections. After one proves read-only (a failover left it behind), it and all made before are discarded; new ones find the
 * server that takes writes.
 */
function createLending(pool: pg.Pool, deadlineMs: () => number) {
  const madeIn = new WeakMap<pg.PoolClient, number>();
  let epoch = 0;
  pool.on('connect', (client) => madeIn.set(client, epoch));
  const isOfToday = (client: pg.PoolClient): boolean => madeIn.get(client) === epoch;
  const checkOut = async (): Promise<pg.PoolClient> => {
    for (;;) {
      const client = await withinDeadline(pool.connect(), deadlineMs(), store);
      if (isOfToday(client)) return client;
      client.release(true);
    }
  };
  const giveBack = (client: pg.PoolClient, isSound: boolean, error?: unknown): void => {
    if (isReadOnly(error) && isOfToday(client)) epoch += 1;
    client.release(!isSound || !isOfToday(client));
  };
  return { checkOut, giveBack };
}

/** Runs a statement under its own deadline where that is not the pool's. */
function createTimedRun(deadlineMsOwn: number) {
  return async <R extends Row>(
    client: pg.PoolClient,
    sql: string,
    values: readonly SqlValue[],
    deadlineMs: number,
  ): Promise<readonly R[]> => {
    if (deadlineMs === deadlineMsOwn) return runStatement<R>(client, sql, values);
    // For this transaction alone: behind a pooler the next statement may have another connection, and the next caller this one.
    await client.query(`BEGIN; SET LOCAL statement_timeout = ${Math.ceil(deadlineMs)}`);
    const rows = await runStatement<R>(client, sql, values).catch(async (error: unknown) => {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    });
    await client.query('COMMIT');
    return rows;
  };
}
