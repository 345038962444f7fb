/**
 * Leases what is due in the database for this process’s sender: retries, what the fan-out left, what an owner started again, and what a sender
 * that died had leased. Endpoints share the places evenly; each round goes on where the last one ended.
 *
 * Looks when woken, when the sender has room again, and every half second. A round that fails is repeated after a pause.
 */
import type { SessionEvent } from '../contract/session-event.js';
import type { Database } from '../stores/database/port.js';
import { createWake, pauseAfter } from '../stores/log/wake.js';
import type { Logger } from '../telemetry/logger.js';
import { lanes, type Lane } from './delivery-queue.js';
import { claimDue, findDueEndpoints, type Claimed } from './delivery-store.js';
import { shareOut } from './fair-share.js';
import type { Sender } from './sender.js';

export interface ClaimerDeps {
  readonly database: Database;
  readonly sender: Pick<Sender, 'hold' | 'room' | 'places'>;
  readonly logger: Logger;
  readonly leaseMs: number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  readonly pollMs?: number;
}

export interface Claimer {
  /** Something is due. */
  wake(): void;
  /** Something will be due in so many milliseconds. */
  wakeIn(ms: number): void;
  /** The sender has room: worth a look if something waits. */
  roomMade(): void;
  /** Whether deliveries of the endpoint are known to wait in the database. */
  isBehind(webhookId: string): boolean;
  noteLeft(webhookId: string): void;
  stop(): Promise<void>;
}

const pollMsDefault = 500;
const pauseMsMax = 2_000;
/** Fewer free places are not worth a round. */
const placesWorth = 64;

export function createClaimer({
  database,
  sender,
  logger,
  leaseMs,
  clock,
  pollMs = pollMsDefault,
}: ClaimerDeps): Claimer {
  const wake = createWake();
  const behind = new Set<string>();
  const cursors: Record<Lane, string> = { first: '', retry: '' };
  let retryWaits = false;
  let isStopping = false;
  let failures = 0;
  let timer: { readonly atMs: number; readonly handle: NodeJS.Timeout } | null = null;

  /** Leases for one lane; answers whether more is likely to be had at once. */
  const claimLane = async (lane: Lane): Promise<boolean> => {
    const places = sender.places(lane);
    if (places === 0) return false;
    const from = cursors[lane];
    const { endpoints, next } = await findDueEndpoints(database, lane, from);
    cursors[lane] = next;
    const counts = shareOut(
      endpoints.map(({ webhookId, isProbe }) => Math.min(isProbe ? 1 : Infinity, sender.room(webhookId))),
      places,
    );
    const shares = endpoints
      .map((endpoint, index) => ({ ...endpoint, count: counts[index] ?? 0 }))
      .filter(({ count }) => count > 0);
    const leasedAtMs = clock();
    const claimed = await claimDue(database, lane, shares, leaseMs);
    for (const each of claimed) holdClaimed(each, leasedAtMs);
    const isWhole = from === '' && next === '';
    if (lane === 'retry') retryWaits = endpoints.length > 0;
    else
      noteBehind(
        endpoints.map(({ webhookId }) => webhookId),
        claimed,
        counts,
        isWhole,
      );
    return next !== '' || claimed.length >= placesWorth;
  };
  const holdClaimed = ({ body, eventId: _eventId, ...claimed }: Claimed, leasedAtMs: number): void => {
    // An event past its retention cannot be sent; its delivery goes the same way.
    if (body !== null) sender.hold({ ...claimed, event: JSON.parse(body) as SessionEvent, leasedAtMs });
  };
  /** An endpoint that got all it asked for, and could have had more, has nothing left in the database. */
  const noteBehind = (
    webhookIds: readonly string[],
    claimed: readonly Claimed[],
    counts: readonly number[],
    isWhole: boolean,
  ): void => {
    const got = new Map<string, number>();
    for (const { webhookId } of claimed) got.set(webhookId, (got.get(webhookId) ?? 0) + 1);
    const left = webhookIds.filter((webhookId, index) => (got.get(webhookId) ?? 0) >= (counts[index] ?? 0));
    if (isWhole) behind.clear();
    else for (const webhookId of webhookIds) behind.delete(webhookId);
    for (const webhookId of left) behind.add(webhookId);
  };
  const loop = async (): Promise<void> => {
    while (!isStopping) {
      let hasMore = false;
      try {
        for (const lane of lanes) hasMore = (await claimLane(lane)) || hasMore;
        failures = 0;
      } catch (error) {
        failures++;
        logger.warn({ err: error, failures }, 'due deliveries were not leased; it is tried again');
      }
      if (failures > 0) await wake.wait(pauseAfter(failures, pollMs, pauseMsMax));
      else if (!hasMore) await wake.wait(pollMs);
    }
  };
  const running = loop();

  return {
    wake: () => wake.wake(),
    wakeIn(ms) {
      const atMs = clock() + ms;
      if (isStopping || (timer !== null && timer.atMs <= atMs)) return;
      if (timer !== null) clearTimeout(timer.handle);
      const handle = setTimeout(() => {
        timer = null;
        wake.wake();
      }, ms + 2);
      timer = { atMs, handle };
    },
    roomMade() {
      const isWorth =
        (behind.size > 0 && sender.places('first') >= placesWorth) ||
        (retryWaits && sender.places('retry') >= placesWorth);
      if (isWorth) wake.wake();
    },
    isBehind: (webhookId) => behind.has(webhookId),
    noteLeft: (webhookId) => void behind.add(webhookId),
    async stop() {
      isStopping = true;
      if (timer !== null) clearTimeout(timer.handle);
      wake.wake();
      await running;
    },
  };
}
