/**
 * The log: an ordered, durable stream per topic, read by consumer groups. Kafka, or a table of the database.
 *
 * Promises of every adapter: `append` resolves when the entry is durable; entries of one key are handed out in the
 * order of their appends; delivery is at least once, so handlers are idempotent; a batch whose handler rejects
 * is handed out again after a pause and nothing behind it in its partition is marked as read; at most one batch per partition is
 * in the handler at a time (that is the backpressure); where more waits than one batch, tenants take turns (see window.ts). While the log is away, `append` rejects with a StoreUnavailable fault
 * within its deadline.
 */
import type { Feed } from '../../contract/freshness.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';

export const topics = ['scores', 'outcomes', 'verifications', 'deliveries'] as const;
export type Topic = (typeof topics)[number];

/** The consumer group that records each feed. */
export const recordingGroups: Readonly<Record<Feed, readonly [topic: Topic, group: string]>> = {
  scores: ['scores', 'receipts'],
  outcomes: ['outcomes', 'history'],
  verifications: ['verifications', 'analytics'],
  webhooks: ['verifications', 'webhooks'],
};

export interface LogEntry {
  readonly key: string;
  readonly value: Uint8Array;
  /** No other entry has its key, so it may go to any partition. */
  readonly isUnordered?: boolean;
}

export interface Subscription {
  readonly topic: Topic;
  /** Consumer group; each entry goes to one member of each group. */
  readonly group: string;
  /** Largest batch handed to the handler. */
  readonly batchMax: number;
  /** How long a batch may wait to fill up; fewer, larger batches cost less. Default 0. */
  readonly lingerMs?: number;
  readonly handle: (entries: readonly LogEntry[], signal: AbortSignal) => Promise<void>;
  /** Whose an entry is: its organization. All entries of a key have the same. Throws for what cannot be read. Default: all are of one tenant. */
  readonly tenantOf?: (entry: LogEntry) => string;
}

export interface Consumer {
  /** Time since it last took a batch, or found that none waits for it: its health. A batch that comes again and again makes it grow. */
  tickAgeMs(): number;
  /** Finishes the batch in hand, stores its offset, leaves the group. */
  stop(): Promise<void>;
}

/** How far a consumer group has read one partition of a topic: from `start`, the oldest entry that is still there, to `end`, one past the newest. */
export interface PartitionProgress {
  readonly partition: number;
  readonly start: number;
  readonly next: number;
  readonly end: number;
}

export interface Log {
  append(topic: Topic, entries: readonly LogEntry[]): Promise<void>;
  subscribe(subscription: Subscription): Promise<Consumer>;
  /** Progress in each partition of the topic; a group that has read nothing is at the start. */
  progress(topic: Topic, group: string): Promise<readonly PartitionProgress[]>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Entries that were deleted before a group read them. Reading continues with the oldest that is left. */
export interface DataLoss {
  readonly topic: string;
  readonly group: string;
  readonly entries: number;
}

export type OnDataLoss = (loss: DataLoss) => void;

/** Counts losses, and logs each with the sum of its group since the start: the log holds repeated lines back for a minute. */
export function createDataLossReporter(logger: Logger, metrics: Pick<Metrics, 'logLost'>): OnDataLoss {
  const totals = new Map<string, number>();
  return ({ topic, group, entries }) => {
    metrics.logLost.inc({ group }, entries);
    const entriesTotal = (totals.get(group) ?? 0) + entries;
    totals.set(group, entriesTotal);
    logger.error(
      { topic, group, entries, entriesTotal },
      `log entries expired before ${group} read them; raise their retention`,
    );
  };
}
