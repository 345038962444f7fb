/**
 * The work in progress of one member of a consumer group, partition by partition.
 *
 *   free ──batch──▶ busy ──all handled──▶ free
 *                    ├──handler or commit rejects──▶ pausing ──after a while──▶ free (the rest is fetched again)
 *                    └──partition taken away──▶ fenced: signal aborted, nothing more committed, free when the handler returns
 *
 * Each partition counts epochs. An epoch ends when the partition goes to another member, or when this member was shut out of the group
 * and came back as a new one. Work begun in an earlier epoch commits nothing.
 */
import type { LogEntry } from '../port.js';
import { backoffMs } from '../../notifier.js';

export interface PartitionWork {
  readonly partition: number;
  readonly entries: readonly LogEntry[];
  /** Offset of each entry. */
  readonly offsets: readonly string[];
}

export interface PartitionsDeps {
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly batchMax: number;
  readonly handle: (entries: readonly LogEntry[], signal: AbortSignal) => Promise<void>;
  /** Stores that everything up to and including `offset` is done. */
  readonly commit: (partition: number, offset: string) => Promise<void>;
  /** No more entries of the partition are to be fetched, or again. */
  readonly pause: (partition: number) => void;
  readonly resume: (partition: number) => void;
  readonly onFailure: (error: unknown, partition: number, failures: number) => void;
}

export interface Partitions {
  /** Takes a fetched batch on, unless the partition is busy: then it is fetched again later. */
  take(work: PartitionWork): void;
  /** The group reassigned its partitions. */
  assign(memberId: string, partitions: readonly number[]): void;
  /** How long the partition that waits longest has been without progress although it has records, in milliseconds; 0 where none waits. */
  waitingMs(): number;
  /** Finishes what is in the handlers and starts nothing more. */
  stop(): Promise<void>;
  /** Starts nothing more and commits nothing more, whatever the handlers still do. */
  abandon(): void;
}

const pauseFirstMs = 100;
const pauseMsMax = 5_000;

export function createPartitions(deps: PartitionsDeps): Partitions {
  const { now, batchMax, handle, commit, pause, resume, onFailure } = deps;
  const busy = new Map<number, { readonly fence: AbortController; readonly done: Promise<void> }>();
  const failures = new Map<number, number>();
  const waiting = createWaiting(now);
  const timers = createTimers();
  let member: string | null = null;
  let isStopping = false;

  const workOff = async ({ partition, entries, offsets }: PartitionWork, signal: AbortSignal): Promise<void> => {
    for (let from = 0; from < entries.length && !isStopping && !signal.aborted; from += batchMax) {
      const part = entries.slice(from, from + batchMax);
      await handle(part, signal);
      const last = offsets[from + part.length - 1];
      if (signal.aborted || last === undefined) return;
      await commit(partition, last);
      failures.delete(partition);
      waiting.progressed(partition);
    }
  };
  const free = (partition: number, afterMs: number): void => {
    busy.delete(partition);
    if (!isStopping) timers.set(() => resume(partition), afterMs);
  };
  const run = async (work: PartitionWork, signal: AbortSignal): Promise<void> => {
    const { partition } = work;
    try {
      await workOff(work, signal);
      waiting.ended(partition);
      free(partition, 0);
    } catch (error) {
      const count = (failures.get(partition) ?? 0) + 1;
      failures.set(partition, count);
      onFailure(error, partition, count);
      free(partition, backoffMs(count, pauseFirstMs, pauseMsMax));
    }
  };

  const startNothingMore = (): void => {
    isStopping = true;
    timers.clear();
  };

  return {
    take: (work) => {
      pause(work.partition);
      if (isStopping || busy.has(work.partition)) return;
      const fence = new AbortController();
      // Entered into the table before the work begins, so that it is found there however soon it ends.
      const done = Promise.resolve().then(() => run(work, fence.signal));
      busy.set(work.partition, { fence, done });
      waiting.began(work.partition);
    },
    assign: (memberId, partitions) => {
      const isNewcomer = member !== null && member !== memberId;
      member = memberId;
      waiting.keep(partitions);
      for (const [partition, { fence }] of busy) {
        if (isNewcomer || !partitions.includes(partition))
          fence.abort(new Error('The partition was given to another member.'));
      }
    },
    waitingMs: waiting.longestMs,
    stop: async () => {
      startNothingMore();
      await Promise.all([...busy.values()].map(({ done }) => done));
    },
    abandon: () => {
      startNothingMore();
      for (const { fence } of busy.values()) fence.abort(new Error('This member of the group was given up.'));
    },
  };
}

/** Since when each partition has records that were not taken: through pauses and further fetches, until all in hand are done. */
function createWaiting(now: () => number) {
  const since = new Map<number, number>();
  return {
    began: (partition: number): void => void (since.has(partition) || since.set(partition, now())),
    progressed: (partition: number): void => void since.set(partition, now()),
    ended: (partition: number): void => void since.delete(partition),
    /** Forgets partitions that went to others. */
    keep: (partitions: readonly number[]): void => {
      for (const partition of since.keys()) if (!partitions.includes(partition)) since.delete(partition);
    },
    longestMs: (): number => now() - Math.min(now(), ...since.values()),
  };
}

/** Work put off, all of which may be called off; what is put off by nothing is done at once. */
function createTimers() {
  const timers = new Set<NodeJS.Timeout>();
  return {
    set: (work: () => void, afterMs: number): void => {
      if (afterMs === 0) return work();
      const timer = setTimeout(() => {
        timers.delete(timer);
        work();
      }, afterMs);
      timers.add(timer);
    },
    clear: (): void => timers.forEach(clearTimeout),
  };
}
