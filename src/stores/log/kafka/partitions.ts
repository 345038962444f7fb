/**
 * The work in progress of one member of a consumer group, partition by partition. What was fetched waits in a window, whose batches give each
 * tenant a turn; the next fetch comes while a batch is handled, until the window is half full.
 *
 *   idle ──fetched──▶ handling ──resolved──▶ committing ──▶ handling the next batch, or idle
 *                        ▲ └──handler or commit rejects──▶ pausing ──▶ handling (the same batch)
 *                        └──partition taken away──▶ fenced: signal aborted, window emptied, nothing more committed
 *
 * Each partition counts epochs. An epoch ends when the partition goes to another member, or when this member was shut out of the group
 * and came back as a new one. Work begun in an earlier epoch commits nothing.
 */
import type { LogEntry, Subscription } from '../port.js';
import { backoffMs, createNotifier } from '../../notifier.js';
import { createWindow } from '../window.js';

export interface PartitionWork {
  readonly partition: number;
  readonly entries: readonly LogEntry[];
  /** Offset of each entry. */
  readonly offsets: readonly number[];
}

export interface PartitionsDeps {
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly subscription: Pick<Subscription, 'batchMax' | 'handle' | 'tenantOf'>;
  /** Stores that everything below `offset` is done. */
  readonly commit: (partition: number, offset: number) => Promise<void>;
  /** No more entries of the partition are to be fetched, or again. */
  readonly pause: (partition: number) => void;
  readonly resume: (partition: number) => void;
  readonly onFailure: (error: unknown, partition: number, failures: number) => void;
}

export interface Partitions {
  /** Takes on what was fetched, as far as there is room. Answers the offset to fetch next; null: what was fetched comes again. */
  take(work: PartitionWork): number | null;
  /** The group reassigned its partitions. */
  assign(memberId: string, partitions: readonly number[]): void;
  /** How long the partition that waits longest has been without progress although it has records, in milliseconds; 0 where none waits. */
  waitingMs(): number;
  /** Finishes what is in the handlers and starts nothing more. */
  stop(): Promise<void>;
  /** Starts nothing more and commits nothing more, whatever the handlers still do. */
  abandon(): void;
}

/** The work of one partition. */
interface PartitionLoop {
  /** Takes on what was fetched, as far as there is room. Answers the offset to fetch next. */
  take(work: PartitionWork): number | null;
  /** Ends the epoch. */
  fence(reason: string): void;
  /** Ends after the batch in hand. */
  stop(): void;
  /** Resolves once nothing is in hand. */
  ended(): Promise<void>;
}

/** Limits of one partition’s window. */
const windowLimits = { entries: 8_192, bytes: 2_097_152 };
const pauseFirstMs = 100;
const pauseMsMax = 5_000;

export function createPartitions(deps: PartitionsDeps): Partitions {
  const all = new Map<number, PartitionLoop>();
  const waiting = createWaiting(deps.now);
  let member: string | null = null;
  let isStopping = false;

  const startNothingMore = (): void => {
    isStopping = true;
    for (const loop of all.values()) loop.stop();
  };

  return {
    take: (work) => {
      if (work.entries.length === 0) return null;
      deps.pause(work.partition);
      if (isStopping) return null;
      const loop = all.get(work.partition) ?? createLoop(deps, work.partition, waiting);
      all.set(work.partition, loop);
      return loop.take(work);
    },
    assign: (memberId, partitions) => {
      const isNewcomer = member !== null && member !== memberId;
      member = memberId;
      waiting.keep(partitions);
      for (const [partition, loop] of all)
        if (isNewcomer || !partitions.includes(partition)) loop.fence('The partition was given to another member.');
    },
    waitingMs: waiting.longestMs,
    stop: async () => {
      startNothingMore();
      await Promise.all([...all.values()].map((loop) => loop.ended()));
    },
    abandon: () => {
      startNothingMore();
      for (const loop of all.values()) loop.fence('This member of the group was given up.');
    },
  };
}

function createLoop(
  { subscription, commit, resume, onFailure }: PartitionsDeps,
  partition: number,
  waiting: Waiting,
): PartitionLoop {
  const { batchMax, handle, tenantOf = () => '' } = subscription;
  const window = createWindow(windowLimits, tenantOf);
  const pausing = createNotifier();
  let epoch = new AbortController();
  /** Everything below was done in this epoch or before it; null: nothing was fetched in it. */
  let doneTo: number | null = null;
  let running: Promise<void> | null = null;
  let isStopping = false;

  const workOff = async (batch: readonly LogEntry[]): Promise<void> => {
    const { signal } = epoch;
    await handle(batch, signal);
    if (signal.aborted) return;
    const next = window.doneTo;
    await commit(partition, next);
    if (signal.aborted) return;
    doneTo = next;
    window.release();
    waiting.progressed(partition);
    if (window.size > 0 && window.hasRoom && !isStopping) resume(partition);
  };
  const run = async (): Promise<void> => {
    let failures = 0;
    for (let batch = window.take(batchMax); batch.length > 0 && !isStopping; batch = window.take(batchMax)) {
      try {
        await workOff(batch);
        failures = 0;
      } catch (error) {
        onFailure(error, partition, (failures += 1));
        await pausing.wait(backoffMs(failures, pauseFirstMs, pauseMsMax));
      }
    }
    running = null;
    if (isStopping) return;
    waiting.ended(partition);
    resume(partition);
  };
  const fence = (reason: string): void => {
    epoch.abort(new Error(reason));
    epoch = new AbortController();
    doneTo = null;
    window.clear();
    pausing.notify();
  };

  return {
    take({ entries, offsets }) {
      const first = offsets[0] ?? 0;
      // The topic was created again, or its offsets were set back.
      if (first < (doneTo ?? first)) fence('The partition is read again from further back.');
      doneTo ??= first;
      window.add(entries, offsets);
      if (window.size > 0) waiting.began(partition);
      // Entered before the work begins, so that it is found there however soon it ends.
      running ??= Promise.resolve().then(run);
      return window.end;
    },
    fence,
    stop() {
      isStopping = true;
      pausing.notify();
    },
    ended: async () => {
      await running;
    },
  };
}

type Waiting = Readonly<Record<'began' | 'progressed' | 'ended', (partition: number) => void>> & {
  /** Forgets partitions that went to others. */
  keep(partitions: readonly number[]): void;
  longestMs(): number;
};

/** Since when each partition has records that were not taken: through pauses and further fetches, until all in hand are done. */
function createWaiting(now: () => number): Waiting {
  const since = new Map<number, number>();
  return {
    began: (partition) => void (since.has(partition) || since.set(partition, now())),
    progressed: (partition) => void since.set(partition, now()),
    ended: (partition) => void since.delete(partition),
    keep: (partitions) => {
      for (const partition of since.keys()) if (!partitions.includes(partition)) since.delete(partition);
    },
    longestMs: () => now() - Math.min(now(), ...since.values()),
  };
}
