/**
 * Decides the effect of a return from the survey on a place. Pure. The first answer counts until a stronger source reports: the browser's is the weakest, then
 * the survey's (its key, or its signature), then the owner's. Browser and survey may come in either order, with the same result.
 *
 *     complete ──by the browser──▶ unconfirmed ──by the survey or the owner──▶ confirmed ──quality, as strong──▶ reversed
 *        └──sooner than minimumSeconds──▶ too_fast ──by the owner, who insists──▶ confirmed
 */
import type { ReasonClass } from '../contract/outcome.js';
import type { ReturnStatus } from '../contract/study-returns.js';
import type { ReturnMode } from '../contract/study.js';
import type { Completion } from '../contract/study-replies.js';
import { returnedBys, type QuotaReservation, type ReturnedBy } from './reservation-store.js';
import { countsAs, surveySeconds } from './study-rules.js';
import type { PlaceEvent } from './transitions.js';

export interface GivenReturn {
  readonly status: ReturnStatus;
  readonly by: ReturnedBy;
  /** When the interview ended; of a return without a time, now. */
  readonly at: Date;
  /** The time was given, and replaces that of an earlier, weaker return. */
  readonly isDated: boolean;
}

export interface ReturnVerdict {
  readonly event: Extract<PlaceEvent, 'complete' | 'hold' | 'terminate' | 'reverse'>;
  readonly completion: Completion | null;
  readonly refusedFor: ReasonClass | null;
  readonly returnedAt: Date;
  /** Whether scoring learns of it. */
  readonly teaches: boolean;
}

type Returned = Pick<QuotaReservation, 'state' | 'completion' | 'returnedBy' | 'surveyedAt' | 'returnedAt'>;

const rank = (by: ReturnedBy | null): number => (by === null ? -1 : returnedBys.indexOf(by));

/** null: what is known stands. */
export function judgeReturn(
  study: { readonly returns: ReturnMode; readonly minimumSeconds: number },
  place: Returned,
  given: GivenReturn,
): ReturnVerdict | null {
  if (place.completion === 'reversed') return null;
  if (place.completion === 'confirmed') return judgeConfirmed(place, given);
  const isPending = place.completion !== null;
  const insists = given.by === 'owner' && isPending;
  if (place.returnedBy !== null && rank(given.by) <= rank(place.returnedBy) && !insists) return null;
  const returnedAt = returnTimeOf(study, place, given);
  const teaches = given.by !== 'browser';
  if (given.status !== 'complete')
    return {
      ...{ event: 'terminate', completion: null, returnedAt, teaches },
      refusedFor: given.status === 'quality' ? 'quality' : 'fit',
    };
  const seconds = surveySeconds({ surveyedAt: place.surveyedAt, returnedAt }) ?? 0;
  const completion = insists ? 'confirmed' : completionOf(given.by, seconds < study.minimumSeconds);
  const counts = countsAs(completion, study);
  return {
    ...{ event: counts ? 'complete' : 'hold', completion, refusedFor: null, returnedAt },
    teaches: completion === 'confirmed',
  };
}

/** Only a check of the answers that comes after the complete takes it back, by whoever is as strong. */
function judgeConfirmed(place: Returned, given: GivenReturn): ReturnVerdict | null {
  const isRejection = given.status === 'quality' && given.by !== 'browser' && rank(given.by) >= rank(place.returnedBy);
  if (!isRejection) return null;
  const returnedAt = place.returnedAt ?? given.at;
  return { event: 'reverse', completion: 'reversed', refusedFor: 'quality', returnedAt, teaches: true };
}

/** Without a time of its own, a stronger word has that of the browser before it, unless the browser claims to be back too soon. */
function returnTimeOf(
  { minimumSeconds }: { readonly minimumSeconds: number },
  { surveyedAt, returnedAt, returnedBy }: Returned,
  given: GivenReturn,
): Date {
  if (given.isDated || returnedAt === null) return given.at;
  const isEarly = (surveySeconds({ surveyedAt, returnedAt }) ?? 0) < minimumSeconds;
  return isEarly && returnedBy === 'browser' ? given.at : returnedAt;
}

function completionOf(by: ReturnedBy, isTooFast: boolean): Completion {
  if (isTooFast) return 'too_fast';
  return by === 'browser' ? 'unconfirmed' : 'confirmed';
}
