/**
 * Shares a bounded number of places among organizations, at everything that they share: connections, heavy operations, requests to webhooks.
 *
 *   waiting:   A (3 calls, held places for 120 ms)   B (1 call, 4 ms)      a free place goes to B, which has used least
 *
 * What counts is time: who holds places for long waits for others that hold them shortly. Who comes after a while has used as much as who was served
 * last, so that nobody saves up.
 * An organization takes another place only while it holds fewer than are free: alone it gets half of them, with n others one of n + 1 parts, and a
 * newcomer finds a place at once. Each instance counts for itself.
 */
import { LRUCache } from 'lru-cache';
import { Fault, overloaded } from './errors.js';

/** Whose use is remembered. */
const organizationsMax = 10_000;

export interface FairLimits {
  /** How faults and figures name what is shared. */
  readonly operation: string;
  readonly places: number;
  /** Most places of one organization. */
  readonly each?: number;
  /** Longest wait for a place; then RATE_LIMIT_EXCEEDED for an organization that holds its share, else OVERLOADED. Absent: as long as it takes. */
  readonly waitMsMax?: number;
  readonly observer?: ShareObserver;
}

/** What happened to one call, in milliseconds. */
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

/** Who holds how many of the places, and whether they may take another. */
export function createHoldings(places: number, each = Infinity) {
  const held = new Map<string, number>();
  let free = places;
  const heldBy = (organizationId: string): number => held.get(organizationId) ?? 0;
  return {
    heldBy,
    free: () => free,
    /** How many more it may take, one after the other. */
    room: (organizationId: string): number =>
      Math.max(0, Math.min(each - heldBy(organizationId), Math.ceil((free - heldBy(organizationId)) / 2))),
    mayTake: (organizationId: string): boolean => heldBy(organizationId) < Math.min(each, free),
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

/** How long organizations held places, in milliseconds; of those that were not served for long, at least what the last one had. */
function createUsage() {
  const used = new LRUCache<string, number>({ max: organizationsMax });
  let served = 0;
  const of = (organizationId: string): number => Math.max(served, used.get(organizationId) ?? 0);
  return {
    add: (organizationId: string, ms: number): void => void used.set(organizationId, of(organizationId) + ms),
    serve: (organizationId: string): void => void (served = of(organizationId)),
    /** Of equals the first. */
    leastOf(organizationIds: readonly string[]): string | undefined {
      const [first, ...rest] = organizationIds;
      if (first === undefined) return undefined;
      return rest.reduce((a, b) => (of(b) < of(a) ? b : a), first);
    },
  };
}

export function createFairLimiter({ operation, places, each, waitMsMax, observer }: FairLimits) {
  const holdings = createHoldings(places, each);
  const usage = createUsage();
  /** Of each organization its calls, in the order of arrival. */
  const waiting = new Map<string, Set<() => void>>();

  const take = (organizationId: string, waitedMs: number): Release => {
    const atMs = performance.now();
    holdings.take(organizationId);
    usage.serve(organizationId);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      holdings.giveBack(organizationId);
      usage.add(organizationId, performance.now() - atMs);
      observer?.({ operation, organizationId, waitedMs, heldMs: performance.now() - atMs });
      serve();
    };
  };
  const leave = (organizationId: string, start: () => void): void => {
    const calls = waiting.get(organizationId);
    calls?.delete(start);
    if (calls?.size === 0) waiting.delete(organizationId);
  };
  const serve = (): void => {
    for (;;) {
      const next = usage.leastOf([...waiting.keys()].filter(holdings.mayTake));
      const [start] = waiting.get(next ?? '') ?? [];
      if (next === undefined || start === undefined) return;
      leave(next, start);
      start();
    }
  };
  /** Resolves with a release, which may be called twice. Rejects after the longest wait, or once `signal` is aborted. */
  const acquire = (organizationId: string, signal?: AbortSignal): Promise<Release> => {
    if (!waiting.has(organizationId) && holdings.mayTake(organizationId))
      return Promise.resolve(take(organizationId, 0));
    return new Promise((resolve, reject) => {
      const sinceMs = performance.now();
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      };
      const start = (): void => {
        end();
        resolve(take(organizationId, performance.now() - sinceMs));
      };
      const giveUp = (): void => {
        end();
        leave(organizationId, start);
        observer?.({ operation, organizationId, waitedMs: performance.now() - sinceMs, heldMs: null });
        reject(refusal(operation, holdings.heldBy(organizationId)));
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

/** `usage`: how many places the organization holds itself. */
function refusal(operation: string, usage: number): Fault {
  if (usage === 0) return overloaded(`${operation}: all places are taken`);
  const resetDate = new Date(Date.now() + 1_000).toISOString();
  return new Fault(
    'RATE_LIMIT_EXCEEDED',
    `Your organization has as many calls of this kind under way as it may have at once (${usage}). Try again in a moment.`,
    { context: { operation, limit: usage, usage, resetDate }, headers: { 'retry-after': '1' } },
  );
}
