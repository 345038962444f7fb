/**
 * The states of a delivery attempt, in one table.
 *
 *   PENDING ──2xx──────────────────────────────────────────▶ SUCCEEDED
 *      ├──timeout, network, 3xx, 5xx, other 4xx────────────▶ FAILED ──its wait is over──▶ PENDING (the next attempt)
 *      └──terminal status, or the last attempt failed──────▶ EXHAUSTED
 *
 * SUCCEEDED and EXHAUSTED end a delivery; its owner may start it again (replay), with a fresh set of attempts.
 */
import type { AttemptState } from '../contract/webhook.js';

/** Attempts of one delivery: the first and four repetitions. */
export const attemptsMax = 5;

/** Statuses by which a receiver says that repeating will not help. */
export const terminalStatuses: readonly number[] = [400, 401, 403, 404, 410, 422, 429];

/** The result of a request: a status, or none because no complete reply came. */
export type Answer = { readonly status: number } | { readonly status: null };

export interface Transition {
  readonly state: Exclude<AttemptState, 'PENDING'>;
  /** Whether another attempt follows. */
  readonly retry: boolean;
}

interface Rule {
  /** How the table names the condition. */
  readonly when: string;
  readonly holds: (answer: Answer, isLast: boolean) => boolean;
  readonly then: Transition;
}

/** The first rule that holds decides. */
const transitions: readonly Rule[] = [
  {
    when: 'any 2xx status',
    holds: ({ status }) => status !== null && status >= 200 && status < 300,
    then: { state: 'SUCCEEDED', retry: false },
  },
  {
    when: 'a terminal status',
    holds: ({ status }) => status !== null && terminalStatuses.includes(status),
    then: { state: 'EXHAUSTED', retry: false },
  },
  { when: 'the last attempt', holds: (_answer, isLast) => isLast, then: { state: 'EXHAUSTED', retry: false } },
  { when: 'anything else', holds: () => true, then: { state: 'FAILED', retry: true } },
];

/** The next state of a pending attempt; `attempt` counts from 1 within the delivery’s present set of attempts. */
export function transitionOf(answer: Answer, attempt: number): Transition {
  const rule = transitions.find(({ holds }) => holds(answer, attempt >= attemptsMax));
  if (rule === undefined) throw new Error('the last rule holds always');
  return rule.then;
}
