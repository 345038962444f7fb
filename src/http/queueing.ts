/** What the door measures: who is inside and for how long, how many leave, and how late this process comes to its timers. */

/** One request between its headers and its answer. */
export interface Stay {
  readonly sinceMs: number;
  /** How many of the ages it has reached. */
  ages: number;
  hasLeft: boolean;
}

/** Places that were passed are let go of in portions. */
const passedMax = 1_024;

/** The requests inside in the order of their coming, and how many of them are older than each of `agesMs`, which rise. */
export function createAges(agesMs: readonly number[]) {
  const line: Stay[] = [];
  /** For each age, the first in line that has not reached it yet, and how many inside have. */
  const firsts = agesMs.map(() => 0);
  const counts = agesMs.map(() => 0);
  const pass = (age: number, atMs: number): void => {
    let first = firsts[age] ?? 0;
    for (let stay = line[first]; stay !== undefined && atMs - stay.sinceMs > (agesMs[age] ?? 0); stay = line[first]) {
      if (!stay.hasLeft) {
        stay.ages = age + 1;
        counts[age] = (counts[age] ?? 0) + 1;
      }
      first += 1;
    }
    firsts[age] = first;
  };
  const count = (atMs: number): readonly number[] => {
    for (let age = 0; age < agesMs.length; age += 1) pass(age, atMs);
    const passed = firsts.at(-1) ?? 0;
    if (passed >= passedMax) {
      line.splice(0, passed);
      for (let age = 0; age < firsts.length; age += 1) firsts[age] = (firsts[age] ?? 0) - passed;
    }
    return counts;
  };
  return {
    /** Of each age; valid until the next call. */
    count,
    add(sinceMs: number): Stay {
      // With each that comes, so that those who left are let go of also where nobody asks for the ages.
      count(sinceMs);
      const stay = { sinceMs, ages: 0, hasLeft: false };
      line.push(stay);
      return stay;
    },
    remove(stay: Stay): void {
      stay.hasLeft = true;
      for (let age = 0; age < stay.ages; age += 1) counts[age] = (counts[age] ?? 0) - 1;
    },
  };
}

export interface Lateness {
  /** Looks as long as `goesOn` says so. */
  watch(goesOn: () => boolean): void;
  /** As the last look found it, or more where the next one is overdue. */
  ms(atMs: number): number;
}

/** How late this process comes to what is due, watched only while there is much to do. */
export function createLateness(now: () => number, lookEveryMs: number): Lateness {
  let dueMs: number | null = null;
  let lateMs = 0;
  const watch = (goesOn: () => boolean): void => {
    if (dueMs !== null) return;
    dueMs = now() + lookEveryMs;
    setTimeout(() => {
      lateMs = goesOn() ? now() - (dueMs ?? now()) : 0;
      dueMs = null;
      if (goesOn()) watch(goesOn);
    }, lookEveryMs).unref();
  };
  return {
    watch,
    ms: (atMs: number): number => Math.max(lateMs, atMs - (dueMs ?? atMs)),
  };
}

const slotMs = 250;
const slotCount = 8;

/**
 * How many leave in a millisecond when most did in the last two seconds: what the process and its stores can do, also where a store
 * holds everything up for a moment. 0 while it is not known.
 */
export function createDepartures() {
  const slots = new Array<number>(slotCount).fill(0);
  let slot = 0;
  /** Lets go of what is too old. */
  const moveTo = (atMs: number): void => {
    const next = Math.floor(atMs / slotMs);
    for (let n = Math.max(slot + 1, next - slotCount + 1); n <= next; n += 1) slots[n % slotCount] = 0;
    slot = Math.max(slot, next);
  };
  return {
    count(atMs: number): void {
      moveTo(atMs);
      slots[slot % slotCount] = (slots[slot % slotCount] ?? 0) + 1;
    },
    perMs(atMs: number): number {
      moveTo(atMs);
      return Math.max(...slots) / slotMs;
    },
  };
}
