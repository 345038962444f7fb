/** Faults that several capabilities share: invalid fields, unknown resources, exceeded limits. */
import type { RateState } from '../contract/rate.js';
import { Fault, type FaultDetails, type Issue } from '../errors.js';

/** The fault of a request with invalid fields. */
export function invalid(issues: readonly Issue[], details: Omit<FaultDetails, 'issues'> = {}): Fault {
  const first = issues[0];
  return new Fault(
    'VALIDATION_FAILED',
    first === undefined
      ? 'The request is not valid. Correct the fields in `issues`.'
      : `${nameOf(first.path)} ${first.message}`,
    { ...details, issues },
  );
}

/** A parameter of the query by its name, parts of a body by their JSON pointer. */
const nameOf = (path: string): string => (path === '' ? 'The body' : path.replace(/^\/querystring\//, ''));

/** The same 404 for resources that do not exist and resources of others. */
export function notFound(what: string): Fault {
  return new Fault('NOT_FOUND', `The ${what} was not found. Check its id and your credential.`);
}

/** The 404 of a page, which has a public key and no credential. */
export function unknownPublicKey(kind: 'site' | 'probe'): Fault {
  return new Fault('NOT_FOUND', `The ${kind} key was not found. Use the ${kind}Key of your project.`);
}

/** The 404 of scoring operations for an organization without scoring. */
export function scoringDisabled(organizationId: string): Fault {
  return new Fault(
    'NOT_FOUND',
    `Scoring isn’t enabled. Ask your operator to run \`enable-lite --org ${organizationId}\`.`,
  );
}

/** 429 with Retry-After, the remaining calls and the end of the window in headers and body. `who` starts the sentence: "This key"; `what` is counted. */
export function rateLimited(who: string, rate: RateState, what = 'calls'): Fault {
  const retryAfter = Math.max(1, Math.ceil(rate.resetInSeconds));
  return new Fault(
    'RATE_LIMIT_EXCEEDED',
    `${who} reached its limit of ${rate.limit} ${what}. Retry in ${retryAfter} s.`,
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
