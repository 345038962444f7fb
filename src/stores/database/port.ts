/**
 * The database: PostgreSQL, or PGlite in a thread of its own, with the same SQL. Every adapter promises: a resolved write is durable; a
 * transaction is atomic, and rolled back when its function throws; calls have a deadline and reject with StoreUnavailable when the
 * database is away; constraint violations reject with a DatabaseConflict. bigint columns are numbers (none exceeds 2^53), timestamps Date,
 * jsonb parsed, bytea Uint8Array.
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
   * Runs one statement with $1-style parameters; JSON goes in as text (`$1::jsonb`). In a transaction, statements not awaited are sent
   * together and run in order, none after a failure.
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
   * Statements without parameters, sent with the commit, so that a contended row is locked only for it. They must break a constraint to
   * fail: nobody reads their rows.
   */
  readonly closing?: string;
  /** The organization whose share of the connections it takes. */
  readonly tenant?: string;
  /** Names the lock that it will hold: others of this process that name it wait without a connection. */
  readonly line?: string;
}

export interface Database extends Queryable {
  /**
   * Each statement has the deadline, the whole six times that. After a deadlock or failed serialization `run` is called again, up to three
   * times, so it must be repeatable; then StoreUnavailable.
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
 * Opens a transaction that joins a batch of keys: each is looked up in the index, instead of reading the table whole (docs/internals/adr/0003).
 * Without compilation, which takes seconds if a table has a partition for each day.
 */
export const keysAreLookedUp = 'SET LOCAL enable_hashjoin = off;SET LOCAL enable_mergejoin = off;SET LOCAL jit = off';
