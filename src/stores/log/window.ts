/**
 * The entries of one partition that were read and are not done. Each batch gives every tenant a turn, so that the flood of one delays no other
 * that has entries in the window.
 *
 *   log:      a1 a2 a3 a4 b1 a5 c1       (tenants a, b and c)
 *   batches:  a1 b1 c1 │ a2 a3 a4 │ a5
 *   done to:  a2         b1         the end: the oldest entry that is not done, or one past the newest
 *
 * Entries of one tenant keep their order, and with it those of one key, because all entries of a key are of one tenant. The window holds as
 * many entries as its limits allow; what is behind them is read when there is room again.
 */
import type { LogEntry, Subscription } from './port.js';

interface WindowLimits {
  readonly entries: number;
  readonly bytes: number;
}

export interface EntryWindow {
  /** One past the newest entry that was added; null before the first. */
  readonly end: number | null;
  /** Entries that are not done. */
  readonly size: number;
  /** Less than half full: worth another read. */
  readonly hasRoom: boolean;
  /** Adds entries of the log, in its order, up to the limits. Those below `end` are known already. */
  add(entries: readonly LogEntry[], offsets: readonly number[]): void;
  /** The batch in hand or, if there is none, the next one. Empty: nothing waits. */
  take(max: number): readonly LogEntry[];
  /** Everything below this offset is done once the batch in hand is. */
  readonly doneTo: number;
  /** Lets go of the batch in hand, which is done. */
  release(): void;
  /** Forgets everything; what is added next may begin at any offset. */
  clear(end?: number): void;
}

interface Item {
  readonly offset: number;
  readonly entry: LogEntry;
}

export function createWindow(limits: WindowLimits, tenantOf: NonNullable<Subscription['tenantOf']>): EntryWindow {
  /** Entries that were not needed yet, in the order of the log. Their tenants are looked up once more waits than one batch. */
  let arrived: Item[] = [];
  /** By tenant; the one whose turn is next comes first. */
  const lanes = new Map<string | null, Item[]>();
  let inHand: readonly Item[] = [];
  let end: number | null = null;
  let [size, bytes] = [0, 0];

  const isFull = (): boolean => size >= limits.entries || bytes >= limits.bytes;
  const sort = (): void => {
    for (const item of arrived) {
      const tenant = tenantOrNull(tenantOf, item.entry);
      const lane = lanes.get(tenant);
      if (lane === undefined) lanes.set(tenant, [item]);
      else lane.push(item);
    }
    arrived = [];
  };
  const next = (max: number): readonly Item[] => {
    if (lanes.size === 0 && arrived.length <= max) return arrived.splice(0);
    sort();
    return takeTurns(lanes, max);
  };

  return {
    get end() {
      return end;
    },
    get size() {
      return size;
    },
    get hasRoom() {
      return size < limits.entries / 2 && bytes < limits.bytes / 2;
    },
    add(entries, offsets) {
      for (const [index, entry] of entries.entries()) {
        const offset = offsets[index];
        if (offset === undefined || isFull()) return;
        if (end !== null && offset < end) continue;
        arrived.push({ offset, entry });
        end = offset + 1;
        size += 1;
        bytes += entry.value.length;
      }
    },
    take(max) {
      if (inHand.length === 0) inHand = next(max);
      return inHand.map(({ entry }) => entry);
    },
    get doneTo() {
      const oldest = [...lanes.values(), arrived].flatMap(([first]) => (first === undefined ? [] : [first.offset]));
      return oldest.reduce((least, offset) => Math.min(least, offset), end ?? 0);
    },
    release() {
      size -= inHand.length;
      for (const { entry } of inHand) bytes -= entry.value.length;
      inHand = [];
    },
    clear(at) {
      arrived = [];
      lanes.clear();
      inHand = [];
      end = at ?? null;
      [size, bytes] = [0, 0];
    },
  };
}

/** One entry of each lane in turn. The ring goes on where the last batch ended, because maps keep the order of insertion. */
function takeTurns(lanes: Map<string | null, Item[]>, max: number): readonly Item[] {
  const batch: Item[] = [];
  while (batch.length < max) {
    const [next] = lanes;
    if (next === undefined) break;
    const [tenant, lane] = next;
    const item = lane.shift();
    lanes.delete(tenant);
    if (lane.length > 0) lanes.set(tenant, lane);
    if (item !== undefined) batch.push(item);
  }
  return batch;
}

/** Entries that cannot be read share a turn. */
function tenantOrNull(tenantOf: NonNullable<Subscription['tenantOf']>, entry: LogEntry): string | null {
  try {
    return tenantOf(entry);
  } catch {
    return null;
  }
}
