/**
 * Who is let in at the door (door.ts) while the work inside takes too long: what would wait for longer than its caller does is refused at once,
 * before its key is looked up or its body read, so that what was taken is finished.
 *
 * Three waits are measured. That for this process: how late a timer comes while many requests are inside, for then each of them waits as
 * long at every step. That of each request: while many have been inside for longer than the stores together may take. And that of the next one: how
 * many are inside, and how many of them leave in a second. It is time that refuses and not a count: how many a process can hold depends on the machine and on
 * its stores, the time of a caller does not. Once it refuses, it keeps no more inside than it answers soon.
 */
import { createAges, createDepartures, createLateness, type Lateness, type Stay } from './queueing.js';

/** More than the stores together take before they are given up, so that an outage does not look like too much work. */
const waitMsMax = 1_000;
/** As many may be older than that: each may wait for its own reasons. So few are always taken. */
const oldMax = 64;
/** Where as many have waited so long, it is told from how many leave what the next one is to wait. */
const tellingMs = 250;
/** How late a timer may come while more than a burst is inside, and how often it is looked at then. */
const lateMsMax = 50;
const burst = 256;
const lookEveryMs = 50;
/** While work is refused, as many are taken as leave in this time: enough to keep everything busy, and their callers wait no longer. */
const keptMs = 150;
/** So long after the last refusal all are taken again. */
const calmAfterMs = 1_000;
/**
 * So often it is tried, for so long, whether twice as many inside bring more answers: stores that take longer than the time above, without being
 * busy, do more for more. All would be too many: at four times what can be answered, thousands come within the second that tells it.
 */
const tryEveryMs = 5_000;
const trialMs = 1_000;
const moreTimes = 1.3;

export interface Admission {
  /** null where the work inside takes too long. */
  enter(): Stay | null;
  /** May be told twice. */
  leave(stay: Stay): void;
  /** Gives its place up without having been answered: what it waits for is its caller. May be told twice. */
  stepOut(stay: Stay): void;
  /** Comes back, and is not refused any more. */
  stepIn(): Stay;
}

/** While work is refused. */
interface Refusing {
  /** When it began, or the last trial ended. */
  triedMs: number;
  /** When somebody was refused last. */
  lastMs: number;
  /** So many inside a trial found to answer more; 0 where none did. */
  found: number;
  trial: { readonly sinceMs: number; readonly perMs: number; readonly inside: number } | null;
}

/** How many may be inside while work is refused, where so many leave in a millisecond. Begins and ends trials. */
function mostInside(refusing: Refusing, atMs: number, perMs: number): number {
  const { trial } = refusing;
  if (trial !== null && atMs - trial.sinceMs >= trialMs) {
    const isOfUse = perMs >= trial.perMs * moreTimes;
    if (isOfUse) refusing.found = trial.inside;
    refusing.triedMs = isOfUse ? -Infinity : atMs;
    refusing.trial = null;
  }
  const kept = Math.max(oldMax, perMs * keptMs, Math.min(refusing.found, perMs * waitMsMax));
  if (refusing.trial === null && atMs - refusing.triedMs >= tryEveryMs)
    refusing.trial = { sinceMs: atMs, perMs, inside: kept * 2 };
  return refusing.trial?.inside ?? kept;
}

/** `now` in milliseconds, of a clock that never goes back. */
export function createAdmission(now: () => number, lateness: Lateness = createLateness(now, lookEveryMs)): Admission {
  const ages = createAges([tellingMs, waitMsMax]);
  const departures = createDepartures();
  let inside = 0;
  let refusing: Refusing | null = null;

  const isTooMuch = (atMs: number, counts: readonly number[]): boolean => {
    const perMs = departures.perMs(atMs);
    const [waiting = 0, old = 0] = counts;
    if (old >= oldMax) return true;
    if (waiting >= oldMax && perMs > 0 && inside / perMs > waitMsMax) return true;
    if (inside < burst) return false;
    lateness.watch(() => inside >= burst / 2);
    return lateness.ms(atMs) > lateMsMax;
  };
  const refuses = (atMs: number): boolean => {
    // Also where there are few, as it lets go of those that have left.
    const counts = ages.count(atMs);
    if (inside < oldMax) return false;
    if (refusing !== null && atMs - refusing.lastMs > calmAfterMs) refusing = null;
    if (refusing === null && isTooMuch(atMs, counts)) refusing = { triedMs: atMs, lastMs: atMs, found: 0, trial: null };
    return refusing !== null && inside >= mostInside(refusing, atMs, departures.perMs(atMs));
  };
  const stepIn = (): Stay => {
    inside += 1;
    return ages.add(now());
  };
  const stepOut = (stay: Stay): void => {
    if (stay.hasLeft) return;
    inside -= 1;
    ages.remove(stay);
  };
  return {
    stepIn,
    stepOut,
    enter() {
      const sinceMs = now();
      if (refuses(sinceMs)) {
        if (refusing !== null) refusing.lastMs = sinceMs;
        return null;
      }
      inside += 1;
      return ages.add(sinceMs);
    },
    leave(stay) {
      if (stay.hasLeft) return;
      departures.count(now());
      stepOut(stay);
    },
  };
}
