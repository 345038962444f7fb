/**
 * Shares a bounded number of places among organizations, at everything that they share: connections, heavy operations, requests to webhooks.
 *
 *   waiting:   A (3 calls) ▶ B (1 call)      a free place goes to A, which then stands behind B
 *
 * An organization takes another place only while it holds fewer than are free: alone it gets half of them, with n others one of n + 1 parts, and a
 * newcomer finds a place at once. Each instance counts for itself.
 */
import { Fault, overloaded } from './errors.js';

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

export function createFairLimiter({ operation, places, each, waitMsMax, observer }: FairLimits) {
  const holdings = createHoldings(places, each);
  /** Organizations in the order of their turns, each with its calls in the order of arrival. */
  const waiting = new Map<string, Set<() => void>>();

  const take = (organizationId: string, waitedMs: number): Release => {
    const atMs = performance.now();
    holdings.take(organizationId);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      holdings.giveBack(organizationId);
      observer?.({ operation, organizationId, waitedMs, heldMs: performance.now() - atMs });
      serve();
    };
  };
  const leave = (organizationId: string, start: () => void): void => {
    const calls = waiting.get(organizationId);
    calls?.delete(start);
    if (calls?.size === 0) waiting.delete(organizationId);
  };
  /** Deleting and adding moves to the end of the map, where this loop meets it again. */
  const serve = (): void => {
    for (const [organizationId, calls] of waiting) {
      if (!holdings.mayTake(organizationId)) continue;
      const [start] = calls;
      if (start === undefined) continue;
      leave(organizationId, start);
      if (waiting.delete(organizationId)) waiting.set(organizationId, calls);
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
