/**
 * Decides the effect of a return from the survey on a place. Pure. The first answer counts until a stronger source reports: the browser's is the weakest, then
 * the survey's (its key, or its signature), then the owner's. Sources may come in any order, with the same result.
 *
 *     complete ──by the browser──▶ unconfirmed ──by the survey or the owner──▶ confirmed ──refused by a stronger source, or quality by an equal one──▶ reversed
 *        └──sooner than minimumSeconds──▶ too_fast ──by the owner: after a weaker source, with a later time, or ignoring the minimum──▶ confirmed
 *
 * While a dispute or an outcome event rejects the complete, returns decide what its withdrawal restores.
 *
 * An answer that decided nothing does not bar its own source: a complete that was too fast may be refused, and one that found no room repeated or checked.
 */
import type { ReturnStatus } from '../contract/study-returns.js';
import type { ReturnMode } from '../contract/study.js';
import type { Completion } from '../contract/study-replies.js';
import {
  standingWords,
  type QuotaReservation,
  type Refusal,
  type ReturnedBy,
  type StandingWord,
} from './reservation-store.js';
import { countsAs, surveySeconds } from './study-rules.js';
import type { PlaceEvent } from './transitions.js';

export interface GivenReturn {
  readonly status: ReturnStatus;
  readonly by: ReturnedBy;
  /** When the interview ended; of a return without a time, now. */
  readonly at: Date;
  /** The time was given, and replaces that of an earlier, weaker return. */
  readonly isDated: boolean;
  /** The owner accepts an interview of any length. */
  readonly ignoresMinimum?: boolean;
}

export interface ReturnVerdict {
  readonly event: Extract<PlaceEvent, 'complete' | 'hold' | 'terminate' | 'abandon' | 'reverse' | 'restore'>;
  readonly completion: Completion | null;
  readonly refusedFor: Refusal | null;
  readonly returnedAt: Date;
  /** The strongest source so far. */
  readonly returnedBy: StandingWord;
  /** Whether scoring learns of it. */
  readonly isReported: boolean;
}

type Returned = Pick<
  QuotaReservation,
  'state' | 'completion' | 'returnedBy' | 'surveyedAt' | 'returnedAt' | 'reversedBy' | 'refusedFor'
>;

const rank = (by: StandingWord | null): number => (by === null ? -1 : standingWords.indexOf(by));

type RestoredEnd = Pick<QuotaReservation, 'state' | 'completion' | 'refusedFor'>;

/** The end that the withdrawal of a rejection restores. */
export const restoredEndOf = ({ reversedFrom }: Pick<QuotaReservation, 'reversedFrom'>): RestoredEnd =>
  reversedFrom === 'fit' || reversedFrom === 'quality'
    ? { state: 'terminated', completion: null, refusedFor: reversedFrom }
    : { state: 'completed', completion: reversedFrom ?? 'confirmed', refusedFor: null };

/** The strongest word once the rejection is withdrawn: stronger than that of a return which is withdrawn, so that its repetition changes nothing. */
export const returnedByAfterWithdrawal = ({
  returnedBy,
  reversedBy,
}: Pick<QuotaReservation, 'returnedBy' | 'reversedBy'>): StandingWord | null => {
  if (reversedBy !== 'return') return returnedBy;
  return returnedBy === 'owner' ? 'withdrawal' : 'owner';
};

/** The place that a return is weighed against: without the dispute or the outcome event that rejects it. The same object: there is none. */
export const withoutRejection = <T extends Pick<QuotaReservation, 'completion' | 'reversedBy' | 'reversedFrom'>>(
  place: T,
): T =>
  place.completion === 'reversed' && (place.reversedBy === 'dispute' || place.reversedBy === 'outcome')
    ? { ...place, ...restoredEndOf(place), reversedBy: null }
    : place;

/** The end that the withdrawal restores after this return. */
export const reversedFromOf = ({ completion, refusedFor }: ReturnVerdict): QuotaReservation['reversedFrom'] =>
  completion === 'reversed' ? refusedFor : (completion ?? refusedFor);

/** null: what is known stands. The place is one without a rejection by others. */
export function judgeReturn(
  study: { readonly returns: ReturnMode; readonly minimumSeconds: number },
  place: Returned,
  given: GivenReturn,
): ReturnVerdict | null {
  if (place.completion === 'reversed') return judgeReversed(place, given);
  if (place.completion === 'confirmed') return judgeConfirmed(place, given);
  const mayStillConfirm = place.completion === 'too_fast' && given.status === 'complete' && mendsTooFast(place, given);
  if (rank(given.by) <= rank(place.returnedBy) && !mayStillConfirm && !isUndecidedBy(place, given)) return null;
  const returnedBy = strongerOf(given.by, place.returnedBy);
  const returnedAt = returnTimeOf(study, place, given);
  if (given.status !== 'complete') {
    const refusedFor = refusalOf(given.status);
    const isReported = given.by !== 'browser';
    const event = place.state === 'released' && !isReported ? 'abandon' : 'terminate';
    return { event, completion: null, refusedFor, returnedAt, returnedBy, isReported };
  }
  const seconds = surveySeconds({ surveyedAt: place.surveyedAt, returnedAt }) ?? 0;
  const isTooFast = seconds < study.minimumSeconds && !acceptsAnyLength(place, given);
  const completion = completionOf(given.by, isTooFast);
  if (mayStillConfirm && completion !== 'confirmed') return null;
  const event = countsAs(completion, study) ? 'complete' : 'hold';
  return { event, completion, refusedFor: null, returnedAt, returnedBy, isReported: completion === 'confirmed' };
}

const strongerOf = (by: ReturnedBy, before: StandingWord | null): StandingWord =>
  before !== null && rank(before) > rank(by) ? before : by;

/** The owner who reports a complete that others had reported too early accepts it. A retry of the owner’s own does not. */
const acceptsAnyLength = ({ completion, returnedBy }: Returned, { by, ignoresMinimum = false }: GivenReturn): boolean =>
  ignoresMinimum || (by === 'owner' && completion === 'too_fast' && returnedBy !== 'owner');

/** The owner may accept any length, or give a later time; a survey that is in time confirms what the owner reported too early. A retry does neither. */
const mendsTooFast = ({ returnedBy }: Returned, { by, isDated, ignoresMinimum = false }: GivenReturn): boolean =>
  ignoresMinimum || (returnedBy === 'owner' && (by === 'survey' || (by === 'owner' && isDated)));

/** Whether the source’s own first answer left open what this one says: a complete was too fast, and is refused now; or it found no room, and is repeated or checked. */
function isUndecidedBy({ state, completion, refusedFor, returnedBy }: Returned, { by, status }: GivenReturn): boolean {
  if (by !== returnedBy) return false;
  if (completion === 'too_fast') return by !== 'browser' && status !== 'complete';
  const foundNoRoom = state === 'terminated' && completion === null && refusedFor === null;
  return foundNoRoom && (status === 'complete' || (status === 'quality' && by !== 'browser'));
}

const refusalOf = (status: Exclude<ReturnStatus, 'complete'>): Refusal => (status === 'quality' ? 'quality' : 'fit');

/** A stronger source takes a complete back, and a check of the answers that comes after it does, by whoever is as strong. */
function judgeConfirmed(place: Returned, given: GivenReturn): ReturnVerdict | null {
  const { status, by } = given;
  const returnedAt = place.returnedAt ?? given.at;
  const lead = rank(by) - rank(place.returnedBy);
  const kept = { returnedAt, returnedBy: by };
  if (status === 'complete')
    return lead > 0
      ? { event: 'complete', completion: 'confirmed', refusedFor: null, ...kept, isReported: false }
      : null;
  if (by === 'browser' || !(lead > 0 || (lead === 0 && status === 'quality'))) return null;
  return { event: 'reverse', completion: 'reversed', refusedFor: refusalOf(status), ...kept, isReported: true };
}

/** A stronger source restores what a return reversed, or gives its own reason. Disputes and outcome events are withdrawn in their own ways. */
function judgeReversed(place: Returned, { status, by, at }: GivenReturn): ReturnVerdict | null {
  if (place.reversedBy !== 'return' || rank(by) <= rank(place.returnedBy)) return null;
  const kept = { returnedAt: place.returnedAt ?? at, returnedBy: by, isReported: true };
  return status === 'complete'
    ? { event: 'restore', completion: 'confirmed', refusedFor: null, ...kept }
    : { event: 'reverse', completion: 'reversed', refusedFor: refusalOf(status), ...kept };
}

/** Without a time of its own, a stronger return has that of the weaker one before it, unless that one was too soon. */
function returnTimeOf(
  { minimumSeconds }: { readonly minimumSeconds: number },
  { surveyedAt, returnedAt }: Returned,
  given: GivenReturn,
): Date {
  if (given.isDated || returnedAt === null) return given.at;
  const isEarly = (surveySeconds({ surveyedAt, returnedAt }) ?? 0) < minimumSeconds;
  return isEarly ? given.at : returnedAt;
}

function completionOf(by: ReturnedBy, isTooFast: boolean): Completion {
  if (isTooFast) return 'too_fast';
  return by === 'browser' ? 'unconfirmed' : 'confirmed';
}
