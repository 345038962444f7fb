/**
 * Removes what every group of a topic has read. Groups not seen for the retention time hold nothing back, and topics without groups keep
 * entries that long; neither applies in the first minutes, so that groups can return after a long stop. The next round repeats a failed
 * one.
 */
import type { Logger } from '../../../telemetry/logger.js';
import type { Database } from '../../database/port.js';
import { type Rounds, startRounds } from '../../rounds.js';

export interface TrimDeps {
  readonly database: Database;
  readonly logger?: Logger | undefined;
  readonly everyMs: number;
  readonly retentionSeconds: number;
}

/** How many batches are removed before their space is made free for new ones. */
const vacuumEvery = 500;
const retentionEveryMs = 600_000;

export function startTrimming({ database, logger, everyMs, retentionSeconds }: TrimDeps): Rounds {
  let removed = 0;
  let expiredAtMs = performance.now();
  const work = async (): Promise<void> => {
    removed += await removeRead(database);
    if (removed >= vacuumEvery) {
      removed = 0;
      await database.query('VACUUM log_batches');
    }
    if (performance.now() - expiredAtMs < retentionEveryMs) return;
    expiredAtMs = performance.now();
    await removeExpired(database, retentionSeconds);
  };
  const onError = (error: unknown): void =>
    logger?.warn({ err: error }, 'trimming the log failed; the next round does its work');
  return startRounds({ everyMs, work, onError });
}

/** Removes the batches that all groups of their topic are past. Answers with how many. */
export async function removeRead(database: Database): Promise<number> {
  const [row] = await database.query<{ removed: number }>(
    `WITH read AS (SELECT topic, min(next_offset) AS next_offset FROM log_groups GROUP BY topic),
          gone AS (DELETE FROM log_batches b USING read WHERE b.topic = read.topic AND b.end_offset <= read.next_offset RETURNING 1)
     SELECT count(*) AS removed FROM gone`,
    [],
    { recurring: true },
  );
  return row?.removed ?? 0;
}

/** Forgets groups that are long gone, and what nobody came for. */
export async function removeExpired(database: Database, retentionSeconds: number): Promise<void> {
  await database.query("DELETE FROM log_groups WHERE seen_at < now() - $1 * interval '1 second'", [retentionSeconds]);
  await database.query(
    `DELETE FROM log_batches b WHERE appended_at < now() - $1 * interval '1 second'
     AND NOT EXISTS (SELECT 1 FROM log_groups g WHERE g.topic = b.topic)`,
    [retentionSeconds],
  );
}
