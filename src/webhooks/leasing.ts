/**
 * One round of leasing: which endpoints have something due, how the places are shared among them, and what is known afterwards of how much is
 * left in the database. Rejects where the database is away; nothing is lost by it.
 */
import type { SessionEvent } from '../contract/session-event.js';
import type { Database } from '../stores/database/port.js';
import type { Lane } from './delivery-queue.js';
import { claimDue, findDueEndpoints, type Claimed } from './delivery-store.js';
import { shareOut } from './fair-share.js';
import type { Sender } from './sender.js';

export interface LeasingDeps {
  readonly database: Database;
  readonly sender: Pick<Sender, 'hold' | 'room' | 'places'>;
  readonly leaseMs: number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

export interface Leasing {
  /** Leases for one lane and hands it to the sender; answers whether more is likely to be had at once. */
  claim(lane: Lane): Promise<boolean>;
  /** Endpoints that are known to have more due in the database. */
  readonly behind: Set<string>;
  /** Whether repetitions were due at the last look. */
  retryWaits(): boolean;
}

/** Fewer free places are not worth a round. */
export const placesWorth = 64;

export function createLeasing({ database, sender, leaseMs, clock }: LeasingDeps): Leasing {
  const behind = new Set<string>();
  const cursors: Record<Lane, string> = { first: '', retry: '' };
  let retryWaits = false;

  /** Leases for one lane; answers whether more is likely to be had at once. */
  const claim = async (lane: Lane): Promise<boolean> => {
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
    const isComplete = from === '' && next === '';
    if (lane === 'retry') retryWaits = endpoints.length > 0;
    else
      noteBehind(
        endpoints.map(({ webhookId }) => webhookId),
        claimed,
        counts,
        isComplete,
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
    isComplete: boolean,
  ): void => {
    const got = new Map<string, number>();
    for (const { webhookId } of claimed) got.set(webhookId, (got.get(webhookId) ?? 0) + 1);
    const left = webhookIds.filter((webhookId, index) => (got.get(webhookId) ?? 0) >= (counts[index] ?? 0));
    if (isComplete) behind.clear();
    else for (const webhookId of webhookIds) behind.delete(webhookId);
    for (const webhookId of left) behind.add(webhookId);
  };

  return { claim, behind, retryWaits: () => retryWaits };
}
