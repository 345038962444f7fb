/**
 * Leases what is due in the database for this process’s sender: retries, what the fan-out left, what an owner started again, and what a sender
 * that died had leased. Organizations share the places evenly, and the endpoints of each what it got; each round goes on where the last one ended.
 *
 * Looks when woken, when the sender has room again, and every half second. A round that fails is repeated after a pause.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveredEvent } from '../contract/postback.js';
import type { Database } from '../stores/database/port.js';
import { startRounds } from '../stores/rounds.js';
import type { Logger } from '../telemetry/logger.js';
import { lanes, type Lane } from './delivery-queue.js';
import { claimDue, findDueEndpoints, type Claimed } from './delivery-store.js';
import { shareOutFairly } from './pacing.js';
import type { Sender } from './sender.js';

export interface ClaimerDeps {
  readonly database: Database;
  readonly sender: Pick<Sender, 'hold' | 'room' | 'places'>;
  readonly logger: Logger;
  readonly leaseMs: number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

const pollMs = 500;
const pauseMsMax = 2_000;
/** Requests within this time are leased in one round. */
const roundMs = 20;
/** Fewer free places are not worth a round. */
const placesWorth = 64;

export function createClaimer(deps: ClaimerDeps) {
  const { sender, logger, clock } = deps;
  const leasing = createLeasing(deps);
  let hasMore = false;
  let timer: { readonly atMs: number; readonly handle: NodeJS.Timeout } | null = null;

  const rounds = startRounds({
    ...{ everyMs: pollMs, firstMs: 0, pauseMs: [pollMs, pauseMsMax], keepsAlive: true },
    async work() {
      if (!hasMore) await pause(roundMs);
      hasMore = false;
      for (const lane of lanes) hasMore = (await leasing.claim(lane)) || hasMore;
      return hasMore;
    },
    onError: (error, failures) => logger.warn({ err: error, failures }, 'leasing due deliveries failed; retrying'),
  });

  return {
    /** Something is due. */
    wake: () => rounds.wake(),
    /** Something will be due in so many milliseconds. */
    wakeIn(ms: number): void {
      const atMs = clock() + ms;
      if (timer !== null && timer.atMs <= atMs) return;
      if (timer !== null) clearTimeout(timer.handle);
      const handle = setTimeout(() => {
        timer = null;
        rounds.wake();
      }, ms + 2).unref();
      timer = { atMs, handle };
    },
    /** The sender has room: worth a look if something waits. */
    roomMade(): void {
      const isWorth =
        (leasing.behind.size > 0 && sender.places('first') >= placesWorth) ||
        (leasing.retryWaits() && sender.places('retry') >= placesWorth);
      if (isWorth) rounds.wake();
    },
    /** Whether deliveries of the endpoint are known to wait in the database. */
    isBehind: (webhookId: string): boolean => leasing.behind.has(webhookId),
    noteLeft: (webhookId: string): void => void leasing.behind.add(webhookId),
    stop(): Promise<void> {
      if (timer !== null) clearTimeout(timer.handle);
      return rounds.stop();
    },
  };
}

/** One round of leasing, and what is known afterwards of what is left in the database. Rejects if the database is away; nothing is lost by it. */
function createLeasing({ database, sender, leaseMs, clock }: ClaimerDeps) {
  /** Endpoints that are known to have more due in the database. */
  const behind = new Set<string>();
  const cursors: Record<Lane, string> = { first: '', retry: '' };
  /** Whether repetitions were due at the last look. */
  let retryWaits = false;

  /** Leases for one lane; answers whether more is likely to be had at once. */
  const claim = async (lane: Lane): Promise<boolean> => {
    const places = sender.places(lane);
    if (places === 0) return false;
    const from = cursors[lane];
    const { endpoints, next } = await findDueEndpoints(database, lane, from);
    cursors[lane] = next;
    const rooms = endpoints.map(({ organizationId, webhookId, isProbe }) => ({
      organizationId,
      room: Math.min(isProbe ? 1 : Infinity, sender.room(webhookId)),
    }));
    const counts = shareOutFairly(rooms, places, (organizationId) => sender.places(lane, organizationId));
    const shares = endpoints
      .map((endpoint, index) => ({ ...endpoint, count: counts[index] ?? 0 }))
      .filter(({ count }) => count > 0);
    const leasedAtMs = clock();
    const claimed = await claimDue(database, lane, shares, leaseMs);
    for (const each of claimed) holdClaimed(each, leasedAtMs);
    const isComplete = from === '' && next === '';
    if (lane === 'retry') retryWaits = endpoints.length > 0;
    else noteBehind(endpoints, claimed, counts, isComplete);
    return next !== '' || claimed.length >= placesWorth;
  };
  const holdClaimed = ({ body, eventId: _eventId, ...claimed }: Claimed, leasedAtMs: number): void => {
    // An event past its retention cannot be sent; its delivery goes the same way.
    if (body !== null) sender.hold({ ...claimed, event: JSON.parse(body) as DeliveredEvent, leasedAtMs });
  };
  /** An endpoint that got all it asked for, and could have had more, has nothing left in the database. */
  const noteBehind = (
    endpoints: readonly { readonly webhookId: string }[],
    claimed: readonly Claimed[],
    counts: readonly number[],
    isComplete: boolean,
  ): void => {
    const got = new Map<string, number>();
    for (const { webhookId } of claimed) got.set(webhookId, (got.get(webhookId) ?? 0) + 1);
    if (isComplete) behind.clear();
    endpoints.forEach(({ webhookId }, index) => {
      if ((got.get(webhookId) ?? 0) >= (counts[index] ?? 0)) behind.add(webhookId);
      else behind.delete(webhookId);
    });
  };

  return { claim, behind, retryWaits: () => retryWaits };
}
