/**
 * One member of a consumer group of the embedded log.
 *
 *   standing by ──lease──▶ reading ──batch──▶ handling ──resolved──▶ committing ──▶ reading
 *        ▲                    ▲                  └──rejected──▶ pausing ──▶ handling (the same batch)
 *        └────lease lost──────┴────nothing there: waits to be woken by a local append, or for the next poll
 *
 * Only this loop changes the position. While the handler works the lease is renewed; when that finds it lost, the handler's signal
 * aborts and its batch is not committed. When the database is away the loop pauses and tries again; it never gives up.
 */
import type { Logger } from '../../../telemetry/logger.js';
import type { Database } from '../../database/port.js';
import type { Consumer, LogEntry, OnDataLoss, Subscription } from '../port.js';
import { acquireGroup, commitGroup, type GroupKey, readEntries, releaseGroup } from './group.js';
import { backoffMs, createNotifier } from '../../notifier.js';

export interface TableConsumerDeps {
  readonly database: Database;
  readonly now: () => number;
  readonly logger?: Logger | undefined;
  readonly onDataLoss?: OnDataLoss | undefined;
  readonly member: string;
  readonly leaseMs: number;
  readonly pollMs: number;
}

export interface TableConsumer extends Consumer {
  /** Entries that were just appended in this process, starting at offset `start`. */
  offer(start: number, entries: readonly LogEntry[]): void;
}

interface Rounds {
  /** Handles the next batch; resolves to whether there may be more at once. */
  take(): Promise<boolean>;
  release(): Promise<void>;
}

const tailEntriesMax = 8_192;
const pauseFirstMs = 100;
const pauseMsMax = 5_000;

export function startTableConsumer(deps: TableConsumerDeps, subscription: Subscription): TableConsumer {
  const { now, logger, pollMs } = deps;
  const { topic, group } = subscription;
  const tail = createTail(tailEntriesMax);
  const work = createNotifier();
  /** Unlike the wait for entries, a pause is not cut short by appends, only by stop. */
  const stopped = createNotifier();
  const pause = (ms: number): Promise<void> => stopped.wait(ms);
  const rounds = createRounds(deps, subscription, tail, pause);
  let tickAtMs = now();
  let isStopping = false;
  let failures = 0;

  const loop = async (): Promise<void> => {
    while (!isStopping) {
      try {
        const hasMore = await rounds.take();
        tickAtMs = now();
        failures = 0;
        if (!hasMore) await work.wait(pollMs);
      } catch (error) {
        failures++;
        logger?.warn({ err: error, topic, group, failures }, 'a log batch failed; retrying after a pause');
        await pause(backoffMs(failures, pauseFirstMs, pauseMsMax));
      }
    }
  };

  const running = loop();
  return {
    offer: (start, entries) => {
      tail.offer(start, entries);
      work.notify();
    },
    tickAgeMs: () => now() - tickAtMs,
    stop: async () => {
      isStopping = true;
      work.notify();
      stopped.notify();
      await running;
      // Left in place it would only end by itself a little later.
      await rounds.release().catch(() => undefined);
    },
  };
}

/** Reads and handles batches under the lease; the position moves here and nowhere else. */
function createRounds(
  { database, now, member, leaseMs, onDataLoss }: TableConsumerDeps,
  { topic, group, batchMax, lingerMs = 0, handle }: Subscription,
  tail: Tail,
  pause: (ms: number) => Promise<void>,
): Rounds {
  const key: GroupKey = { topic, group, member };
  let position: number | null = null;
  let leaseTakenAtMs = 0;

  /** Takes the lease, or renews it when a third has gone by. False while another member has it. */
  const holdLease = async (): Promise<boolean> => {
    if (position !== null && now() - leaseTakenAtMs < leaseMs / 3) return true;
    const stored = await acquireGroup(database, key, leaseMs);
    leaseTakenAtMs = now();
    position = stored === null ? null : (position ?? stored);
    return position !== null;
  };
  const nextBatch = async (from: number): Promise<readonly LogEntry[]> => {
    const kept = tail.take(from, batchMax);
    if (kept.length > 0) return kept;
    const read = await readEntries(database, topic, from);
    if (read.entries.length === 0) return [];
    // A group that has read nothing yet begins with the oldest that is left.
    if (from > 0 && read.start > from) onDataLoss?.({ topic, group, entries: read.start - from });
    tail.replace(read.start, read.entries);
    position = read.start;
    return tail.take(read.start, batchMax);
  };
  const handleUnderLease = async (entries: readonly LogEntry[]): Promise<void> => {
    const lost = new AbortController();
    const renewal = setInterval(() => {
      acquireGroup(database, key, leaseMs).then(
        (stored) => stored === null && lost.abort(new Error('Another member reads for this group now.')),
        () => undefined,
      );
    }, leaseMs / 3);
    try {
      await handle(entries, lost.signal);
    } finally {
      clearInterval(renewal);
    }
  };
  const take = async (): Promise<boolean> => {
    if (!(await holdLease()) || position === null) return false;
    let entries = await nextBatch(position);
    if (entries.length === 0) return false;
    if (lingerMs > 0 && entries.length < batchMax) {
      await pause(lingerMs);
      entries = await nextBatch(position);
    }
    const from: number = position;
    await handleUnderLease(entries);
    const next = from + entries.length;
    const isOurs = await commitGroup(database, key, next, leaseMs);
    leaseTakenAtMs = now();
    position = isOurs ? next : null;
    return true;
  };
  return { take, release: () => releaseGroup(database, key) };
}

/** The latest entries of a topic, appended here or read ahead, so that most batches need no query; at most `entriesMax`. */
export interface Tail {
  /** Keeps entries that start at offset `start`, if they are adjacent or nothing is kept. */
  offer(start: number, entries: readonly LogEntry[]): void;
  /** Replaces what is kept by what was read from the table. */
  replace(start: number, entries: readonly LogEntry[]): void;
  /** Up to `count` entries from offset `position` on; empty when that offset is not kept. Forgets everything before it. */
  take(position: number, count: number): readonly LogEntry[];
}

export function createTail(entriesMax: number): Tail {
  let start = 0;
  let entries: LogEntry[] = [];
  return {
    offer: (offered, more) => {
      if (entries.length === 0) start = offered;
      if (start + entries.length !== offered || entries.length + more.length > entriesMax) return;
      entries.push(...more);
    },
    replace: (offered, more) => {
      start = offered;
      entries = more.slice(0, entriesMax);
    },
    take: (position, count) => {
      if (position < start) return [];
      if (position > start) {
        entries = entries.slice(position - start);
        start = position;
      }
      return entries.slice(0, count);
    },
  };
}
