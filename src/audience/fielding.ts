/** Shared by entry and return: the lock under which a reservation changes, taking and freeing one, and the way to the survey. */
import type { Fault } from '../errors.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import type { PageName } from './pages.js';
import {
  changeReservation,
  findReservation,
  hasRoom,
  keepToken,
  type QuotaReservation,
  type ReservationChange,
} from './reservation-store.js';
import type { ReservationTokens } from './reservation-tokens.js';
import { findStudy, type Study } from './study-store.js';

/** What a respondent gets: the next address, or a page that says what is. */
export type Answer =
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'page'; readonly page: PageName; readonly language: string };

export const pageOf = (study: Pick<Study, 'language'>, page: PageName): Answer => ({
  kind: 'page',
  page,
  language: study.language,
});

/** Study and reservation, locked against other changes until the end. */
export function underLock<T>(
  database: Database,
  { organizationId, studyId, reservationId }: Pick<QuotaReservation, 'organizationId' | 'studyId' | 'reservationId'>,
  run: (tx: Queryable, study: Study, reservation: QuotaReservation) => Promise<T>,
): Promise<T> {
  const locked = async (tx: Queryable): Promise<T> => {
    const study = await findStudy(tx, studyId, { lock: true });
    const reservation = await findReservation(tx, reservationId);
    if (study === null || reservation === null) throw new Error(`the quota reservation ${reservationId} has no study`);
    return run(tx, study, reservation);
  };
  return inOrganization(database, organizationId, locked, { line: studyId });
}

/** Takes a reservation if there is room. Else the respondent is screened out, and checked again at the next visit. */
export async function takeReservation(
  tx: Queryable,
  study: Study,
  now: QuotaReservation,
  change: ReservationChange,
): Promise<QuotaReservation> {
  const screenedOut = now.state === 'screened' ? -1 : 0;
  if (await hasRoom(tx, study, now.reservationId, 'held'))
    return changeReservation(tx, now, { ...change, screenedFor: null }, { held: 1, screenedOut });
  if (now.state === 'released') return now;
  return screenOut(tx, now, { ...change, screenedFor: 'full', verified: false });
}

/** Screens out who holds no reservation. */
export const screenOut = (tx: Queryable, now: QuotaReservation, change: ReservationChange): Promise<QuotaReservation> =>
  changeReservation(tx, now, { ...change, state: 'screened' }, { screenedOut: now.state === 'screened' ? 0 : 1 });

/** Frees a held reservation. */
export const freeReservation = (
  tx: Queryable,
  now: QuotaReservation,
  change: ReservationChange,
): Promise<QuotaReservation> =>
  changeReservation(tx, now, { ...change, verified: false }, { held: -1, verified: now.verified ? -1 : 0 });

export interface SurveyDeps {
  readonly database: Database;
  readonly tokens: ReservationTokens;
  readonly audienceUrl: () => string;
  readonly now: () => number;
  /** How long a respondent holds a reservation, in milliseconds. */
  readonly reservationMs: number;
}

/** The survey’s address with the token and the address to come back to, which replace what survey_url has under these names. */
export async function surveyAddress(deps: SurveyDeps, study: Study, reservation: QuotaReservation): Promise<string> {
  const until = new Date(deps.now() + deps.reservationMs);
  const isGood = reservation.tokenUntil !== null && reservation.tokenUntil > until;
  const token = isGood ? reservation.token : await issueToken(deps, study, reservation, until);
  const url = new URL(study.surveyUrl);
  url.searchParams.set('vh_token', token ?? '');
  url.searchParams.set('vh_return', `${deps.audienceUrl()}/return`);
  return url.href;
}

async function issueToken(
  { database, tokens }: SurveyDeps,
  study: Study,
  reservation: QuotaReservation,
  lasting: Date,
): Promise<string> {
  const issued = await tokens.issue(reservation, study);
  return inOrganization(database, reservation.organizationId, (tx) =>
    keepToken(tx, reservation.reservationId, { ...issued, lasting }),
  );
}

/** The page for a fault on the way. */
export const pageOfFault = ({ status }: Pick<Fault, 'status'>): PageName =>
  status === 400 || status === 404 ? 'broken' : 'later';
