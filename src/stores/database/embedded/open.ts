/**
 * The embedded database: PGlite in a thread of its own, spoken to by pg over a stream between the threads.
 *
 *   ready ──the thread dies──▶ lost ──next call──▶ ready        (on disk; in memory, lost is final)
 *     └──────close──────▶ closed
 *
 * One connection: statements are pipelined, a transaction has it to itself. A statement that outlives its deadline rejects for its
 * caller and still holds the connection until it ends. When the thread dies, everything under way rejects with StoreUnavailable and,
 * on disk, the next call opens the cluster again: PostgreSQL's own log brings back what had been committed.
 * Durable here means that it outlives the process, however that ends. PGlite cannot force the disk, so a loss of power may cost the
 * last seconds: where that matters, use PostgreSQL. There is no autovacuum in here, so a timer clears away what deletes and updates leave behind.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { storeUnavailable } from '../../../errors.js';
import type { Logger } from '../../../telemetry/logger.js';
import { type DataLock, lockDataDirectory, type LockOptions } from '../../data-lock.js';
import type { CallOptions, Database, Queryable, Row, SqlValue, TransactionCallOptions } from '../port.js';
import { startRounds } from '../../rounds.js';
import { retryRolledBack, runStatement, runTransaction } from '../transaction.js';
import { mapError, wireTypes, withinDeadline } from '../wire.js';
import { createExclusiveQueue } from './exclusive-queue.js';
import { closeRequest, EmbeddedStream } from './stream.js';
import type { EmbeddedThreadData, EmbeddedThreadMessage } from './thread.js';

export interface EmbeddedOptions {
  /** How long to wait for a holder of the directory that is ending. */
  readonly lock?: Pick<LockOptions, 'waitMs'>;
  /** The directory of the cluster and its lock, created on first use; null keeps everything in memory. */
  readonly directory: string | null;
  readonly logger?: Logger;
  /** Longest wait for one statement, queueing included. */
  readonly deadlineMs?: number;
  /** How often dead rows are cleared away. */
  readonly tidyEveryMs?: number;
  /** Starts the thread; tests hand in their own to end it. */
  readonly startThread?: (data: EmbeddedThreadData) => Worker;
}

interface Connection {
  readonly client: pg.Client;
  readonly worker: Worker;
  isLost: boolean;
}

const store = 'embedded database';
const deadlineMsDefault = 10_000;
const openDeadlineMs = 60_000;
const closeDeadlineMs = 10_000;
const tidyEveryMsDefault = 60_000;
const waitingMax = 50_000;
const textsMax = 500;

/** Opens the embedded database, creating it on first use. Rejects with DataDirectoryInUse where another process has it open. */
export async function openEmbeddedDatabase(options: EmbeddedOptions): Promise<Database> {
  const lock =
    options.directory === null
      ? null
      : await lockDataDirectory(options.directory, { name: 'database.lock', ...options.lock });
  const cluster = options.directory === null ? null : join(options.directory, 'cluster');
  try {
    if (cluster !== null) await mkdir(cluster, { recursive: true });
    const reconnect = (): Promise<Connection> => connect(cluster, options);
    const supply = createSupply(await reconnect(), cluster === null ? null : reconnect);
    return createDatabase(supply, lock, options);
  } catch (error) {
    await lock?.release();
    throw mapError(error, store);
  }
}

interface Supply {
  /** The live connection when there is one right now. */
  current(): Connection | null;
  /** The live connection, opened again where the last one was lost. */
  obtain(): Promise<Connection>;
  /** Hands over the last connection and answers no more. */
  end(): Promise<Connection | null>;
}

/** Keeps one connection alive; `reconnect` is null where a lost one cannot be had back. */
function createSupply(first: Connection, reconnect: (() => Promise<Connection>) | null): Supply {
  let last = first;
  let opening: Promise<Connection> | null = null;
  let isEnded = false;

  const obtain = async (): Promise<Connection> => {
    if (isEnded) throw storeUnavailable(`${store}: closed`);
    if (!last.isLost) return last;
    if (reconnect === null) throw storeUnavailable(`${store}: its thread ended, and what was in memory with it`);
    opening ??= reconnect().finally(() => (opening = null));
    last = await opening;
    return last;
  };
  return {
    current: () => (isEnded || last.isLost ? null : last),
    obtain,
    end: async () => {
      isEnded = true;
      return opening === null ? last : opening.catch(() => null);
    },
  };
}

/**
 * Parsing and planning is half of the work of a small statement in here: a text that comes again is prepared, and one that is said to recur at once.
 * The connection keeps what is prepared, so that texts beyond the first hundreds are not.
 */
function createNames(): (sql: string, recurring?: boolean) => string | undefined {
  const seen = new Set<string>();
  const names = new Map<string, string>();
  return (sql, recurring = false) => {
    if (!recurring && !seen.has(sql)) {
      if (seen.size < textsMax) seen.add(sql);
      return names.get(sql);
    }
    const name = names.get(sql) ?? `recurring_${names.size}`;
    names.set(sql, name);
    return name;
  };
}

function createDatabase(supply: Supply, lock: DataLock | null, options: EmbeddedOptions): Database {
  const deadlineMsOwn = options.deadlineMs ?? deadlineMsDefault;
  const queue = createExclusiveQueue(waitingMax);

  const nameOf = createNames();

  const query = <R extends Row>(
    sql: string,
    values: readonly SqlValue[] = [],
    { deadlineMs = deadlineMsOwn, recurring = false }: CallOptions = {},
  ): Promise<readonly R[]> => {
    const name = nameOf(sql, recurring);
    const work = queue.shared(() => {
      const connection = supply.current();
      return connection === null
        ? supply.obtain().then(({ client }) => runStatement<R>(client, sql, values, name))
        : runStatement<R>(connection.client, sql, values, name);
    });
    return withinDeadline(work, deadlineMs, store);
  };
  const transaction = <T>(
    body: (tx: Queryable) => Promise<T>,
    { deadlineMs = deadlineMsOwn, opening = '', closing = '' }: TransactionCallOptions = {},
  ): Promise<T> =>
    retryRolledBack(store, () =>
      queue.exclusive(async () => {
        const { client } = await withinDeadline(supply.obtain(), openDeadlineMs, store);
        return runTransaction({ client, deadlineMs, store, opening, closing, nameOf }, body);
      }),
    );
  const tidying = startRounds({
    everyMs: options.tidyEveryMs ?? tidyEveryMsDefault,
    work: () => tidyTables({ query }),
    onError: (error) => options.logger?.warn({ err: error }, 'tidying the embedded database failed'),
  });
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    void tidying.stop();
    const connection = await supply.end();
    if (connection !== null) await queue.exclusive(() => disconnect(connection));
    await lock?.release();
  };

  return { query, transaction, ping: async () => void (await query('SELECT 1')), close: () => (closing ??= close()) };
}

const startOwnThread = (workerData: EmbeddedThreadData): Worker =>
  new Worker(new URL('./thread.js', import.meta.url), { workerData });

async function connect(
  directory: string | null,
  { logger, startThread = startOwnThread }: EmbeddedOptions,
): Promise<Connection> {
  const worker = startThread({ directory });
  try {
    await withinDeadline(opened(worker), openDeadlineMs, store);
    const client = new pg.Client({
      stream: () => new EmbeddedStream(worker),
      pipeline: true,
      user: 'postgres',
      database: 'postgres',
      ssl: false,
      types: wireTypes,
    });
    const connection: Connection = { client, worker, isLost: false };
    const lose = (error?: Error): void => {
      if (!connection.isLost && error !== undefined)
        logger?.error({ err: error }, 'the thread of the embedded database ended');
      connection.isLost = true;
    };
    client.on('error', lose);
    worker.once('exit', () => lose());
    await withinDeadline(client.connect(), openDeadlineMs, store);
    return connection;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

function opened(worker: Worker): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`connection lost: the database thread ended with code ${code}`)));
  });
}

/** Shuts the cluster down in good order; past the deadline the thread is ended, which loses nothing that was committed. */
async function disconnect({ worker, isLost }: Connection): Promise<void> {
  if (isLost) return;
  const closed = new Promise<void>((resolve) => {
    worker.on('message', (message: EmbeddedThreadMessage) => {
      if (!(message instanceof Uint8Array) && 'closed' in message) resolve();
    });
    worker.once('exit', () => resolve());
  });
  worker.postMessage(closeRequest);
  await withinDeadline(closed, closeDeadlineMs, store).catch(() => undefined);
  await worker.terminate();
}

/** Autovacuum uses the same rule: a fixed number of dead or changed rows plus a share of the table. */
const rowsMin = 1_000;
const share = 0.2;
const deadlineMs = 60_000;

/** One round. Answers with the tables that were tidied. */
export async function tidyTables(database: Queryable): Promise<readonly string[]> {
  // Counts are gathered lazily; this has them written before they are read.
  await database.query('SELECT pg_stat_force_next_flush()');
  const tables = await database.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, relname) AS name FROM pg_stat_user_tables
     WHERE n_dead_tup > $1::float8 + $2::float8 * n_live_tup OR n_mod_since_analyze > $1::float8 + $2::float8 * n_live_tup ORDER BY relid`,
    [rowsMin, share],
  );
  for (const { name } of tables) await database.query(`VACUUM (ANALYZE) ${name}`, [], { deadlineMs });
  return tables.map(({ name }) => name);
}
