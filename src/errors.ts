/**
 * Every coded error of the service, in one table, and the Fault that carries one. The caller reads `message`;
 * `internal` goes to the log only. docs/reference/errors.md repeats this table, and a test ties the two.
 */

export const errorTable = {
  VALIDATION_FAILED: {
    status: 400,
    meaning:
      'A field is missing, malformed or contradicts another. Correct the fields that `issues` lists by JSON pointer.',
  },
  MALFORMED_JSON: { status: 400, meaning: 'The body is not valid JSON. Correct it and send it again.' },
  INVALID_KEY: {
    status: 401,
    meaning: 'The API key is missing, invalid, revoked or expired. Send an active key.',
  },
  INVALID_CLIENT_SECRET: {
    status: 401,
    meaning:
      'The header `X-Client-Secret` is missing or wrong, or the session does not exist. Send the secret of the session.',
  },
  INVALID_TOKEN: {
    status: 401,
    meaning:
      'The dashboard or access token is missing, malformed, expired, revoked or from another issuer. Get a new token. A check of a `verificationToken` answers 200 with `INVALID` instead.',
  },
  TRIAL_EXPIRED: {
    status: 402,
    meaning: 'The organization’s trial ended at `trialEndsAt`. Upgrade to use its keys again.',
  },
  INSUFFICIENT_SCOPE: {
    status: 403,
    meaning: 'The credential is valid but lacks the scope or role of this operation. Use one that has it.',
  },
  TIER_REQUIRED: {
    status: 403,
    meaning: 'The organization’s tier does not include `field`. Upgrade to `tier` or omit the field.',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    meaning:
      'The page’s origin is not allowed. Add it to the project’s list, or to the organization’s if that is empty.',
  },
  DEMO_KEYS_OFF: {
    status: 403,
    meaning: 'The project’s `config.demoKeys` is false. Use a test key of the project.',
  },
  NOT_FOUND: {
    status: 404,
    meaning:
      'The resource is unknown, belongs to another organization, or is not enabled. Check its id and your credential.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    meaning: 'The path does not support this method. Use a method of the header `Allow`.',
  },
  CONFLICT: { status: 409, meaning: 'The request conflicts with the stored state. Follow the message of the error.' },
  NOT_RETRYABLE: {
    status: 409,
    meaning:
      'The retry, or a further session of a receipt, is refused. Its `reason` is `not_completed`, `not_failed`, `chain_passed` or, for a backend’s retry, `budget_exhausted`. Read the session’s result.',
  },
  RETRY_BUDGET_EXHAUSTED: {
    status: 409,
    meaning:
      'A page retried or completed a session after all retries of `config.maxRetries`. Treat the respondent as failed. A backend’s retry gets `NOT_RETRYABLE` instead.',
  },
  SESSION_COMPLETED: {
    status: 409,
    meaning: 'The session or a retry of it is already complete. Read the result at `$API/public/sessions/{id}/result`.',
  },
  CHALLENGE_CONFLICT: {
    status: 409,
    meaning:
      'The challenge was requested before with another commitment or frame count. Start the capture in a new session.',
  },
  CHALLENGE_OUT_OF_ORDER: {
    status: 409,
    meaning: 'Challenges must be requested in order. Request the challenge whose index is in `expected`.',
  },
  SESSION_EXPIRED: {
    status: 410,
    meaning: 'The session or its resource has expired. Create a new session.',
  },
  LINK_ENDED: {
    status: 410,
    meaning: 'The hosted link was deleted, has expired or is used up; see `reason`. Create a new link.',
  },
  BODY_TOO_LARGE: { status: 413, meaning: 'The body is too large for this endpoint. Send a smaller one.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: 'The content type is not supported. Send `application/json`.',
  },
  INVALID_ENVELOPE: {
    status: 422,
    meaning: 'The verification envelope is malformed. Correct the fields that `issues` lists by JSON pointer.',
  },
  PROOF_REQUIRED: {
    status: 428,
    meaning: 'The IP address creates many sessions. Solve `proof` and send the call again with it, as the SDK does.',
  },
  QUOTA_EXCEEDED: {
    status: 429,
    meaning: 'The monthly limit of verifications is used up. Wait until `resetDate` or upgrade.',
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    meaning: 'A rate limit is reached; see `limit` and `usage`. Retry after the seconds in the header `Retry-After`.',
  },
  INTERNAL: {
    status: 500,
    meaning: 'The service failed. Report `requestId` to its operator, who finds the cause in the process log.',
  },
  OVERLOADED: {
    status: 503,
    meaning: 'The service is at capacity. Retry after the seconds in the header `Retry-After`.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    meaning: 'A data store is not responding. Retry after the seconds in the header `Retry-After`.',
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
  return new Fault('STORE_UNAVAILABLE', 'A data store is not responding. Try again in a moment.', {
    headers: { 'retry-after': '1' },
    internal,
    cause,
  });
}

/** The fault of more work than is taken on at once. `internal` says where it waits. */
export function overloaded(internal: string, cause?: unknown): Fault {
  return new Fault('OVERLOADED', 'The service is at capacity. Try again in a moment.', {
    headers: { 'retry-after': '1' },
    internal,
    cause,
  });
}

/** Whether a store is away: what was asked of it may succeed later as it is. */
export const isUnavailable = (error: unknown): boolean => error instanceof Fault && error.code === 'STORE_UNAVAILABLE';
