/**
 * One call of the service: a POST of JSON, or a GET, with a deadline. Tried again, after a wait with jitter and no less than Retry-After, where the
 * service answered 429, it or a gateway answered 502, 503 or 504, it was not reached, or took too long for one try; never after any other answer,
 * and never where the wait would pass the deadline.
 * Redirects are not followed: they would carry the key elsewhere.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { CallOptions, Issue } from './api.js';
import { VerifyHumanError } from './errors.js';
import { wholeNumber, type Settings } from './settings.js';

/** Milliseconds; the client's own options come before. */
export interface Times {
  readonly deadlineMs: number;
  readonly attemptMs: number;
}

export interface Request {
  readonly path: string;
  /** Absent: a GET. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly times: Times;
}

/** The body of an answer of 2xx; throws a VerifyHumanError, or the reason of `signal`. */
export type Call = (request: Request, options: CallOptions) => Promise<Readonly<Record<string, unknown>>>;

/** Limits of a call that a respondent waits for. */
export const singleTimes: Times = { deadlineMs: 3_000, attemptMs: 1_500 };

/** A gateway answers them while it does not reach the service. */
const awayStatuses: readonly number[] = [502, 503, 504];
const firstWaitMs = 100;
const waitMsMax = 5_000;

export function createCall(settings: Settings): Call {
  return async (request, options) => {
    const deadlineMs = wholeNumber(
      'deadlineMs',
      options.deadlineMs ?? settings.deadlineMs ?? request.times.deadlineMs,
      1,
      600_000,
    );
    const endsAt = performance.now() + deadlineMs;
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    for (let attempt = 1; ; attempt += 1) {
      const leftMs = Math.max(1, Math.ceil(endsAt - performance.now()));
      const timeoutMs = Math.min(leftMs, settings.attemptMs ?? request.times.attemptMs);
      try {
        return await ask(settings, request, body, timeoutMs, options.signal);
      } catch (error) {
        options.signal?.throwIfAborted();
        if (!(error instanceof VerifyHumanError)) throw error;
        error.attempts = attempt;
        const waitMs = waitBefore(attempt, error);
        const isLast = attempt > settings.retriesMax || performance.now() + waitMs >= endsAt;
        if (isLast || !isWorthRetrying(error)) throw error;
        await wait(waitMs, undefined, options.signal === undefined ? {} : { signal: options.signal });
      }
    }
  };
}

function isWorthRetrying({ code, httpStatus }: VerifyHumanError): boolean {
  return code === 'NETWORK_ERROR' || code === 'TIMEOUT' || httpStatus === 429 || awayStatuses.includes(httpStatus ?? 0);
}

/** At random up to a bound that doubles, on top of what the service asked for. */
function waitBefore(attempt: number, { retryAfterMs }: VerifyHumanError): number {
  return (retryAfterMs ?? 0) + Math.random() * Math.min(waitMsMax, firstWaitMs * 2 ** attempt);
}

async function ask(
  { baseUrl, apiKey }: Settings,
  { path, headers }: Request,
  body: string | undefined,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(baseUrl + path, {
      ...(body === undefined ? {} : { method: 'POST', body }),
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        accept: 'application/json',
        'x-api-key': apiKey,
      },
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    return readAnswer(response, await response.text(), path);
  } catch (error) {
    if (error instanceof VerifyHumanError) throw error;
    if (timeout.aborted)
      throw new VerifyHumanError('TIMEOUT', `${path} did not answer within ${timeoutMs} ms. Try again.`, {
        cause: error,
      });
    throw new VerifyHumanError(
      'NETWORK_ERROR',
      `${path} could not be reached at ${baseUrl}. Check the network and baseUrl.`,
      { cause: error },
    );
  }
}

function readAnswer(response: Response, text: string, path: string): Readonly<Record<string, unknown>> {
  const body = parseObject(text);
  if (response.ok && body !== null) return body;
  const { code, message, issues } = body ?? {};
  const details = {
    httpStatus: response.status,
    requestId: response.headers.get('x-request-id'),
    issues: Array.isArray(issues) ? (issues as readonly Issue[]) : [],
    retryAfterMs: readRetryAfter(response.headers.get('retry-after')),
  };
  if (typeof code === 'string' && typeof message === 'string') throw new VerifyHumanError(code, message, details);
  if (awayStatuses.includes(response.status))
    throw new VerifyHumanError(
      'NETWORK_ERROR',
      `${path} could not be reached: a gateway answered ${response.status} in place of the service. Check the service and the gateway.`,
      details,
    );
  throw new VerifyHumanError(
    'UNEXPECTED_ANSWER',
    `${path} answered ${response.status} without the service's JSON. Set baseUrl to the API root ("https://.../api/v1").`,
    details,
  );
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}

/** Seconds, or a date. */
function readRetryAfter(header: string | null): number | null {
  if (header === null) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
