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
import { createWindow, type EntryWindow } from '../window.js';
import { acquireGroup, commitGroup, type GroupKey, readEntries, releaseGroup } from './group.js';
import { createNotifier } from '../../notifier.js';
import { startRounds } from '../../rounds.js';

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

interface Batches {
  /** Handles the next batch; resolves to whether there may be more at once. */
  take(): Promise<boolean>;
  release(): Promise<void>;
}

const windowLimits = { entries: 8_192, bytes: 8_388_608 };
const pauseFirstMs = 100;
const pauseMsMax = 5_000;

export function startTableConsumer(deps: TableConsumerDeps, subscription: Subscription): TableConsumer {
  const { now, logger, pollMs } = deps;
  const { topic, group } = subscription;
  const reader = createReader(deps, subscription);
  /** Appends do not cut a pause short, unlike the wait for entries. */
  const stopped = createNotifier();
  const batches = createBatches(deps, subscription, reader, (ms) => stopped.wait(ms));
  let tickAtMs = now();

  const rounds = startRounds({
    ...{ everyMs: pollMs, firstMs: 0, pauseMs: [pauseFirstMs, pauseMsMax], keepsAlive: true },
    async work() {
      const hasMore = await batches.take();
      tickAtMs = now();
      return hasMore;
    },
    onError: (error, failures) =>
      logger?.warn({ err: error, topic, group, failures }, 'a log batch failed; retrying after a pause'),
  });
  return {
    offer: (start, entries) => {
      reader.offer(start, entries);
      rounds.wake();
    },
    tickAgeMs: () => now() - tickAtMs,
    stop: async () => {
      stopped.notify();
      await rounds.stop();
      // Left in place it would only end by itself a little later.
      await batches.release().catch(() => undefined);
    },
  };
}

/** Handles batches under the lease; the position moves here and nowhere else. */
function createBatches(
  { database, now, member, leaseMs }: TableConsumerDeps,
  { topic, group, batchMax, lingerMs = 0, handle }: Subscription,
  { window, fill }: Reader,
  pause: (ms: number) => Promise<void>,
): Batches {
  const key: GroupKey = { topic, group, member };
  let position: number | null = null;
  let leaseTakenAtMs = 0;

  /** Takes the lease, or renews it when a third has gone by. False while another member has it. */
  const holdLease = async (): Promise<boolean> => {
    if (position !== null && now() - leaseTakenAtMs < leaseMs / 3) return true;
    const stored = await acquireGroup(database, key, leaseMs);
    leaseTakenAtMs = now();
    // Another member may have read on meanwhile, or a back-up may have been restored.
    if (stored !== position) window.clear(stored ?? undefined);
    position = stored;
    return position !== null;
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
    if (!(await holdLease())) return false;
    await fill();
    if (window.size === 0) return false;
    if (lingerMs > 0 && window.size < batchMax) {
      await pause(lingerMs);
      await fill();
    }
    await handleUnderLease(window.take(batchMax));
    const next = window.doneTo;
    const isOurs = await commitGroup(database, key, next, leaseMs);
    leaseTakenAtMs = now();
    position = isOurs ? next : null;
    window.release();
    return true;
  };
  return { take, release: () => releaseGroup(database, key) };
}

interface Reader {
  readonly window: EntryWindow;
  /** Reads from the table, if the window has run empty or is behind and half empty. */
  fill(): Promise<void>;
  /** Takes entries that start at offset `start` without a query, if they are adjacent and fit. */
  offer(start: number, entries: readonly LogEntry[]): void;
}

/** Fills the window with what is appended here or read from the table, so that most batches need no query. */
function createReader(
  { database, onDataLoss }: Pick<TableConsumerDeps, 'database' | 'onDataLoss'>,
  { topic, group, tenantOf = () => '' }: Subscription,
): Reader {
  const window = createWindow(windowLimits, tenantOf);
  /** Whether the table is known to have entries that the window lacks. */
  let isBehind = false;
  const add = (start: number, entries: readonly LogEntry[]): void => {
    window.add(
      entries,
      entries.map((_, index) => start + index),
    );
    if ((window.end ?? 0) < start + entries.length) isBehind = true;
  };
  return {
    window,
    async fill() {
      if (window.size > 0 && !(isBehind && window.hasRoom)) return;
      const from = window.end ?? 0;
      isBehind = false;
      const { start, entries } = await readEntries(database, topic, from);
      // A group that has read nothing yet begins with the oldest that is left.
      if (from > 0 && start > from) onDataLoss?.({ topic, group, entries: start - from });
      add(start, entries);
      if (entries.length > 0) isBehind = true;
    },
    offer(start, entries) {
      if (window.end === start) add(start, entries);
      else isBehind = true;
    },
  };
}
