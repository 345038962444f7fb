/**
 * The latest entries of a topic as one consumer sees them: appended in this process or read ahead, so that most batches are handed out
 * without asking the database.
 *
 *   position ───gap: read from the table───▶ [start ··· entries ··· end) ──▶ next append extends, if it is adjacent and there is room
 *
 * What does not fit is simply not kept: it is in the table. Never holds more than `entriesMax` entries.
 */
import type { LogEntry } from './port.js';

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
