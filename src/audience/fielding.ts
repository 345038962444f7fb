/** Shared by entry and return: the lock under which a reservation changes, what an event makes of it, and the way to the survey. */
import type { Fault } from '../errors.js';
import { noScores, type ReservationClaims } from '../contract/study-replies.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import type { PageName } from './page-texts.js';
import { isBeyondLimits, type Claimant } from './limits.js';
import {
  changeReservation,
  findReservation,
  keepToken,
  type QuotaReservation,
  type ReservationChange,
} from './reservation-store.js';
import type { ReservationTokens } from './reservation-tokens.js';
import { hasRoom } from './room.js';
import { findStudy, type Study } from './study-store.js';
import { decide, isCountedBy, isVerifiedIn, type Need, type PlaceEvent } from './transitions.js';

/** The reply to a respondent: the next address, or a page. */
export type Answer =
  | { readonly kind: 'redirect'; readonly url: string }
  | {
      readonly kind: 'page';
      readonly page: PageName;
      /** null: none that the link names. */
      readonly study: Study | null;
      /** The probe of the page `checking` belongs to this session. */
      readonly sessionId?: string;
    };

export const pageOf = (study: Study | null, page: PageName): Answer => ({ kind: 'page', page, study });

/** The study, locked against other changes of it and of its reservations until the end. */
export const underStudyLock = <T>(
  database: Database,
  { organizationId, studyId }: Pick<Study, 'organizationId' | 'studyId'>,
  run: (tx: Queryable, study: Study) => Promise<T>,
): Promise<T> =>
  inOrganization(
    database,
    organizationId,
    async (tx) => {
      const study = await findStudy(tx, studyId, { lock: true });
      if (study === null) throw new Error(`the study ${studyId} is gone`);
      return run(tx, study);
    },
    { line: studyId },
  );

/** The same with one of its reservations. */
export const underLock = <T>(
  database: Database,
  { reservationId, ...owner }: Pick<QuotaReservation, 'organizationId' | 'studyId' | 'reservationId'>,
  run: (tx: Queryable, study: Study, reservation: QuotaReservation) => Promise<T>,
): Promise<T> =>
  underStudyLock(database, owner, async (tx, study) => {
    const reservation = await findReservation(tx, reservationId);
    if (reservation === null) throw new Error(`there is no quota reservation ${reservationId}`);
    return run(tx, study, reservation);
  });

/** Applies an event to a locked reservation; one that does not apply changes nothing. `claim`: of whoever takes the place. */
export async function applyEvent(
  tx: Queryable,
  study: Study,
  now: QuotaReservation,
  event: PlaceEvent,
  { change = {}, claim = null }: { readonly change?: ReservationChange; readonly claim?: Claimant | null } = {},
): Promise<QuotaReservation> {
  const next = decide(event, study, now);
  if (next === null) return now;
  const missing = next.needs === null ? null : await findMissing(tx, study, now, { event, need: next.needs, claim });
  const state = missing === null ? next.to : next.otherwise;
  if (missing !== null && state === now.state && state !== 'screened') return now;
  const screenedFor = state === 'screened' ? (missing ?? change.screenedFor ?? null) : null;
  const taker = missing === null ? claimOf(claim) : {};
  const counted = change.counted ?? isCountedBy(event, state);
  return changeReservation(tx, now, {
    ...{ ...change, ...taker },
    ...{ state, screenedFor, counted, verified: isVerifiedIn(state, counted, study) },
  });
}

async function findMissing(
  tx: Queryable,
  study: Study,
  now: QuotaReservation,
  { event, need, claim }: { readonly event: PlaceEvent; readonly need: Need; readonly claim: Claimant | null },
): Promise<'full' | 'limit' | null> {
  if (!(await hasRoom(tx, study, now.reservationId, need))) return 'full';
  const isLimited = event === 'admit' || event === 'hold';
  return isLimited && (await isBeyondLimits(tx, study, now, claim)) ? 'limit' : null;
}

const claimOf = (claim: Claimant | null): ReservationChange => {
  if (claim === null) return {};
  const { deviceRef, addressRef, networkRef } = claim;
  return { deviceRef, addressRef, networkRef };
};

/** The result of a hosted verification; `scores` as its page may know them. */
export interface HostedVerification {
  readonly status: 'pass' | 'fail' | 'review';
  readonly assurance: string;
  /** It failed, and the respondent may try again. */
  readonly isRetryable: boolean;
  readonly scores: ReservationClaims['scores'];
}

/** The hosted verification of one respondent. */
export interface HostedVerificationClient {
  /** Makes a link for the locked reservation, and returns its id. */
  makeLink(tx: Queryable, reservation: QuotaReservation, study: Study, returnUrl: string): Promise<string>;
  linkUrl(linkId: string): string;
  /** Reads the newest result; null before the first. */
  read(reservation: QuotaReservation): Promise<HostedVerification | null>;
}

export interface SurveyDeps {
  readonly database: Database;
  readonly tokens: ReservationTokens;
  readonly verification: HostedVerificationClient;
  readonly audienceUrl: () => string;
  readonly now: () => number;
  /** How long a respondent holds a reservation, in milliseconds. */
  readonly reservationMs: number;
}

/**
 * To the survey’s address with the token and the address to come back to, which replace what survey_url has under these names. A respondent who is
 * erased meanwhile reads so.
 */
export async function leadToSurvey(deps: SurveyDeps, study: Study, reservation: QuotaReservation): Promise<Answer> {
  const until = new Date(deps.now() + deps.reservationMs);
  const isGood = reservation.tokenUntil !== null && reservation.tokenUntil > until;
  const token = isGood ? reservation.token : await issueToken(deps, study, reservation, until);
  if (token === null) return pageOf(study, 'erased');
  const url = new URL(study.surveyUrl);
  url.searchParams.set('vh_token', token);
  url.searchParams.set('vh_return', `${deps.audienceUrl()}/return`);
  return { kind: 'redirect', url: url.href };
}

async function issueToken(
  { database, tokens, verification }: SurveyDeps,
  study: Study,
  reservation: QuotaReservation,
  lasting: Date,
): Promise<string | null> {
  const verified = reservation.linkId === null ? null : await verification.read(reservation);
  const issued = await tokens.issue(reservation, study, verified?.scores ?? noScores);
  return inOrganization(database, reservation.organizationId, (tx) =>
    keepToken(tx, reservation.reservationId, { ...issued, lasting }),
  );
}

/** The page for a fault on the way. */
export const pageOfFault = ({ status }: Pick<Fault, 'status'>): PageName =>
  status === 400 || status === 404 ? 'broken' : 'later';
