/**
 * Group commit: whatever is appended within one tick, or while the last write is under way, goes out together in the next write.
 *
 *   idle ──append──▶ gathering ──end of the tick──▶ writing ──done──▶ writing the next lot, or idle
 *
 * One write at a time, so the order of appends is the order of writes. A failed write rejects the appends that were in it and no others.
 * An append rejects with StoreUnavailable past its deadline (when it had not been written yet, it never will be) and at once when too
 * much waits already.
 */
import { storeUnavailable } from '../../errors.js';
import { packedBytes } from './packing.js';
import { topics, type LogEntry, type Topic } from './port.js';

export interface GroupCommitOptions {
  /** Names the log in faults. */
  readonly store: string;
  readonly write: (entries: readonly LogEntry[]) => Promise<void>;
  readonly deadlineMs: number;
  /** Largest write; a single append that is larger goes out alone. */
  readonly writeBytesMax: number;
  /** Most that may wait, in bytes. */
  readonly waitingBytesMax: number;
}

export interface GroupCommit {
  append(entries: readonly LogEntry[]): Promise<void>;
  /** Resolves when nothing waits or is under way. */
  drain(): Promise<void>;
}

interface Append {
  readonly entries: readonly LogEntry[];
  readonly bytes: number;
  isGivenUp: boolean;
  /** Gives it up. */
  readonly timer: NodeJS.Timeout;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const { store, write, deadlineMs, writeBytesMax, waitingBytesMax } = options;
  let waiting: Append[] = [];
  let waitingBytes = 0;
  let running: Promise<void> | null = null;

  /** Takes the next lot off the queue. */
  const take = (): readonly Append[] => {
    let count = 0;
    let bytes = 0;
    for (const append of waiting) {
      if (count > 0 && bytes + append.bytes > writeBytesMax) break;
      bytes += append.bytes;
      count++;
    }
    const lot = waiting.slice(0, count);
    waiting = waiting.slice(count);
    waitingBytes -= bytes;
    return lot.filter((append) => !append.isGivenUp);
  };
  const writeAll = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const lot = take();
      if (lot.length === 0) continue;
      try {
        await write(lot.flatMap(({ entries }) => entries));
        for (const { resolve } of lot) resolve();
      } catch (error) {
        for (const { reject } of lot) reject(error);
      }
      for (const { timer } of lot) clearTimeout(timer);
    }
    running = null;
  };

  const append = (entries: readonly LogEntry[]): Promise<void> => {
    const bytes = entries.reduce((sum, entry) => sum + packedBytes(entry), 0);
    if (entries.length === 0) return Promise.resolve();
    if (waitingBytes + bytes > waitingBytesMax)
      return Promise.reject(storeUnavailable(`${store}: ${waitingBytes} bytes wait to be written already`));
    return new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        entry.isGivenUp = true;
        reject(storeUnavailable(`${store}: not written within ${deadlineMs} ms`));
      }, deadlineMs);
      const entry: Append = { entries, bytes, isGivenUp: false, timer, resolve, reject };
      waiting.push(entry);
      waitingBytes += bytes;
      running ??= writeAll();
    });
  };
  return { append, drain: async () => running ?? undefined };
}

export interface TopicWritersOptions extends Omit<GroupCommitOptions, 'write'> {
  readonly write: (topic: Topic, entries: readonly LogEntry[]) => Promise<void>;
}

/** A group commit for each topic. */
export function createTopicWriters({ write, ...options }: TopicWritersOptions): Readonly<Record<Topic, GroupCommit>> {
  const createWriter = (topic: Topic): GroupCommit =>
    createGroupCommit({ ...options, write: (entries) => write(topic, entries) });
  return Object.fromEntries(topics.map((topic) => [topic, createWriter(topic)])) as Record<Topic, GroupCommit>;
}
