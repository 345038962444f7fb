/**
 * Rounds that delete what is past its lifetime: at once and then every hour, in batches that hold locks for a moment only. A round that
 * fails is repeated by the next; rounds of several instances do not disturb each other, since a row that another has deleted is passed over.
 */
import type { Logger } from '../../telemetry/logger.js';
import type { Database, Row, SqlValue } from './port.js';

const everyMs = 3_600_000;
const batchMax = 1_000;
/** A round deletes no more than this many batches; what is left waits for the next. */
const batchesMax = 1_000;

export interface RetentionRoundsDeps {
  readonly logger: Logger;
  /** What is deleted, for the log: "receipts". */
  readonly what: string;
  /** Deletes what is past its lifetime; resolves to what was deleted, empty or 0 for nothing. A long one looks whether it is to stop. */
  readonly drop: (isStopping: () => boolean) => Promise<readonly string[] | number>;
}

export interface RetentionRounds {
  /** Starts no further round and resolves when the one in hand has ended. */
  stop(): Promise<void>;
}

export function startRetentionRounds({ logger, what, drop }: RetentionRoundsDeps): RetentionRounds {
  let running: Promise<void> = Promise.resolve();
  let isStopping = false;
  const look = (): void => {
    running = drop(() => isStopping).then(
      (dropped) => {
        const isNothing = typeof dropped === 'number' ? dropped === 0 : dropped.length === 0;
        if (!isNothing) logger.info({ what, dropped }, 'records past their lifetime were deleted');
      },
      (error: unknown) =>
        logger.warn({ err: error, what }, 'records past their lifetime were not deleted; the next round does it'),
    );
  };
  look();
  const timer = setInterval(look, everyMs);
  timer.unref();
  return {
    stop: () => {
      isStopping = true;
      clearInterval(timer);
      return running;
    },
  };
}

export interface BatchDeletion {
  readonly table: string;
  /** Condition on the rows, with the first of `values` as $1. */
  readonly where: string;
  readonly values: readonly SqlValue[];
  /** Columns of the deleted rows that `onBatch` is given. */
  readonly returning?: string;
  readonly onBatch?: (rows: readonly Row[]) => Promise<void>;
  /** Looked at between batches; what is left then waits for the next round. */
  readonly isStopping?: () => boolean;
}

/** Deletes matching rows, a batch a statement, and resolves to how many there were. */
export async function deleteInBatches(database: Database, deletion: BatchDeletion): Promise<number> {
  const { table, where, values, returning = '1 AS one', onBatch, isStopping } = deletion;
  let deleted = 0;
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const rows = await database.query<Row>(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${where} LIMIT ${batchMax})) RETURNING ${returning}`,
      values,
    );
    deleted += rows.length;
    await onBatch?.(rows);
    if (rows.length < batchMax || isStopping?.() === true) break;
  }
  return deleted;
}
