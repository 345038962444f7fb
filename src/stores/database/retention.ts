/**
 * Rounds that delete what is past its lifetime, every hour from some minutes after a start, by the database’s clock and in short batches.
 * A failed round is repeated by the next; several instances do not disturb each other. The most important data has a `RetentionGuard`.
 */
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { Database, Queryable, Row, SqlValue } from './port.js';
import { type Rounds, startRounds } from '../rounds.js';
import { readClock } from './server.js';

const dayMs = 86_400_000;

export const retentionEveryMs = 3_600_000;
/** A start deletes nothing: whoever starts with a wrong setting has time to see it. */
const firstAfterMs = 600_000;
const batchMax = 1_000;
/** A round deletes no more than this many batches; what is left waits for the next. */
const batchesMax = 1_000;

export interface RoundsDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'retentionWaits'>;
}

export interface RetentionRoundsDeps extends RoundsDeps {
  /** The deleted data, for the log and the operator: "receipts". */
  readonly what: string;
  /** Moves on a day at a time, and waits for an operator’s override if much more is due; absent for records without consequence. */
  readonly guard?: RetentionGuard;
  /** Deletes what is past its lifetime at `nowMs`; resolves to what was deleted, empty or 0 for nothing. A long one looks whether it is to stop. */
  readonly drop: (nowMs: number, isStopping: () => boolean) => Promise<readonly string[] | number>;
}

export type RetentionRounds = Pick<Rounds, 'stop'>;

export function startRetentionRounds(deps: RetentionRoundsDeps): RetentionRounds {
  const { logger, what } = deps;
  if (deps.guard !== undefined) void reportWaiting(deps).catch(() => undefined);
  return startRounds({
    ...{ everyMs: retentionEveryMs, firstMs: firstAfterMs },
    work: (isStopping) => runRetention(deps, isStopping),
    onError: (error) => logger.warn({ err: error, what }, 'deleting expired records failed; the next round retries'),
  });
}

/** A deletion that waited when an earlier process stopped still waits; the first round would report that late. */
async function reportWaiting({ database, metrics, what }: RetentionRoundsDeps): Promise<void> {
  const mark = (await readMarks(database)).find((each) => each.what === what);
  metrics.retentionWaits.set({ what }, (mark?.waitsFor ?? null) === null ? 0 : 1);
}

/** One round. Rejects where the database is away. */
export async function runRetention(
  { database, logger, metrics, what, guard, drop }: RetentionRoundsDeps,
  isStopping: () => boolean = () => false,
): Promise<void> {
  const nowMs = guard === undefined ? await readClock(database) : await advance(database, what, guard);
  if (guard !== undefined) metrics.retentionWaits.set({ what }, nowMs === null ? 1 : 0);
  if (nowMs === null) {
    logger.error(
      { what, command: 'npm run admin -- retention' },
      'unusually many records expired; an operator must approve the deletion',
    );
    return;
  }
  const dropped = await drop(nowMs, isStopping);
  if (guard !== undefined && !isStopping()) await noteDeleted(database, what, nowMs, guard.keepDays);
  const isNothing = typeof dropped === 'number' ? dropped === 0 : dropped.length === 0;
  if (!isNothing) logger.info({ what, dropped }, 'expired records deleted');
}

/** Whether a row fulfils the condition, which has the first of `values` as $1. */
async function hasRow(
  database: Database,
  { table, where, values }: Pick<BatchDeletion, 'table' | 'where' | 'values'>,
): Promise<boolean> {
  return (await database.query(`SELECT 1 FROM ${table} WHERE ${where} LIMIT 1`, values)).length > 0;
}

/** Rows whose lifetime counts from one of their times. */
export interface Lifetime {
  readonly table: string;
  /** The time, as SQL. */
  readonly column: string;
  readonly keepDays: number;
}

const overAge = ({ table, column, keepDays }: Lifetime, nowMs: number) => ({
  ...{ table, where: `${column} < $1`, values: [new Date(nowMs - keepDays * dayMs)] },
});

export const guardByColumn = (database: Database, lifetime: Lifetime): RetentionGuard => ({
  keepDays: lifetime.keepDays,
  isDue: (nowMs) => hasRow(database, overAge(lifetime, nowMs)),
});

/** Deletes what is past its lifetime at `nowMs`; resolves to how many rows. */
export const dropOverAge = (
  database: Database,
  lifetime: Lifetime,
  nowMs: number,
  isStopping?: () => boolean,
): Promise<number> => deleteInBatches(database, { ...overAge(lifetime, nowMs), isStopping });

export interface BatchDeletion {
  readonly table: string;
  /** Condition on the rows, with the first of `values` as $1. */
  readonly where: string;
  readonly values: readonly SqlValue[];
  /** Columns of the deleted rows that `onBatch` is given. */
  readonly returning?: string;
  /** Sees to what hangs on deleted rows, in the transaction that deletes them. */
  readonly onBatch?: (tx: Queryable, rows: readonly Row[]) => Promise<void>;
  /** Looked at between batches; what is left then waits for the next round. */
  readonly isStopping?: (() => boolean) | undefined;
}

/** Deletes matching rows in batches, each with what `onBatch` does or not at all, and resolves to how many there were. */
export async function deleteInBatches(database: Database, deletion: BatchDeletion): Promise<number> {
  const { table, where, values, returning = '1 AS one', onBatch, isStopping } = deletion;
  const remove = (on: Queryable): Promise<readonly Row[]> =>
    on.query<Row>(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${where} LIMIT ${batchMax})) RETURNING ${returning}`,
      values,
    );
  const removeWhole = async (tx: Queryable): Promise<readonly Row[]> => {
    const rows = await remove(tx);
    if (rows.length > 0) await onBatch?.(tx, rows);
    return rows;
  };
  let deleted = 0;
  for (let batch = 0; batch < batchesMax && isStopping?.() !== true; batch += 1) {
    const rows = await (onBatch === undefined ? remove(database) : database.transaction(removeWhole));
    deleted += rows.length;
    if (rows.length < batchMax) break;
  }
  return deleted;
}

/** Rows that have been due for longer than this were not left over by a stop of some days. */
const overdueDaysMax = 7;

/** Bounds deletion by age to a day at a time, and stops it if more than a week is due at once. A wrong clock or setting costs at most a day. */
export interface RetentionGuard {
  readonly keepDays: number;
  /** Whether anything is past its lifetime as of this time, milliseconds since 1970. */
  readonly isDue: (nowMs: number) => Promise<boolean>;
}

export interface RetentionMark {
  readonly what: string;
  /** ISO 8601; null before the first deletion. */
  readonly deletedBefore: string | null;
  /** Deletion stands still until it is allowed up to this time; null where it does not. */
  readonly waitsFor: string | null;
}

/** The time up to which deletion may go now; null while it waits for an operator. `noteDeleted` records that it was done. */
async function advance(database: Database, what: string, guard: RetentionGuard): Promise<number | null> {
  const { keepDays, isDue } = guard;
  const keepMs = keepDays * dayMs;
  const dueBefore = (await readClock(database)) - keepMs;
  const overdueBefore = dueBefore - overdueDaysMax * dayMs;
  const [row] = await database.query<{ deleted: Date | null; allowed: Date | null }>(
    'SELECT deleted_before AS deleted, allowed_before AS allowed FROM retention_marks WHERE what = $1',
    [what],
  );
  const allowed = Math.min(dueBefore, row?.allowed?.getTime() ?? -Infinity);
  const mark = row?.deleted?.getTime() ?? -Infinity;
  if (mark >= overdueBefore) return Math.max(allowed, Math.min(dueBefore, mark + dayMs)) + keepMs;
  // If nothing is due so far back, no deletion was missed.
  if (!(await isDue(overdueBefore + keepMs))) return Math.min(dueBefore, overdueBefore + dayMs) + keepMs;
  if (allowed > mark) return allowed + keepMs;
  await database.query(
    `INSERT INTO retention_marks (what, waits_for) VALUES ($1, $2) ON CONFLICT (what) DO UPDATE SET waits_for = excluded.waits_for`,
    [what, new Date(dueBefore)],
  );
  return null;
}

/** Notes that everything past its lifetime as of `nowMs` was deleted. An operator’s override applies to one run. */
async function noteDeleted(database: Database, what: string, nowMs: number, keepDays: number): Promise<void> {
  await database.query(
    `INSERT INTO retention_marks AS m (what, deleted_before) VALUES ($1, $2)
     ON CONFLICT (what) DO UPDATE SET waits_for = NULL, allowed_before = NULL, deleted_before = greatest(m.deleted_before, excluded.deleted_before)`,
    [what, new Date(nowMs - keepDays * dayMs)],
  );
}

/** Allows one run to delete `what` up to this time. Returns false if nothing of that name was deleted or waits. */
export async function allowDeletion(database: Database, what: string, before: Date): Promise<boolean> {
  const rows = await database.query(
    'UPDATE retention_marks SET allowed_before = greatest(allowed_before, $2) WHERE what = $1 RETURNING 1',
    [what, before],
  );
  return rows.length > 0;
}

export async function readMarks(database: Database): Promise<readonly RetentionMark[]> {
  const rows = await database.query<{ what: string; deleted: Date | null; waits: Date | null }>(
    'SELECT what, deleted_before AS deleted, waits_for AS waits FROM retention_marks ORDER BY what',
  );
  return rows.map(({ what, deleted, waits }) => ({
    what,
    deletedBefore: deleted?.toISOString() ?? null,
    waitsFor: waits?.toISOString() ?? null,
  }));
}
