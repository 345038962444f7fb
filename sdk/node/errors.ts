/**
 * The one error of the client. `code` is the service's own where it answered with one.
 */
import type { EventsSummary, Issue } from './events-summary.js';

/** Codes of the client itself; all others are the service's. */
export type ClientErrorCode =
  /** The service was not reached, the connection broke, or a gateway answered 502, 503 or 504 in its place. */
  | 'NETWORK_ERROR'
  /** No whole answer within the time that the call, or its last try, had. */
  | 'TIMEOUT'
  /** Something else than the service answered at `baseUrl`, or something else than JSON. */
  | 'UNEXPECTED_ANSWER'
  /** `events` had every event rejected. `posted` has the sum, `issues` the reasons. */
  | 'EVENTS_REJECTED'
  /** An option or argument cannot be used; nothing was sent. */
  | 'INVALID_OPTION';

export interface ErrorDetails {
  readonly httpStatus?: number;
  readonly requestId?: string | null;
  readonly issues?: readonly Issue[];
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
}

export class VerifyHumanError extends Error {
  override readonly name = 'VerifyHumanError';
  /** HTTP status; null where there was no answer. Frameworks would adopt a field `status` or `statusCode` for their own reply. */
  readonly httpStatus: number | null;
  /** Quote it to support. */
  readonly requestId: string | null;
  /** Fields at fault, by JSON pointer. */
  readonly issues: readonly Issue[];
  /** The wait that the service requested, milliseconds. */
  readonly retryAfterMs: number | null;
  /** Tries that were made. */
  attempts = 0;
  /** The events that `events` posted before this error. */
  posted: EventsSummary | null = null;

  constructor(
    readonly code: string,
    message: string,
    details: ErrorDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.httpStatus = details.httpStatus ?? null;
    this.requestId = details.requestId ?? null;
    this.issues = details.issues ?? [];
    this.retryAfterMs = details.retryAfterMs ?? null;
  }

  /** Whether the service could not be reached or could not serve, as opposed to having refused. */
  get isUnavailable(): boolean {
    if (this.code === 'NETWORK_ERROR' || this.code === 'TIMEOUT') return true;
    return (this.httpStatus ?? 0) >= 500 || (this.httpStatus === 429 && this.code !== 'QUOTA_EXCEEDED');
  }
}

/** An answer of 2xx that is none of this service. */
export const unexpected = (path: string): VerifyHumanError =>
  new VerifyHumanError('UNEXPECTED_ANSWER', `/${path} returned an incomplete response. Check baseUrl.`, {
    httpStatus: 200,
  });

export function invalidOption(message: string): VerifyHumanError {
  return new VerifyHumanError('INVALID_OPTION' satisfies ClientErrorCode, message);
}
