/** Faults that several capabilities answer: invalid fields, things that do not exist, limits that are used up. */
import type { RateState } from '../contract/rate.js';
import { Fault, type FaultDetails, type Issue } from '../errors.js';

/** The fault of a request with fields at fault. */
export function invalid(issues: readonly Issue[], details: Omit<FaultDetails, 'issues'> = {}): Fault {
  const first = issues[0];
  return new Fault(
    'VALIDATION_FAILED',
    first === undefined
      ? 'The request is not valid.'
      : `${first.path === '' ? 'The body' : first.path} ${first.message}`,
    { ...details, issues },
  );
}

/** The one 404 for things that are not there and things of others. */
export function notFound(what: string): Fault {
  return new Fault('NOT_FOUND', `There is no such ${what}.`);
}

/** The answer to a call over a limit: 429 with Retry-After, what remains and when the window ends, in headers and body. `who` begins the sentence: "This key". */
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
