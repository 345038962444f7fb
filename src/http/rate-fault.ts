/**
 * The answer to a call over a limit: 429 with Retry-After, what remains and when the window ends, in headers and body.
 */
import type { RateState } from '../contract/rate.js';
import { Fault } from '../errors.js';

/** `who` begins the sentence: "This key". */
export function rateLimited(who: string, rate: RateState): Fault {
  const retryAfter = Math.max(1, Math.ceil(rate.resetInSeconds));
  return new Fault(
    'RATE_LIMIT_EXCEEDED',
    `${who} may make ${rate.limit} calls in this window. Come again in ${retryAfter} s.`,
    {
      headers: {
        'retry-after': String(retryAfter),
        'x-ratelimit-remaining': String(rate.remaining),
        'x-ratelimit-reset': String(rate.resetAt),
      },
      context: {
        limit: rate.limit,
        usage: rate.limit - rate.remaining,
        resetDate: new Date(rate.resetAt * 1_000).toISOString(),
      },
    },
  );
}
