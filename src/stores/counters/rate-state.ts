/**
 * The rate-limit state of a reply, from how much of each window was used before the call. Pure.
 */
import type { RateState } from '../../contract/rate.js';
import type { RateLimit } from './port.js';

/** Number of the window, aligned to the epoch, that holds a time. */
export function windowOf(limit: RateLimit, nowMs: number): number {
  return Math.floor(nowMs / (limit.windowSeconds * 1_000));
}

/** Where the window of a limit is counted, within its tag. */
export function rateKeyOf(limit: RateLimit, nowMs: number): string {
  return `${limit.key}:${limit.windowSeconds}:${windowOf(limit, nowMs)}`;
}

/**
 * The state after the call: allowed when every limit had room. Refused, it names the exhausted limit that stays so
 * longest, so that Retry-After is enough. Without limits every call is allowed and 0 remain.
 */
export function judgeRates(limits: readonly RateLimit[], used: readonly number[], nowMs: number): RateState {
  const allowed = limits.every((limit, i) => (used[i] ?? 0) < limit.limit);
  let chosen: RateState | null = null;
  for (const [i, limit] of limits.entries()) {
    const remaining = Math.max(0, limit.limit - (used[i] ?? 0) - (allowed ? 1 : 0));
    const resetAt = (windowOf(limit, nowMs) + 1) * limit.windowSeconds;
    const state = { allowed, limit: limit.limit, remaining, resetAt, resetInSeconds: resetAt - nowMs / 1_000 };
    if (!allowed && (used[i] ?? 0) < limit.limit) continue;
    if (
      chosen === null ||
      remaining < chosen.remaining ||
      (remaining === chosen.remaining && state.resetAt > chosen.resetAt)
    )
      chosen = state;
  }
  return chosen ?? { allowed, limit: 0, remaining: 0, resetAt: Math.ceil(nowMs / 1_000), resetInSeconds: 0 };
}
