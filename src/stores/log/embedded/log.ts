/**
 * The log as a table of the database, for running without Kafka. A topic is one partition, numbered in the order of appends, which are
 * committed in groups, one batch a row. Appends here wake the readers; those of other processes are polled for. While the database is
 * away, appends reject within their deadline and readers pause.
 */
import { randomUUID } from 'node:crypto';
import { storeUnavailable } from '../../../errors.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { Database } from '../../database/port.js';
import { createTopicWriters } from '../group-commit.js';
import { packEntries, unpackEntries } from '../packing.js';
import type { Log, LogEntry, OnDataLoss, PartitionProgress, Topic } from '../port.js';
import { startTableConsumer, type TableConsumer } from './consumer.js';
import { startTrimming } from './trim.js';

export interface TableLogOptions {
  readonly database: Database;
  readonly now: () => number;
  readonly logger?: Logger;
  /** Called when entries were deleted before a group read them. */
  readonly onDataLoss?: OnDataLoss;
  /** Longest wait of an append. */
  readonly appendDeadlineMs?: number;
  /** How often readers look for appends of other processes. */
  readonly pollMs?: number;
  /** How long a reader that vanished keeps others from reading for its group. */
  readonly leaseMs?: number;
  readonly trimEveryMs?: number;
  readonly retentionSeconds?: number;
  /** Largest batch handed to a reader, where its subscription allows more. */
  readonly batchMax?: number;
}

const defaults = {
  appendDeadlineMs: 2_000,
  pollMs: 1_000,
  leaseMs: 10_000,
  trimEveryMs: 2_000,
  retentionSeconds: 7 * 86_400,
  batchMax: Infinity,
};
const writeBytesMax = 1_048_576;
const waitingBytesMax = 67_108_864;
const store = 'embedded log';

/** Opens the log. The database must have been migrated, and is left open by `close`. */
export function openTableLog(options: TableLogOptions): Log {
  const {
    database,
    now,
    logger,
    onDataLoss,
    appendDeadlineMs,
    pollMs,
    leaseMs,
    trimEveryMs,
    retentionSeconds,
    batchMax,
  } = {
    ...defaults,
    ...options,
  };
  const readers = new Map<TableConsumer, Topic>();
  const trimming = startTrimming({ database, logger, everyMs: trimEveryMs, retentionSeconds });
  let isClosed = false;

  const write = async (topic: Topic, entries: readonly LogEntry[]): Promise<void> => {
    const content = packEntries(entries);
    const end = await insertBatch(database, topic, entries.length, content, appendDeadlineMs);
    const listening = [...readers].filter(([, of]) => of === topic);
    if (listening.length === 0) return;
    // A read from the table returns such copies too, so that the caller may change its own arrays.
    const written = unpackEntries(content);
    for (const [reader] of listening) reader.offer(end - entries.length, written);
  };
  const writers = createTopicWriters({ store, write, deadlineMs: appendDeadlineMs, writeBytesMax, waitingBytesMax });
  const refuse = (): Promise<never> => Promise.reject(storeUnavailable(`${store}: closed`));

  return {
    append: (topic, entries) => (isClosed ? refuse() : writers[topic].append(entries)),
    subscribe: async (subscription) => {
      if (isClosed) return refuse();
      const reader = startTableConsumer(
        { database, now, logger, onDataLoss, member: randomUUID(), leaseMs, pollMs },
        { ...subscription, batchMax: Math.min(subscription.batchMax, batchMax) },
      );
      readers.set(reader, subscription.topic);
      const stop = (): Promise<void> => {
        readers.delete(reader);
        return reader.stop();
      };
      return { tickAgeMs: () => reader.tickAgeMs(), stop };
    },
    progress: async (topic, group) => [await readProgress(database, topic, group)],
    ping: () => database.ping(),
    close: async () => {
      isClosed = true;
      await Promise.all(Object.values(writers).map((writer) => writer.drain()));
      await Promise.all([...readers.keys()].map((reader) => reader.stop()));
      readers.clear();
      await trimming.stop();
    },
  };
}

/** Appends one batch and answers with its end offset. */
async function insertBatch(
  database: Database,
  topic: Topic,
  count: number,
  content: Uint8Array,
  deadlineMs: number,
): Promise<number> {
  const [row] = await database.query<{ end_offset: number }>(
    `WITH head AS (
       INSERT INTO log_topics AS t (topic, end_offset) VALUES ($1, $2::integer)
       ON CONFLICT (topic) DO UPDATE SET end_offset = t.end_offset + excluded.end_offset RETURNING end_offset)
     INSERT INTO log_batches (topic, end_offset, entry_count, content) SELECT $1, end_offset, $2::integer, $3 FROM head RETURNING end_offset`,
    [topic, count, content],
    { deadlineMs, recurring: true },
  );
  if (row === undefined) throw new Error('An append answered without an offset.');
  return row.end_offset;
}

async function readProgress(database: Database, topic: Topic, group: string): Promise<PartitionProgress> {
  const [row] = await database.query<{ start: number; next: number; end: number }>(
    `SELECT coalesce((SELECT min(end_offset - entry_count) FROM log_batches WHERE topic = $1), ends.at) AS start, ends.at AS "end",
            coalesce((SELECT next_offset FROM log_groups WHERE topic = $1 AND group_name = $2), 0) AS next
       FROM (SELECT coalesce((SELECT end_offset FROM log_topics WHERE topic = $1), 0) AS at) AS ends`,
    [topic, group],
  );
  const { start, next, end } = row ?? { start: 0, next: 0, end: 0 };
  return { partition: 0, start, next: Math.max(next, 0), end };
}
