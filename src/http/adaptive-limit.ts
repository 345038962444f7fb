/**
 * Limits the requests in flight while the process is overloaded, and only then: a burst is accepted whole.
 *
 * Overload is a measured delay: a timer fires late, which every request waits at each of its steps, or requests in flight are old. The limit starts
 * at what is in flight then. Above the accepted delay it shrinks in proportion, below it grows, and after a second without a refusal it is lifted.
 */

/** The lowest limit: enough to keep the process busy if its stores are fast. */
const limitMin = 64;
/** With fewer requests in flight a late timer has another cause, such as a garbage collection. */
const burst = 256;
const checkEveryMs = 50;
/** How late a timer may fire before requests are limited, and while they are. */
const lateMsMax = 50;
const lateMsLimited = 20;
/** Longer than an outage of the stores makes a request wait. Up to `limitMin` requests may be older. */
const ageMsMax = 1_000;
/** Per check. */
const shrinkMax = 0.5;
const growth = 1.02;
/** A second of checks in time lifts the limit. Counted, because one turn of the event loop can take a second. */
const calmChecks = 20;

export interface InFlightRequest {
  readonly sinceMs: number;
}

export type AdaptiveLimit = ReturnType<typeof createAdaptiveLimit>;

const unrefTimeout = (callback: () => void, ms: number): void => void setTimeout(callback, ms).unref();

/** `now` in milliseconds from a monotonic clock. */
export function createAdaptiveLimit(now = () => performance.now(), setTimer = unrefTimeout) {
  /** Oldest first. */
  const inFlight = new Set<InFlightRequest>();
  let limit = Infinity;
  let calm = 0;
  /** When the timer is due; null if none is set. */
  let dueMs: number | null = null;

  const lateMs = (atMs: number): number => (dueMs === null ? 0 : atMs - dueMs);
  const ageMs = (atMs: number): number => {
    let count = 0;
    for (const { sinceMs } of inFlight) if (++count === limitMin) return atMs - sinceMs;
    return 0;
  };
  const adjust = (atMs: number): void => {
    const [fewest, lateMax] = limit === Infinity ? [burst, lateMsMax] : [limitMin, lateMsLimited];
    const late = inFlight.size >= fewest ? lateMs(atMs) / lateMax : 0;
    const delay = Math.max(late, ageMs(atMs) / ageMsMax);
    calm = delay > 1 ? 0 : calm + 1;
    if (calm === 0) limit = Math.max(limitMin, Math.min(limit, inFlight.size) * Math.max(shrinkMax, 1 / delay));
    else limit = calm > calmChecks ? Infinity : limit * growth;
  };
  const watch = (): void => {
    if (dueMs !== null) return;
    dueMs = now() + checkEveryMs;
    setTimer(() => {
      adjust(now());
      dueMs = null;
      if (limit !== Infinity || inFlight.size >= limitMin) watch();
    }, checkEveryMs);
  };
  const readmit = (): InFlightRequest => {
    const request = { sinceMs: now() };
    inFlight.add(request);
    return request;
  };
  return {
    /** Counts a request that was accepted before. */
    readmit,
    /** null if the request is refused. */
    acquire(): InFlightRequest | null {
      if (inFlight.size >= limitMin) watch();
      const atMs = now();
      // The timer cannot fire within a long turn of the event loop, in which hundreds of requests may arrive.
      if (limit === Infinity && lateMs(atMs) > lateMsMax) adjust(atMs);
      if (inFlight.size < limit) return readmit();
      calm = 0;
      return null;
    },
    /** Can be called twice. */
    release: (request: InFlightRequest): void => void inFlight.delete(request),
  };
}
