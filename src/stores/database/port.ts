/**
 * The database: PostgreSQL, or PGlite in a thread of its own. Both run the same SQL and migrations.
 *
 * Promises of every adapter: a resolved write is durable; a transaction is atomic, and is rolled back when its
 * function throws; every call has a deadline and rejects with a StoreUnavailable fault when the database is away;
 * constraint violations reject with a DatabaseConflict that names the constraint. bigint columns come back as numbers
 * (none here exceeds 2^53), timestamps as Date, jsonb parsed, bytea as Uint8Array.
 */

export type SqlValue =
  | string
  | number
  | boolean
  | null
  | Date
  | Uint8Array
  | readonly (string | number | boolean | null | Date | Uint8Array)[];
export type Row = Readonly<Record<string, unknown>>;

export interface Queryable {
  /**
   * Runs one statement with $1-style parameters. JSON goes in as a string, cast in the SQL (`$1::jsonb`). Within a transaction, statements
   * that are not waited for go out together and are done in their order, none of them after one that failed.
   */
  query<R extends Row = Row>(sql: string, values?: readonly SqlValue[], options?: CallOptions): Promise<readonly R[]>;
}

export interface CallOptions {
  /** In place of the adapter's own deadline, for the few calls that are known to take long (migrations, maintenance). */
  readonly deadlineMs?: number;
  /** The statement, whose text is fixed, comes again and again: an adapter may have it parsed and planned once for a connection. */
  readonly recurring?: boolean;
}

export interface TransactionCallOptions extends CallOptions {
  /** Statements without parameters that the transaction begins with, in the message that begins it. Values in them are escaped by whoever writes them. */
  readonly opening?: string;
  /**
   * Statements without parameters that the transaction ends with, in the message that commits it: a row that many wait for is locked for the commit alone, and
   * not while we are at other things. What must not be committed has to break a constraint, since nobody looks at their rows.
   */
  readonly closing?: string;
}

export interface Database extends Queryable {
  /**
   * The deadline holds for each statement in it; the whole may last six times as long. Rolled back for a deadlock or a failed serialization, `run` is
   * called again, up to three times, so that what it does besides the transaction must bear repeating; after that, StoreUnavailable.
   */
  transaction<T>(run: (tx: Queryable) => Promise<T>, options?: TransactionCallOptions): Promise<T>;
  ping(): Promise<void>;
  /** How the connections of a pool are used; absent where there is none. */
  connections?(): Readonly<Record<'busy' | 'idle' | 'waiting', number>>;
  close(): Promise<void>;
}

export type ConflictKind = 'unique' | 'foreign_key' | 'check' | 'not_null' | 'exclusion';

/** SQLSTATE class 23, by the kind of constraint that was broken. */
export const conflictStates: Readonly<Record<string, ConflictKind>> = {
  '23505': 'unique',
  '23503': 'foreign_key',
  '23514': 'check',
  '23502': 'not_null',
  '23P01': 'exclusion',
};

/** A write that the database refused because of a constraint. */
export class DatabaseConflict extends Error {
  readonly kind: ConflictKind;
  /** Name of the constraint; for a missing value, the name of the column. */
  readonly constraint: string;
  readonly table: string;

  constructor(kind: ConflictKind, constraint: string, table: string, cause?: unknown) {
    super(`The write breaks the ${kind} constraint ${constraint} of ${table}.`, { cause });
    this.name = 'DatabaseConflict';
    this.kind = kind;
    this.constraint = constraint;
    this.table = table;
  }
}

/**
 * Opening of a transaction that joins a batch of keys to indexed tables: each key is looked up, where the planner would read a table whole
 * (docs/adr/0022).
 */
export const keysAreLookedUp = 'SET LOCAL enable_hashjoin = off;SET LOCAL enable_mergejoin = off';
