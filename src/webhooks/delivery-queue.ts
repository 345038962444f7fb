/**
 * Deliveries that this process holds and has not sent yet. Endpoints take turns, one delivery each, so that however much waits for one of them, the
 * others do not wait behind it; one that has as many requests under way as its limit allows sits out until one of them ends. First attempts and
 * repetitions wait in lanes of their own and share the endpoint’s limit.
 *
 *   ring of a lane:   A ▶ B ▶ C      take() serves A and puts it behind C, if it has more and may have more
 *
 * Everything here takes constant time. How much may wait is up to the caller, who asks `room` first.
 */
import { concurrencyFirst } from './pacing.js';

export const lanes = ['first', 'retry'] as const;
export type Lane = (typeof lanes)[number];

interface Endpoint<T> {
  readonly items: Readonly<Record<Lane, T[]>>;
  active: number;
  limit: number;
}

/** Twice the limit keeps an endpoint busy while the next are fetched. */
const holdFactor = 2;

export function createDeliveryQueue<T>() {
  const endpoints = new Map<string, Endpoint<T>>();
  const rings: Readonly<Record<Lane, Set<string>>> = { first: new Set(), retry: new Set() };
  const count = { first: 0, retry: 0, active: 0 };

  const endpointOf = (webhookId: string): Endpoint<T> => {
    const known = endpoints.get(webhookId);
    if (known !== undefined) return known;
    const made: Endpoint<T> = { items: { first: [], retry: [] }, active: 0, limit: concurrencyFirst };
    endpoints.set(webhookId, made);
    return made;
  };
  const roomOf = ({ items, active, limit }: Endpoint<T>): number =>
    Math.max(0, limit * holdFactor - active - items.first.length - items.retry.length);
  /** A set keeps the order of insertion: deleting and adding moves to the end. */
  const enterRings = (webhookId: string, endpoint: Endpoint<T>): void => {
    for (const lane of lanes) {
      const mayGo = endpoint.items[lane].length > 0 && endpoint.active < endpoint.limit;
      if (mayGo) rings[lane].add(webhookId);
      else rings[lane].delete(webhookId);
    }
  };
  /** What an endpoint taught is kept while it has work; an idle one at the first limit is forgotten. */
  const forgetIdle = (webhookId: string, { items, active, limit }: Endpoint<T>): void => {
    const isIdle = active + items.first.length + items.retry.length === 0;
    if (isIdle && (limit === concurrencyFirst || endpoints.size > endpointsMax)) endpoints.delete(webhookId);
  };

  return {
    /** How many more of the endpoint’s deliveries are worth holding: enough to keep it busy. */
    room(webhookId: string): number {
      const endpoint = endpoints.get(webhookId);
      return endpoint === undefined ? concurrencyFirst * holdFactor : roomOf(endpoint);
    },
    offer(webhookId: string, lane: Lane, item: T): void {
      const endpoint = endpointOf(webhookId);
      endpoint.items[lane].push(item);
      count[lane] += 1;
      enterRings(webhookId, endpoint);
    },
    /** The next delivery of the lane, now under way; undefined where no endpoint that may be served has one. */
    take(lane: Lane): T | undefined {
      for (const webhookId of rings[lane]) {
        const endpoint = endpointOf(webhookId);
        const item = endpoint.items[lane].shift();
        rings[lane].delete(webhookId);
        if (item === undefined) continue;
        count[lane] -= 1;
        count.active += 1;
        endpoint.active += 1;
        enterRings(webhookId, endpoint);
        return item;
      }
      return undefined;
    },
    /** A request of the endpoint ended; `nextLimit` makes its limit from the one it had. */
    done(webhookId: string, nextLimit: (limit: number) => number): void {
      const endpoint = endpointOf(webhookId);
      endpoint.active -= 1;
      count.active -= 1;
      endpoint.limit = nextLimit(endpoint.limit);
      enterRings(webhookId, endpoint);
      forgetIdle(webhookId, endpoint);
    },
    /** Takes out everything that waits. */
    drain(): readonly T[] {
      const all = [...endpoints.values()].flatMap(({ items }) => lanes.flatMap((lane) => items[lane].splice(0)));
      for (const lane of lanes) {
        rings[lane].clear();
        count[lane] = 0;
      }
      return all;
    },
    waiting: (lane: Lane): number => count[lane],
    active: (): number => count.active,
    limitOf: (webhookId: string): number => endpoints.get(webhookId)?.limit ?? concurrencyFirst,
  };
}

/** Endpoints that are remembered while idle. */
const endpointsMax = 10_000;
