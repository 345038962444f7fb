/**
 * Applies numbered SQL files in order, each in a transaction with the note that it was applied. A failed file is rolled back, and the next
 * start tries again. An advisory lock admits one process at a time.
 *
 * Within a major version migrations only add, and the next major removes: a version starts on a later one’s database of the same major,
 * and both run together. A statement waits two seconds for a lock, then lets others pass and is repeated until its patience ends.
 */
import { setTimeout } from 'node:timers/promises';
import { compareWith, type Comparison, type Plan, type PlanOptions, readPlan } from './migration-plan.js';
import { countNoun } from '../../contract/plural.js';
import type { Database, Queryable } from './port.js';
import { isLockTimeout } from './transaction.js';

/** Any number will do, as long as nothing else in the database locks the same. */
const advisoryLock = 7_236_501;
const deadlineMs = 600_000;
const lockTimeoutMs = 2_000;
const pauseMs = 1_000;

export interface MigrateOptions extends PlanOptions {
  /** How long a migration is tried again while others hold the locks that it needs. */
  readonly patienceMs?: number;
  /** Called with the migrations of a later version that are already applied. */
  readonly onLater?: (names: readonly string[]) => void;
}

/** Applies what is missing and answers with the names of what it applied. */
export async function migrate(
  database: Database,
  { patienceMs = 300_000, onLater, ...options }: MigrateOptions = {},
): Promise<readonly string[]> {
  const plan = await readPlan(options);
  const applied: string[] = [];
  const giveUpAtMs = performance.now() + patienceMs;
  for (;;) {
    const { next, later } = await database
      .transaction((tx) => applyNext(tx, plan), { deadlineMs })
      .catch(async (error: unknown) => {
        if (!isLockTimeout(error)) throw error;
        if (performance.now() > giveUpAtMs)
          throw new Error(
            'A migration waits for a lock. End the oldest transaction in pg_stat_activity, then start again.',
            { cause: error },
          );
        await setTimeout(pauseMs);
        return { next: null, later: [] };
      });
    if (next === undefined) {
      if (later.length > 0) onLater?.(later);
      return applied;
    }
    if (next !== null) applied.push(next.name);
  }
}

async function applyNext(tx: Queryable, plan: Plan): Promise<Comparison> {
  const found = await findNext(tx, plan);
  if (found.next === undefined) return found;
  const { name, sql, sha256 } = found.next;
  await tx.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
  await tx.query(sql);
  await tx.query('INSERT INTO migrations (name, sha256, major) VALUES ($1, $2, $3)', [name, sha256, plan.major]);
  return found;
}

async function findNext(tx: Queryable, plan: Plan): Promise<Comparison> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLock]);
  await tx.query(
    `CREATE TABLE IF NOT EXISTS migrations (
       name text PRIMARY KEY, sha256 text NOT NULL, major integer NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
  );
  return compareWith(tx, plan);
}

const migrateCommand = 'npm run --silent admin -- migrate';

/** The error for an empty database, or for a directory without one. */
export const emptyDatabaseError = (): Error =>
  new Error(
    `The database has no tables of this service. Start the service on it or run ${migrateCommand}, then repeat the command.`,
  );

/** For commands; only reads. Rejects, with what to do, if a migration is missing or the database is of a later major version. */
export async function requireSchema(
  database: Queryable,
  { onLater, ...options }: Omit<MigrateOptions, 'patienceMs'> = {},
): Promise<void> {
  const { isNew, next, missing, later } = await compareWith(database, await readPlan(options));
  if (isNew) throw emptyDatabaseError();
  if (next !== undefined)
    throw new Error(
      `The database lacks ${countNoun(missing, 'migration')}, from ${next.name} on. Use the command line of its version, or run ${migrateCommand}.`,
    );
  if (later.length > 0) onLater?.(later);
}
