/**
 * Shares a bounded number of places among organizations, at everything that they share: connections, heavy operations, requests to webhooks.
 *
 *   waiting:   A (3 calls, held places for 120 ms)   B (1 call, 4 ms)      a free place goes to B, which has used least
 *
 * Waiters are ordered by accumulated hold time. An organization that returns after a pause starts at the time of the last one served, so idle time
 * gives no advantage.
 * An organization takes another place only while it holds fewer than are free: alone it gets half of them, with n others one of n + 1 parts, and a
 * newcomer finds a place at once. Each instance counts for itself.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createBoundedCache } from './bounded-cache.js';
import { Fault, overloaded } from './errors.js';

/** Whose use is remembered. */
const organizationsMax = 10_000;

export interface FairLimits {
  /** How faults and figures name what is shared. */
  readonly operation: string;
  readonly places: number;
  /** Most places of one organization. */
  readonly each?: number;
  /** In place of `each` while another organization was served within the last second. */
  readonly eachContended?: number;
  /** A place that was given back is not taken again before it has rested for as long as `restOf` says. */
  readonly rests?: true;
  /** Longest wait for a place; then RATE_LIMIT_EXCEEDED for an organization that holds its share while places are kept for others, else OVERLOADED. Absent: as long as it takes. */
  readonly waitMsMax?: number;
  readonly observer?: ShareObserver;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
}

/** Measures one call, in milliseconds. */
export interface ShareUse {
  readonly operation: string;
  readonly organizationId: string;
  readonly waitedMs: number;
  /** null: refused. */
  readonly heldMs: number | null;
}

export type ShareObserver = (use: ShareUse) => void;
export type Release = () => void;
export type FairLimiter = ReturnType<typeof createFairLimiter>;

export type Holdings = ReturnType<typeof createHoldings>;

/** Counts the places that each organization holds, and decides whether it may take another. */
export function createHoldings(places: number, each = Infinity) {
  const held = new Map<string, number>();
  let free = places;
  const heldBy = (organizationId: string): number => held.get(organizationId) ?? 0;
  return {
    heldBy,
    free: () => free,
    /** How many it holds where another is kept from it, by its own limit or for others; 0 where all places are taken. */
    share: (organizationId: string): number =>
      heldBy(organizationId) >= each || free > 0 ? heldBy(organizationId) : 0,
    /** How many more it may take, one after the other. */
    room: (organizationId: string): number =>
      Math.max(0, Math.min(each - heldBy(organizationId), Math.ceil((free - heldBy(organizationId)) / 2))),
    mayTake: (organizationId: string, most = each): boolean => heldBy(organizationId) < Math.min(most, free),
    take(organizationId: string): void {
      free -= 1;
      held.set(organizationId, heldBy(organizationId) + 1);
    },
    giveBack(organizationId: string): void {
      free += 1;
      if (heldBy(organizationId) <= 1) held.delete(organizationId);
      else held.set(organizationId, heldBy(organizationId) - 1);
    },
  };
}

/** How long after one organization was served another shares the places with it. */
const contendedMs = 1_000;

/** Whether others than an organization were served just now. */
function createContention() {
  let [latest, latestAtMs, otherAtMs] = ['', -Infinity, -Infinity];
  return {
    serve(organizationId: string, nowMs: number): void {
      if (organizationId !== latest) [latest, otherAtMs] = [organizationId, latestAtMs];
      latestAtMs = nowMs;
    },
    isFelt: (organizationId: string, nowMs: number): boolean =>
      nowMs - (organizationId === latest ? otherAtMs : latestAtMs) < contendedMs,
  };
}

/** How long organizations held places, in milliseconds; of those that were not served for long, at least what the last one had. */
function createUsage() {
  const used = createBoundedCache<number>(organizationsMax);
  let served = 0;
  const of = (organizationId: string): number => Math.max(served, used.get(organizationId) ?? 0);
  return {
    add: (organizationId: string, ms: number): void => void used.set(organizationId, of(organizationId) + ms),
    serve: (organizationId: string): void => void (served = of(organizationId)),
    /** The first of equals wins. */
    leastOf(organizationIds: readonly string[]): string | undefined {
      const [first, ...rest] = organizationIds;
      if (first === undefined) return undefined;
      return rest.reduce((a, b) => (of(b) < of(a) ? b : a), first);
    },
  };
}

type Waiting = Map<string, Set<() => void>>;

function leave(waiting: Waiting, organizationId: string, start: () => void): void {
  const calls = waiting.get(organizationId);
  if (calls?.delete(start) === true && calls.size === 0) waiting.delete(organizationId);
}

const restMsMax = 250;
/** Work that takes long has the processors for a third of the time: others find them free within a moment. */
const restOf = (workedMs: number): number => Math.min(restMsMax, 2 * workedMs);
/** Between two pieces of such work. */
export const rest = (sinceMs: number): Promise<void> => pause(restOf(performance.now() - sinceMs));

export function createFairLimiter(limits: FairLimits) {
  const { operation, places, each, eachContended, rests, waitMsMax, observer, now = () => performance.now() } = limits;
  const [holdings, usage, contention] = [createHoldings(places, each), createUsage(), createContention()];
  /** The waiting calls of each organization, in the order of arrival. */
  const waiting: Waiting = new Map();

  const mayTake = (organizationId: string): boolean =>
    holdings.mayTake(organizationId, contention.isFelt(organizationId, now()) ? eachContended : each);
  const take = (organizationId: string, waitedMs: number): Release => {
    const atMs = now();
    holdings.take(organizationId);
    usage.serve(organizationId);
    contention.serve(organizationId, atMs);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      usage.add(organizationId, now() - atMs);
      observer?.({ operation, organizationId, waitedMs, heldMs: now() - atMs });
      if (rests === true) setTimeout(giveBack, restOf(now() - atMs), organizationId);
      else giveBack(organizationId);
    };
  };
  const giveBack = (organizationId: string): void => {
    holdings.giveBack(organizationId);
    serve();
  };
  const serve = (): void => {
    for (;;) {
      const next = usage.leastOf([...waiting.keys()].filter(mayTake));
      const [start] = waiting.get(next ?? '') ?? [];
      if (next === undefined || start === undefined) return;
      leave(waiting, next, start);
      start();
    }
  };
  /** Resolves with a release, which may be called twice. Rejects after the longest wait, or once `signal` is aborted. */
  const acquire = (organizationId: string, signal?: AbortSignal): Promise<Release> => {
    if (!waiting.has(organizationId) && mayTake(organizationId)) return Promise.resolve(take(organizationId, 0));
    return new Promise((resolve, reject) => {
      const sinceMs = now();
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      };
      const start = (): void => {
        end();
        resolve(take(organizationId, now() - sinceMs));
      };
      const giveUp = (): void => {
        end();
        leave(waiting, organizationId, start);
        observer?.({ operation, organizationId, waitedMs: now() - sinceMs, heldMs: null });
        reject(refusal(operation, holdings.share(organizationId)));
      };
      const timer = waitMsMax === undefined ? undefined : setTimeout(giveUp, waitMsMax);
      signal?.addEventListener('abort', giveUp, { once: true });
      waiting.set(organizationId, (waiting.get(organizationId) ?? new Set()).add(start));
    });
  };

  return {
    acquire,
    async run<T>(organizationId: string, job: () => Promise<T>): Promise<T> {
      const release = await acquire(organizationId);
      try {
        return await job();
      } finally {
        release();
      }
    },
  };
}

/** `usage`: how many places an organization with its share holds; 0 for one that waits for others, or for a place to be had at all. */
function refusal(operation: string, usage: number): Fault {
  if (usage === 0) return overloaded(`${operation}: all places are taken`);
  const resetDate = new Date(Date.now() + 1_000).toISOString();
  return new Fault(
    'RATE_LIMIT_EXCEEDED',
    `Concurrency limit reached (${operation}: ${usage}). Retry when one finishes.`,
    { context: { operation, limit: usage, usage, resetDate }, headers: { 'retry-after': '1' } },
  );
}
