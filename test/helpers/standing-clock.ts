/**
 * A clock that stands unless it is moved. Tests of limits use it, so that all calls fall into one minute and one day however long the machine
 * takes. It is some minutes ahead of the real clock, because the counters in memory forget a window that has ended by theirs.
 */
const minuteMs = 60_000;
const aheadMinutes = 5;

export interface StandingClock {
  now(): number;
  advance(ms: number): void;
}

/** Stands at the beginning of a minute. */
export function createStandingClock(): StandingClock {
  let nowMs = (Math.floor(Date.now() / minuteMs) + aheadMinutes) * minuteMs;
  return {
    now: () => nowMs,
    advance: (ms) => void (nowMs += ms),
  };
}
