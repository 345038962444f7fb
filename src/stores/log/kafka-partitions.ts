/**
 * What one member of a consumer group has in hand, partition by partition.
 *
 *   free ──batch──▶ busy ──all handled──▶ free
 *                    ├──handler or commit rejects──▶ pausing ──after a while──▶ free (the rest is fetched again)
 *                    └──partition taken away──▶ fenced: signal aborted, nothing more committed, free when the handler returns
 *
 * Each partition counts epochs. An epoch ends when the partition goes to another member, or when this member was shut out of the group
 * and came back as a new one. Work begun in an earlier epoch commits nothing.
 */
import type { LogEntry } from './port.js';
import { pauseAfter } from './wake.js';

export interface PartitionWork {
  readonly partition: number;
  readonly entries: readonly LogEntry[];
  /** Offset of each entry. */
  readonly offsets: readonly string[];
}

export interface PartitionsDeps {
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
  /** The group gave out its partitions anew. */
  assign(memberId: string, partitions: readonly number[]): void;
  /** Finishes what is in the handlers and starts nothing more. */
  stop(): Promise<void>;
  /** Starts nothing more and commits nothing more, whatever the handlers still do. */
  abandon(): void;
}

const pauseFirstMs = 100;
const pauseMsMax = 5_000;

export function createPartitions(deps: PartitionsDeps): Partitions {
  const { batchMax, handle, commit, pause, resume, onFailure } = deps;
  const busy = new Map<number, { readonly fence: AbortController; readonly done: Promise<void> }>();
  const failures = new Map<number, number>();
  const timers = new Set<NodeJS.Timeout>();
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
    }
  };
  const free = (partition: number, afterMs: number): void => {
    busy.delete(partition);
    if (isStopping) return;
    if (afterMs === 0) return resume(partition);
    const timer = setTimeout(() => {
      timers.delete(timer);
      resume(partition);
    }, afterMs);
    timers.add(timer);
  };
  const run = async (work: PartitionWork, signal: AbortSignal): Promise<void> => {
    const { partition } = work;
    try {
      await workOff(work, signal);
      free(partition, 0);
    } catch (error) {
      const count = (failures.get(partition) ?? 0) + 1;
      failures.set(partition, count);
      onFailure(error, partition, count);
      free(partition, pauseAfter(count, pauseFirstMs, pauseMsMax));
    }
  };

  const startNothingMore = (): void => {
    isStopping = true;
    for (const timer of timers) clearTimeout(timer);
  };

  return {
    take: (work) => {
      pause(work.partition);
      if (isStopping || busy.has(work.partition)) return;
      const fence = new AbortController();
      // Entered into the table before the work begins, so that it is found there however soon it ends.
      const done = Promise.resolve().then(() => run(work, fence.signal));
      busy.set(work.partition, { fence, done });
    },
    assign: (memberId, partitions) => {
      const isNewcomer = member !== null && member !== memberId;
      member = memberId;
      for (const [partition, { fence }] of busy) {
        if (isNewcomer || !partitions.includes(partition))
          fence.abort(new Error('The partition was given to another member.'));
      }
    },
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
