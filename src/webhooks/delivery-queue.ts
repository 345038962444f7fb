/**
 * Deliveries that this process holds and has not sent yet. Organizations take turns, and within each its endpoints, one delivery each, so that however
 * much waits for one of them, the others do not wait behind it. An organization has at most its share of the requests under way and of the held ones
 * (see fair-limiter.ts); an endpoint that has as many requests under way as its limit allows sits out until one of them ends. First attempts and
 * repetitions wait in lanes of their own and share the endpoint’s limit.
 *
 *   ring of a lane:   org 1 (A ▶ B ▶ C) ▶ org 2 (D)      take() serves A, and puts A behind C and org 1 behind org 2, if they have and may have more
 *
 * Constant time for endpoints, a look at each organization that waits. How much may wait is up to the caller, who asks `room` and `places` first.
 */
import { createHoldings, type Holdings } from '../fair-limiter.js';
import { concurrencyFirst } from './pacing.js';

export const lanes = ['first', 'retry'] as const;
export type Lane = (typeof lanes)[number];

/** Whose delivery it is. */
export interface Recipient {
  readonly organizationId: string;
  readonly webhookId: string;
}

interface Endpoint<T> extends Recipient {
  readonly items: Readonly<Record<Lane, T[]>>;
  active: number;
  limit: number;
}

/** For each lane: the endpoints of each organization that may go, and the places that each holds. */
interface LaneState {
  readonly ring: Map<string, Set<string>>;
  readonly sending: Holdings;
  readonly held: Holdings;
}

export type LanePlaces = Readonly<Record<Lane, { readonly sending: number; readonly holding: number }>>;

/** Twice the limit keeps an endpoint busy while the next are fetched. */
const holdFactor = 2;

const makeLane = ({ sending, holding }: LanePlaces[Lane]): LaneState => ({
  ring: new Map<string, Set<string>>(),
  sending: createHoldings(sending),
  held: createHoldings(holding),
});

const roomOf = <T>({ items, active, limit }: Endpoint<T>): number =>
  Math.max(0, limit * holdFactor - active - items.first.length - items.retry.length);

/** The learned limit of an endpoint is kept while it has work; an idle endpoint at the first limit is forgotten. */
const isForgotten = <T>({ items, active, limit }: Endpoint<T>, known: number): boolean =>
  active + items.first.length + items.retry.length === 0 && (limit === concurrencyFirst || known > endpointsMax);

/** Sets and maps keep the order of insertion: deleting and adding moves to the end. */
function enterRings<T>(states: Readonly<Record<Lane, LaneState>>, endpoint: Endpoint<T>): void {
  const { organizationId, webhookId, items, active, limit } = endpoint;
  for (const lane of lanes) {
    const { ring } = states[lane];
    const own = ring.get(organizationId) ?? new Set();
    if (items[lane].length > 0 && active < limit) own.add(webhookId);
    else own.delete(webhookId);
    if (own.size === 0) ring.delete(organizationId);
    else ring.set(organizationId, own);
  }
}

export function createDeliveryQueue<T>(places: LanePlaces) {
  const endpoints = new Map<string, Endpoint<T>>();
  const states = { first: makeLane(places.first), retry: makeLane(places.retry) };

  const endpointOf = ({ organizationId, webhookId }: Recipient): Endpoint<T> => {
    const known = endpoints.get(webhookId);
    if (known !== undefined) return known;
    const items = { first: [], retry: [] };
    const made: Endpoint<T> = { organizationId, webhookId, items, active: 0, limit: concurrencyFirst };
    endpoints.set(webhookId, made);
    return made;
  };
  const serve = (lane: Lane, endpoint: Endpoint<T>): T | undefined => {
    const { ring, sending, held } = states[lane];
    const item = endpoint.items[lane].shift();
    const others = ring.get(endpoint.organizationId);
    others?.delete(endpoint.webhookId);
    ring.delete(endpoint.organizationId);
    if (others !== undefined && others.size > 0) ring.set(endpoint.organizationId, others);
    held.giveBack(endpoint.organizationId);
    sending.take(endpoint.organizationId);
    endpoint.active += 1;
    enterRings(states, endpoint);
    return item;
  };

  return {
    /** How many more of the endpoint’s deliveries are worth holding: enough to keep it busy. */
    room(webhookId: string): number {
      const endpoint = endpoints.get(webhookId);
      return endpoint === undefined ? concurrencyFirst * holdFactor : roomOf(endpoint);
    },
    /** How many more of the lane are worth holding: of one organization, or of all. */
    places: (lane: Lane, organizationId?: string): number =>
      organizationId === undefined ? Math.max(0, states[lane].held.free()) : states[lane].held.room(organizationId),
    offer(recipient: Recipient, lane: Lane, item: T): void {
      const endpoint = endpointOf(recipient);
      endpoint.items[lane].push(item);
      states[lane].held.take(endpoint.organizationId);
      enterRings(states, endpoint);
    },
    /** The next delivery of the lane, now under way; undefined where no endpoint that may be served has one. */
    take(lane: Lane): T | undefined {
      const { ring, sending } = states[lane];
      for (const [organizationId, own] of ring) {
        if (!sending.mayTake(organizationId)) continue;
        const [webhookId = ''] = own;
        const endpoint = endpoints.get(webhookId);
        if (endpoint !== undefined) return serve(lane, endpoint);
      }
      return undefined;
    },
    /** A request of the lane ended; `nextLimit` makes its endpoint’s limit from the one it had. */
    done(recipient: Recipient, lane: Lane, nextLimit: (limit: number) => number): void {
      const endpoint = endpointOf(recipient);
      endpoint.active -= 1;
      states[lane].sending.giveBack(endpoint.organizationId);
      endpoint.limit = nextLimit(endpoint.limit);
      enterRings(states, endpoint);
      if (isForgotten(endpoint, endpoints.size)) endpoints.delete(endpoint.webhookId);
    },
    /** Takes out everything that waits. */
    drain(): readonly T[] {
      const all: T[] = [];
      for (const { organizationId, items } of endpoints.values())
        for (const lane of lanes) {
          items[lane].forEach(() => states[lane].held.giveBack(organizationId));
          all.push(...items[lane].splice(0));
          states[lane].ring.clear();
        }
      return all;
    },
    waiting: (lane: Lane): number => places[lane].holding - states[lane].held.free(),
    active: (): number => lanes.reduce((sum, lane) => sum + places[lane].sending - states[lane].sending.free(), 0),
  };
}

/** Endpoints that are remembered while idle. */
const endpointsMax = 10_000;
