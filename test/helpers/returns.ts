/** The effect of returns on a place, one after the other, without a store. */
import type { QuotaReservation, ReturnedBy } from '../../src/audience/reservation-store.js';
import {
  judgeReturn,
  restoredEndOf,
  returnedByAfterWithdrawal,
  reversedFromOf,
  withoutRejection,
  type GivenReturn,
} from '../../src/audience/return-rules.js';
import { countsAs } from '../../src/audience/study-rules.js';
import { decide, isCountedBy } from '../../src/audience/transitions.js';
import type { ReturnStatus } from '../../src/contract/study-returns.js';
import type { StudyState } from '../../src/contract/study-moves.js';

const surveyedAt = new Date('2026-11-01T10:00:00Z');
export const after = (seconds: number): Date => new Date(surveyedAt.getTime() + seconds * 1_000);
export type Place = Pick<
  QuotaReservation,
  | 'state'
  | 'completion'
  | 'returnedBy'
  | 'surveyedAt'
  | 'returnedAt'
  | 'reversedBy'
  | 'reversedFrom'
  | 'refusedFor'
  | 'screenedFor'
  | 'verified'
  | 'counted'
>;
export const inSurvey: Place = {
  ...{ state: 'surveying', completion: null, returnedBy: null, surveyedAt, returnedAt: null },
  ...{ reversedBy: null, reversedFrom: null, refusedFor: null, screenedFor: null, verified: false, counted: false },
};
export const released: Place = { ...inSurvey, state: 'released' };
export const confirmed = { returns: 'confirmed', minimumSeconds: 30 } as const;
export const browser = { ...confirmed, returns: 'browser' } as const;
export const given = (
  by: ReturnedBy,
  seconds: number,
  status: ReturnStatus = 'complete',
  isDated = false,
): GivenReturn => ({
  ...{ by, status, at: after(seconds), isDated },
});

/** A return, a rejection by others and its withdrawal, or the owner’s withdrawal of whichever rejection stands. */
export type Step =
  | GivenReturn
  | { readonly rejectedBy: 'dispute' | 'outcome' }
  | 'withdrawn'
  | 'withdrawn by the owner';

/** One step after the other, as the store keeps them while there is room. */
export function follow(
  study: typeof confirmed | typeof browser,
  steps: readonly Step[],
  { status = 'fielding', from = inSurvey }: { readonly status?: StudyState; readonly from?: Place } = {},
) {
  let place = from;
  let isRejected = false;
  const taught: string[] = [];
  const takeReturn = (given: GivenReturn): void => {
    const standing = withoutRejection(place);
    const verdict = judgeReturn(study, standing, given);
    const next = verdict === null ? null : decide(verdict.event, { status, serviceCheck: false }, standing);
    if (verdict === null) return;
    const { event, completion, refusedFor, returnedAt, returnedBy, isReported } = verdict;
    if (event === 'reverse' && standing.completion === 'reversed') {
      place = { ...place, refusedFor, returnedAt, returnedBy };
      taught.push(refusedFor ?? '');
      return;
    }
    if (next === null) return;
    const reversedBy = event === 'reverse' ? 'return' : null;
    const counted = isCountedBy(event, next.to) || event === 'restore';
    place =
      standing === place
        ? { ...place, state: next.to, completion, refusedFor, returnedAt, returnedBy, reversedBy, counted }
        : { ...place, reversedFrom: reversedFromOf(verdict), returnedAt, returnedBy };
    if (isReported) taught.push(refusedFor ?? 'complete');
  };
  const reject = (reversedBy: 'dispute' | 'outcome'): void => {
    const { completion } = place;
    if (place.state !== 'completed' || completion === 'reversed') return;
    const rejected = { completion: 'reversed', refusedFor: 'fraud', reversedBy, counted: false } as const;
    place = { ...place, ...rejected, state: 'terminated', reversedFrom: completion };
  };
  const withdraw = (): void => {
    const end = restoredEndOf(place);
    const counted = end.completion !== null && countsAs(end.completion, study);
    const returnedBy = returnedByAfterWithdrawal(place);
    place = { ...place, ...end, returnedBy, reversedBy: null, reversedFrom: null, counted };
  };
  for (const step of steps) {
    if (typeof step === 'string') {
      isRejected = false;
      if (withoutRejection(place) !== place || (step !== 'withdrawn' && place.completion === 'reversed')) withdraw();
    } else if ('rejectedBy' in step) {
      // An event stands, and rejects a later complete; a dispute rejects a complete that is there.
      isRejected = step.rejectedBy === 'outcome';
      reject(step.rejectedBy);
    } else takeReturn(step);
    if (isRejected) reject('outcome');
  }
  const { state, completion, refusedFor, counted } = place;
  return { state, completion, refusedFor, counts: counted, taught: taught.join(' ') };
}
