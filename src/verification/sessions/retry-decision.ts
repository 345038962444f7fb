/**
 * Whether a session may be tried again. The budget belongs to the whole chain, not to its last session: retries side by side, from one
 * parent or from several of its descendants, spend the same budget.
 */
import { Fault } from '../../errors.js';
import { stateOf, type SessionTimes } from './session-state.js';

export interface RetryParent extends SessionTimes {
  readonly status: 'pass' | 'fail' | 'review' | null;
}

export type RetryDecision =
  | { readonly kind: 'retry'; /** Of the new session; the first retry is 1. */ readonly retryCount: number }
  | { readonly kind: 'refused'; readonly reason: 'not_completed' | 'not_failed' | 'budget_exhausted' };

/** `retriesSoFar`: retries that the chain has had, this parent’s siblings and descendants among them. */
export function decideRetry(
  parent: RetryParent,
  {
    retriesSoFar,
    maxRetries,
    nowMs,
  }: { readonly retriesSoFar: number; readonly maxRetries: number; readonly nowMs: number },
): RetryDecision {
  if (stateOf(parent, nowMs) !== 'completed') return { kind: 'refused', reason: 'not_completed' };
  if (parent.status !== 'fail') return { kind: 'refused', reason: 'not_failed' };
  return retriesSoFar >= maxRetries
    ? { kind: 'refused', reason: 'budget_exhausted' }
    : { kind: 'retry', retryCount: retriesSoFar + 1 };
}

const sentences = {
  not_completed: 'The session has not been verified, so there is nothing to try again.',
  not_failed: 'The session did not fail; only a failed one can be tried again.',
  budget_exhausted: 'The retries that the project’s config.maxRetries allows are used up.',
} as const;

/** The fault of a refused retry. For pages, a spent budget has a separate code. */
export function retryFault(
  { reason }: Extract<RetryDecision, { readonly kind: 'refused' }>,
  asker: 'page' | 'backend',
): Fault {
  const code = asker === 'page' && reason === 'budget_exhausted' ? 'RETRY_BUDGET_EXHAUSTED' : 'NOT_RETRYABLE';
  return new Fault(code, sentences[reason], { context: { reason } });
}
