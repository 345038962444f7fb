/** How long a session goes on, by the page's own clock. */
import type { SessionReply } from '../../src/contract/session.js';

/** Used if the session has expired by the page’s clock, which is wrong then. */
const withoutExpiryMs = 15 * 60_000;
/** Longer waits than this end at once in a browser’s timer. */
const timerMsMax = 2 ** 31 - 1;

/** Milliseconds until the session's end, as a timer takes them. */
export function leftMsOf({ expiresAt }: Pick<SessionReply, 'expiresAt'>, nowMs: number): number {
  const leftMs = expiresAt * 1_000 - nowMs;
  return leftMs > 0 ? Math.min(timerMsMax, leftMs) : withoutExpiryMs;
}
