/**
 * Decides changes of a place from one table: an event, the state of the place, and the state of the study under its lock.
 * An event that the table does not name for them changes nothing.
 *
 *     entering ──admit──▶ verifying ──pass──▶ surveying ──complete──▶ completed
 *        └─screen─▶ screened   └──fail──▶ screened └──terminate──▶ terminated
 *     verifying, surveying ──expire──▶ released ──admit──▶ while the study takes respondents
 *                                          ├──complete──▶ completed, if there is room: the interview was done
 *                                          └──terminate──▶ terminated
 *
 * `abandon` is the browser’s own end of a released place, which it does not close. `hold` is a complete that does not count until it is confirmed, by `complete`. An ended place changes only by a stronger source (return-rules.ts).
 * `reverse` rejects a complete, and `restore` withdraws that: it asks for no room, because the interview was done (reversals.ts).
 */

import type { Completion } from '../contract/study-replies.js';
import type { ScreenOutReason } from '../contract/study-report.js';
import type { StudyState } from '../contract/study-moves.js';

export const reservationStates = [
  'entering',
  'screened',
  'verifying',
  'surveying',
  'completed',
  'terminated',
  'released',
] as const;
export type ReservationState = (typeof reservationStates)[number];

export const screenedFors = ['gate', 'verification', 'duplicate', 'country', 'full', 'limit'] as const;
export type ScreenedFor = (typeof screenedFors)[number];

/** Maps each reason to its public name. */
export const screenOutReasonsOf: Readonly<Record<ScreenedFor, ScreenOutReason>> = {
  ...{ gate: 'quality', verification: 'quality', duplicate: 'duplicate', country: 'targeting' },
  ...{ full: 'full', limit: 'limit' },
};

export const placeEvents = [
  ...(['admit', 'screen', 'pass', 'fail', 'complete', 'hold', 'terminate', 'abandon', 'expire'] as const),
  ...(['reverse', 'restore'] as const),
] as const;
export type PlaceEvent = (typeof placeEvents)[number];

/** `held`: a free place, within every limit of whoever takes it. `verified`: sample and quotas, which may have been reduced meanwhile. */
export type Need = 'held' | 'verified';

export interface Transition {
  readonly to: ReservationState;
  readonly needs: Need | null;
  /** The state if the place lacks what it needs. */
  readonly otherwise: ReservationState;
}

/** A place as far as its next state depends on it. */
export interface PlaceFacts {
  readonly state: ReservationState;
  readonly screenedFor: string | null;
  /** The visits that it repeated while these were judged themselves; null: none. */
  readonly repeats?: readonly string[] | null;
  readonly verified: boolean;
}

export interface StudyFacts {
  readonly status: StudyState;
  readonly serviceCheck: boolean;
}

/** Whether the study gives out places. */
const takes: readonly StudyState[] = ['fielding'];
/** Whether who holds a place may go on, to the survey and back from it. */
const letsFinish: readonly StudyState[] = ['fielding', 'paused', 'completed'];
const always: readonly StudyState[] = ['draft', 'fielding', 'paused', 'completed', 'cancelled'];

type Row = readonly [event: PlaceEvent, from: ReservationState, studies: readonly StudyState[], ...Target];
type Target = readonly [to: ReservationState | 'first', needs?: Need, otherwise?: ReservationState];

/** `first`: what comes after the gate, which is the verification or the survey. */
const table: readonly Row[] = [
  ['admit', 'entering', takes, 'first', 'held', 'screened'],
  ['admit', 'screened', takes, 'first', 'held', 'screened'],
  ['admit', 'released', takes, 'first', 'held', 'released'],
  ['screen', 'entering', takes, 'screened'],
  ['screen', 'screened', takes, 'screened'],
  ['pass', 'verifying', letsFinish, 'surveying', 'verified', 'released'],
  ['fail', 'verifying', letsFinish, 'screened'],
  ['complete', 'surveying', letsFinish, 'completed', 'verified', 'terminated'],
  ['complete', 'released', letsFinish, 'completed', 'held', 'released'],
  ['complete', 'completed', letsFinish, 'completed', 'verified', 'terminated'],
  ['complete', 'terminated', letsFinish, 'completed', 'held', 'terminated'],
  ['hold', 'surveying', letsFinish, 'completed'],
  ['hold', 'released', letsFinish, 'completed', 'held', 'released'],
  ['hold', 'completed', letsFinish, 'completed'],
  ['hold', 'terminated', letsFinish, 'completed', 'held', 'terminated'],
  ['terminate', 'surveying', letsFinish, 'terminated'],
  ['terminate', 'released', letsFinish, 'terminated'],
  ['abandon', 'released', letsFinish, 'released'],
  ['terminate', 'completed', letsFinish, 'terminated'],
  ['terminate', 'terminated', letsFinish, 'terminated'],
  ['reverse', 'completed', always, 'terminated'],
  ['restore', 'terminated', always, 'completed'],
  ['expire', 'verifying', always, 'released'],
  ['expire', 'surveying', always, 'released'],
];

/** Reasons that may be gone when the respondent comes back. */
const passing: readonly (string | null)[] = ['full', 'limit'];

/** Whether a respondent in this state is looked at by the gate, at this visit. */
export const isUndecided = ({
  state,
  screenedFor,
  repeats = null,
}: Pick<PlaceFacts, 'state' | 'screenedFor' | 'repeats'>): boolean =>
  state === 'entering' ||
  (state === 'screened' && (passing.includes(screenedFor) || (screenedFor === 'duplicate' && repeats !== null)));

/** null: the event does not apply, and nothing changes. */
export function decide(event: PlaceEvent, study: StudyFacts, place: PlaceFacts): Transition | null {
  const row = table.find(
    ([of, from, studies]) => of === event && from === place.state && studies.includes(study.status),
  );
  if (row === undefined || (place.state === 'screened' && !isUndecided(place))) return null;
  const [, , , target, needs = null, otherwise = place.state] = row;
  const first = study.serviceCheck ? 'verifying' : 'surveying';
  const to = target === 'first' ? first : target;
  // A verified respondent already counts in sample and quotas.
  return { to, needs: needs === 'verified' && place.verified ? null : needs, otherwise };
}

/** Columns that count places: a study's, and those of its report. */
export const countNames = [
  ...(['held', 'verifying', 'surveying', 'released', 'terminated', 'verified', 'completed'] as const),
  ...(['unconfirmed', 'too_fast', 'reversed', 'same_device', 'same_address', 'same_network'] as const),
  ...screenedFors.map((reason) => `screened_${reason}` as const),
] as const;
export type CountName = (typeof countNames)[number];
export type PlaceCounts = Readonly<Record<CountName, number>>;

type Counted = Pick<PlaceFacts, 'state' | 'verified'> & {
  /** Whether its complete counts. */
  readonly counted: boolean;
  readonly screenedFor?: ScreenedFor | null;
  readonly completion?: Completion | null;
};

/** Finds the counts that include a place. A person who took a place before is counted when it is taken. */
export function countsOf({ state, verified, counted, screenedFor = null, completion = null }: Counted): PlaceCounts {
  const holds = state === 'verifying' || state === 'surveying' || state === 'completed';
  const pending = state === 'completed' && !counted;
  const isReversed = completion === 'reversed';
  const isIn: Partial<Record<CountName, boolean>> = {
    held: holds,
    ...{ verifying: state === 'verifying', surveying: state === 'surveying', released: state === 'released' },
    ...{ terminated: state === 'terminated' && !isReversed, reversed: isReversed },
    ...{ verified: holds && verified, completed: state === 'completed' && counted },
    ...{ too_fast: pending && completion === 'too_fast', unconfirmed: pending && completion !== 'too_fast' },
    ...(state === 'screened' && screenedFor !== null ? { [`screened_${screenedFor}`]: true } : {}),
  };
  return Object.fromEntries(countNames.map((name) => [name, Number(isIn[name] ?? false)])) as PlaceCounts;
}

/** Whether an event that leads to a state makes the complete count. */
export const isCountedBy = (event: PlaceEvent, to: ReservationState): boolean =>
  event === 'complete' && to === 'completed';

/** Whether a place is a verified one. With a verification, only its pass leads to the survey, and stands while the place is held. */
export const isVerifiedIn = (
  state: ReservationState,
  counted: boolean,
  { serviceCheck }: Pick<StudyFacts, 'serviceCheck'>,
): boolean => counted || (serviceCheck && (state === 'surveying' || state === 'completed'));

export const letsHoldersFinish = (status: StudyState): boolean => letsFinish.includes(status);
