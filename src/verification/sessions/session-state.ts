/**
 * The states of a verification session, and what may be done in each. Only this table distinguishes them.
 *
 *     created ──verify──▶ completed (pass | fail | review)        ends it; of two that race, the database lets one through
 *        └─────expiresAt──▶ expired                               ends it; a verdict in flight at that moment still counts
 *
 *              verify                 result                 retry, unless the chain has passed: NOT_RETRYABLE
 *   created    goes on                CONFLICT: not yet      NOT_RETRYABLE
 *   completed  SESSION_COMPLETED      answered for as long   only after a fail
 *                                     as its token is valid
 *   expired    SESSION_EXPIRED        SESSION_EXPIRED        NOT_RETRYABLE
 *
 * The budget of retries belongs to the whole chain: retries of any of its sessions, also at the same time, spend the same budget. So does its
 * pass: a chain is over with the first of its sessions that does not fail, and the others are completed as that one.
 */
import { Fault } from '../../errors.js';
import type { Chain } from './session-store.js';

export const sessionLifetimeSeconds = 1_800;

export type SessionState = 'created' | 'completed' | 'expired';

export interface SessionTimes {
  readonly expiresAt: Date;
  readonly completedAt: Date | null;
}

export function stateOf({ expiresAt, completedAt }: SessionTimes, nowMs: number): SessionState {
  if (completedAt !== null) return 'completed';
  return expiresAt.getTime() > nowMs ? 'created' : 'expired';
}

/** Throws the fault of a session that cannot be verified (any more). */
export function requireVerifiable(session: SessionTimes, nowMs: number): void {
  const state = stateOf(session, nowMs);
  if (state === 'completed') throw completedAlready();
  if (state === 'expired') throw expired();
}

/** Whether the session's time is not over yet, whether it was completed or not. */
export const isRunning = ({ expiresAt }: Pick<SessionTimes, 'expiresAt'>, nowMs: number): boolean =>
  expiresAt.getTime() > nowMs;

/** Throws the fault of one whose time is over. */
export function requireRunning(session: Pick<SessionTimes, 'expiresAt'>, nowMs: number): void {
  if (!isRunning(session, nowMs)) throw expired();
}

/** Throws the fault of a session whose result is not there, or not any more. */
export function requireResult(session: SessionTimes, tokenLifetimeSeconds: number, nowMs: number): void {
  const { completedAt } = session;
  if (completedAt !== null && completedAt.getTime() + tokenLifetimeSeconds * 1_000 > nowMs) return;
  if (stateOf(session, nowMs) !== 'created') throw expired();
  throw new Fault('CONFLICT', 'The session has no result yet. Send its envelope to POST /public/verify first.');
}

export function completedAlready(): Fault {
  return new Fault(
    'SESSION_COMPLETED',
    'The session or a retry of it is already complete. Read the result at /public/sessions/{id}/result.',
  );
}

function expired(): Fault {
  return new Fault('SESSION_EXPIRED', 'The session has expired. Create a new one.');
}

export interface RetryParent extends SessionTimes {
  readonly status: 'pass' | 'fail' | 'review' | null;
}

export type RetryDecision =
  | { readonly kind: 'retry'; /** The number of the new session; the first retry is 1. */ readonly retryCount: number }
  | {
      readonly kind: 'refused';
      readonly reason: 'not_completed' | 'not_failed' | 'chain_passed' | 'budget_exhausted';
    };

/** `chain`: this parent’s, with its siblings and descendants. */
export function decideRetry(
  parent: RetryParent,
  { chain, maxRetries, nowMs }: { readonly chain: Chain; readonly maxRetries: number; readonly nowMs: number },
): RetryDecision {
  if (stateOf(parent, nowMs) !== 'completed') return { kind: 'refused', reason: 'not_completed' };
  if (parent.status !== 'fail') return { kind: 'refused', reason: 'not_failed' };
  if (chain.hasPassed) return { kind: 'refused', reason: 'chain_passed' };
  return chain.retries >= maxRetries
    ? { kind: 'refused', reason: 'budget_exhausted' }
    : { kind: 'retry', retryCount: chain.retries + 1 };
}

const sentences = {
  not_completed: 'The session is not complete. Complete it before you retry it.',
  not_failed: 'The session did not fail. Retry only failed sessions.',
  chain_passed: 'A retry of this session already passed. Use that pass.',
  budget_exhausted: 'All retries of `config.maxRetries` are used up. Raise it to allow more.',
} as const;

const stepUpSentences = {
  chain_passed: 'A step-up of this receipt already passed. Score its session again.',
  budget_exhausted: 'All sessions of this receipt are used up. Use an open one, or raise `config.maxRetries`.',
} as const;

type Asker = 'page' | 'backend';

/** The fault of a receipt that gets no further session. */
export const stepUpFault = (reason: keyof typeof stepUpSentences, asker: Asker): Fault =>
  refusal(reason, stepUpSentences[reason], asker);

/** The fault of a refused retry. */
export const retryFault = ({ reason }: Extract<RetryDecision, { readonly kind: 'refused' }>, asker: Asker): Fault =>
  refusal(reason, sentences[reason], asker);

/** For pages, a spent budget has a separate code. */
function refusal(reason: keyof typeof sentences, sentence: string, asker: Asker): Fault {
  const code = asker === 'page' && reason === 'budget_exhausted' ? 'RETRY_BUDGET_EXHAUSTED' : 'NOT_RETRYABLE';
  return new Fault(code, sentence, { context: { reason } });
}
