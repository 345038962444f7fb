/**
 * How fast deliveries go out. An endpoint gets more requests at once while it answers, and fewer as soon as it does not: within seconds,
 * one that hangs holds one slot of the sender.
 */

/** A new endpoint begins here. */
export const concurrencyFirst = 4;
export const concurrencyMax = 32;

/** Slower answers never raise the limit: a slow endpoint would hold ever more of its organization’s places. */
const slowMsMin = 2_000;

/** The limit after an answer of this status; null: none came. */
export function nextConcurrency(limit: number, status: number | null, durationMs: number): number {
  if (status === null) return Math.max(1, Math.floor(limit / 4));
  if (status >= 500 || status === 429) return Math.max(1, limit - 1);
  return durationMs >= slowMsMin ? limit : Math.min(concurrencyMax, limit + 1);
}

/** Repetitions a second while first attempts go out. */
export const retriesPerSecondMax = 200;
const windowMs = 1_000;

/** Repetitions are unlimited while nothing new goes out, and else at most so many a second. */
export function createRetryPace(clock: () => number) {
  let firstAtMs = -Infinity;
  let windowAtMs = -Infinity;
  let started = 0;
  return {
    mayRetry(): boolean {
      if (clock() - firstAtMs > windowMs) return true;
      if (clock() - windowAtMs > windowMs) {
        windowAtMs = clock();
        started = 0;
      }
      return started < retriesPerSecondMax;
    },
    noteStart(lane: 'first' | 'retry'): void {
      if (lane === 'first') firstAtMs = clock();
      else started += 1;
    },
  };
}

/** Shares free places evenly; what one endpoint cannot use goes to the others. Each gets at most its room, in the order of `rooms`. */
export function shareOut(rooms: readonly number[], places: number): readonly number[] {
  const shares = rooms.map(() => 0);
  let left = places;
  let open = rooms.map((_room, index) => index);
  while (left > 0 && open.length > 0) {
    const each = Math.max(1, Math.floor(left / open.length));
    for (const index of open) {
      const given = Math.min(each, left, (rooms[index] ?? 0) - (shares[index] ?? 0));
      shares[index] = (shares[index] ?? 0) + given;
      left -= given;
    }
    open = open.filter((index) => (shares[index] ?? 0) < (rooms[index] ?? 0));
  }
  return shares;
}

/** Shares places among organizations, at most `placesOf` each, and what each gets among its endpoints; in the order of `rooms`. */
export function shareOutFairly(
  rooms: readonly { readonly organizationId: string; readonly room: number }[],
  places: number,
  placesOf: (organizationId: string) => number,
): readonly number[] {
  const owners = [...new Set(rooms.map(({ organizationId }) => organizationId))];
  const given = shareOut(owners.map(placesOf), places);
  const counts = rooms.map(() => 0);
  owners.forEach((owner, ownerIndex) => {
    const own = rooms.flatMap(({ organizationId, room }, index) => (organizationId === owner ? [{ room, index }] : []));
    const shares = shareOut(
      own.map(({ room }) => room),
      given[ownerIndex] ?? 0,
    );
    own.forEach(({ index }, place) => (counts[index] = shares[place] ?? 0));
  });
  return counts;
}

/** A wait varies by this share to either side, so that what failed together does not come back together. */
export const jitterShare = 0.1;

/** Milliseconds until the attempt after `attempt`, counted from 1. Beyond the schedule its last wait holds. */
export function retryWaitMs(waitsSeconds: readonly number[], attempt: number, random: () => number): number {
  const seconds = waitsSeconds[Math.min(attempt, waitsSeconds.length) - 1] ?? 0;
  return Math.round(seconds * 1_000 * (1 + jitterShare * (2 * random() - 1)));
}
