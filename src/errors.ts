/**
 * Every coded error of the service, in one table, and the Fault that carries one. The caller reads `message`;
 * `internal` goes to the log only. docs/errors.md repeats this table, and a test ties the two.
 */

export const errorTable = {
  VALIDATION_FAILED: {
    status: 400,
    meaning: 'A field is missing, malformed or contradicts another; `issues` names each by JSON pointer.',
  },
  MALFORMED_JSON: { status: 400, meaning: 'The body is not valid JSON.' },
  INVALID_KEY: {
    status: 401,
    meaning: 'The API key is missing, invalid, revoked or expired. The answer does not say which.',
  },
  INVALID_CLIENT_SECRET: {
    status: 401,
    meaning:
      'The header X-Client-Secret is missing or is not that of the session, or there is no such session. The answer does not say which.',
  },
  INVALID_TOKEN: {
    status: 401,
    meaning:
      'The dashboard token or access token is missing, malformed, expired or from another issuer, or the OAuth client of an access token was revoked or rotated.',
  },
  TRIAL_EXPIRED: {
    status: 402,
    meaning: 'The organization’s trial has ended; `trialEndsAt` says when. Its keys work again after an upgrade.',
  },
  INSUFFICIENT_SCOPE: {
    status: 403,
    meaning: 'The credential is valid and its scope or role does not suffice for this operation.',
  },
  TIER_REQUIRED: {
    status: 403,
    meaning: 'The organization’s tier does not unlock a field; `field` names it, and `tier` the least tier that does.',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    meaning:
      'The page’s origin is not in the allow-list in force: the project’s, or where that is empty the organization’s.',
  },
  NOT_FOUND: {
    status: 404,
    meaning: 'There is nothing here for this credential: unknown, another organization’s, or not enabled.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    meaning: 'The address exists and does not take this method; the header Allow lists those it takes.',
  },
  CONFLICT: { status: 409, meaning: 'The request contradicts what is stored.' },
  NOT_RETRYABLE: {
    status: 409,
    meaning:
      'The session cannot be tried again: it has not ended, did not fail, another try of it passed, or the retries that config.maxRetries allows are used up; `reason` says which.',
  },
  RETRY_BUDGET_EXHAUSTED: {
    status: 409,
    meaning:
      'The respondent has used up the retries that config.maxRetries allows. This is final for the chain of sessions.',
  },
  SESSION_COMPLETED: {
    status: 409,
    meaning:
      'The session was verified already, or another try of it passed. Its result is at /public/sessions/{id}/result; retry a session that failed.',
  },
  CHALLENGE_CONFLICT: {
    status: 409,
    meaning:
      'The challenge was asked for before with another commitment or frame count. What is committed stays; begin the capture again in a new session.',
  },
  CHALLENGE_OUT_OF_ORDER: {
    status: 409,
    meaning: 'Challenges are asked for one after the other; `expected` is the index to ask for.',
  },
  SESSION_EXPIRED: {
    status: 410,
    meaning: 'The session, or what it was asked for, has expired. Create a new session.',
  },
  LINK_ENDED: {
    status: 410,
    meaning:
      'The link to the hosted page was deleted, has expired, or was used as often as it may be; `reason` says which. Make another.',
  },
  BODY_TOO_LARGE: { status: 413, meaning: 'The body is larger than this endpoint takes.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: 'The content type is not one that this endpoint reads; send application/json.',
  },
  INVALID_ENVELOPE: {
    status: 422,
    meaning: 'The verification envelope is malformed; `issues` names each field by JSON pointer.',
  },
  PROOF_REQUIRED: {
    status: 428,
    meaning:
      'The address makes many sessions, so that each costs some work: solve `proof` and repeat the call with it. The SDK does.',
  },
  QUOTA_EXCEEDED: {
    status: 429,
    meaning:
      'The organization’s verifications of this month are used up; `limit`, `usage` and `resetDate` say how many and until when.',
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    meaning:
      'Too many requests; the header Retry-After says when to come again, and `limit`, `usage` and `resetDate` what was used up.',
  },
  INTERNAL: { status: 500, meaning: 'A fault of the service; quote the request id to support.' },
  OVERLOADED: {
    status: 503,
    meaning: 'More work than the service takes on at once; the header Retry-After says when to come again.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    meaning: 'A store that this call needs does not answer; the header Retry-After says when to come again.',
  },
} as const satisfies Record<string, { readonly status: number; readonly meaning: string }>;

export type ErrorCode = keyof typeof errorTable;

export interface Issue {
  /** JSON pointer. */
  readonly path: string;
  readonly message: string;
}

/** A name as one segment of a JSON pointer (RFC 6901). */
export const pointerSegment = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

export interface FaultDetails {
  readonly issues?: readonly Issue[];
  /** Further top-level fields of the body, e.g. field and tier. */
  readonly context?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log, never for the caller. */
  readonly internal?: string;
  readonly cause?: unknown;
}

/** A known error: of the caller, or of a store that is away. Anything else that is thrown is a bug. */
export class Fault extends Error {
  readonly code: ErrorCode;
  readonly details: FaultDetails;

  constructor(code: ErrorCode, message: string, details: FaultDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'Fault';
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}

/** The fault of a store that does not answer. `internal` says which and why. */
export function storeUnavailable(internal: string, cause?: unknown): Fault {
  return new Fault('STORE_UNAVAILABLE', 'A store does not answer right now. Try again in a moment.', {
    headers: { 'retry-after': '1' },
    internal,
    cause,
  });
}

/** The fault of more work than is taken on at once. `internal` says where it waits. */
export function overloaded(internal: string, cause?: unknown): Fault {
  return new Fault('OVERLOADED', 'The service has more work than it takes on at once. Try again in a moment.', {
    headers: { 'retry-after': '1' },
    internal,
    cause,
  });
}

/** Whether a store is away: what was asked of it may succeed later as it is. */
export const isUnavailable = (error: unknown): boolean => error instanceof Fault && error.code === 'STORE_UNAVAILABLE';
