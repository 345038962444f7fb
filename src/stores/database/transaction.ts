/**
 * BEGIN, the body, COMMIT on one connection. Any failure rolls back; the caller gets the first, whatever fails after it. A body is given up after six
 * deadlines, and its statements are refused once the transaction is over.
 */
import type pg from 'pg';
import { settleWithin } from '../notifier.js';
import type { CallOptions, Queryable, Row, SqlValue } from './port.js';
import { withinDeadline } from './wire.js';
import { setTimeout as pause } from 'node:timers/promises';
import { storeUnavailable } from '../../errors.js';

export interface TransactionOptions {
  readonly client: pg.ClientBase;
  readonly deadlineMs: number;
  readonly store: string;
  /** Goes out with BEGIN, in one message; may be empty. */
  readonly opening: string;
  /** Goes out with COMMIT, in one message; may be empty. */
  readonly closing: string;
  /** The name under which a statement is prepared, if it is. */
  readonly nameOf?: (sql: string, recurring?: boolean) => string | undefined;
}

/** A transaction as a whole may last this many deadlines of a statement. */
const wholeFactor = 6;

/** Runs `body` in a transaction. Rejects with what the body, or the connection, failed with. */
export async function runTransaction<T>(
  { client, deadlineMs, store, opening, closing, nameOf }: TransactionOptions,
  body: (tx: Queryable) => Promise<T>,
): Promise<T> {
  let isOver = false;
  let firstFailure: unknown;
  // Statements that went out behind one that failed fail too, and the body may hear of them first.
  const fail = (error: unknown): never => {
    firstFailure ??= error;
    throw isAborted(error) ? firstFailure : error;
  };
  const send: Queryable['query'] = <R extends Row>(
    sql: string,
    values: readonly SqlValue[] = [],
    options: CallOptions = {},
  ) => {
    const name = nameOf?.(sql, options.recurring);
    return withinDeadline(
      runStatement<R>(client, sql, values, name).catch(fail),
      options.deadlineMs ?? deadlineMs,
      store,
    );
  };
  const query: Queryable['query'] = (sql, values, options) =>
    isOver
      ? Promise.reject(new Error('A statement came after the end of its transaction.'))
      : send(sql, values, options);
  try {
    await send(`BEGIN;${opening}`);
    const result = await settleWithin(body({ query }), deadlineMs * wholeFactor, store);
    isOver = true;
    // If the closing fails, the server reads no further, and the rollback below ends the transaction.
    await send(closing === '' ? 'COMMIT' : `${closing};COMMIT`);
    return result;
  } catch (error) {
    isOver = true;
    // A rollback that fails means a lost connection, which has rolled back by itself.
    await send('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** One statement, prepared under a name if one is given; without parameters also several, as migrations need, of which the last one's rows count. */
export async function runStatement<R extends Row>(
  client: pg.ClientBase,
  sql: string,
  values: readonly SqlValue[],
  name?: string,
): Promise<readonly R[]> {
  if (values.length > 0)
    return (await client.query<R>({ text: sql, values: [...values], ...(name === undefined ? {} : { name }) })).rows;
  const result: pg.QueryResult<R> | readonly pg.QueryResult<R>[] = await client.query<R>(sql);
  return (Array.isArray(result) ? (result as readonly pg.QueryResult<R>[]).at(-1)?.rows : result.rows) ?? [];
}

/** 40003 is none of them: whether the work was done is not known then. */
const retried = /^40(?!003)[0-9A-Z]{3}$/;
/** Waits before the second try and those after it. */
const pausesMs = [20, 80, 320];

/** Repeats work rolled back for a deadlock or failed serialization (SQLSTATE class 40), later each time; then rejects with StoreUnavailable. */
export async function retryRolledBack<T>(store: string, attempt: () => Promise<T>): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRolledBack(error)) throw error;
      await pause(pauseMs);
    }
  }
  return attempt().catch((error: unknown) => {
    throw isRolledBack(error) ? storeUnavailable(`${store}: ${String(error)}`, error) : error;
  });
}

/** A transaction’s body rejects with this to be rolled back and run again, as after a conflict on the server. */
export const startOver = (reason: string): Error => Object.assign(new Error(reason), { code: '40001' });

function isRolledBack(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && retried.test(error.code);
}

/** SQLSTATE in_failed_sql_transaction, and invalid_sql_statement_name: what was to be prepared behind a statement that failed was not. */
const isAborted = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '25P02' || error.code === '26000');

/** SQLSTATE lock_not_available, as it is or as the cause of what the adapter made of it. */
export function isLockTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error as { readonly code?: unknown }).code === '55P03' || isLockTimeout(error.cause);
}
