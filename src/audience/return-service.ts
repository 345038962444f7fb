/**
 * The way back from a survey: closes the reservation of the token, once. The first answer stands, and a repeated return gets the same page. A
 * reservation that was released meanwhile is taken back if there is room.
 */
import type { Database, Queryable } from '../stores/database/port.js';
import { freeReservation, pageOf, takeReservation, underLock, type Answer } from './fielding.js';
import type { ReportOutcome } from './outcome-reporter.js';
import { changeReservation, findReservation, hasRoom, type QuotaReservation } from './reservation-store.js';
import { isTokenOf, type ReservationTokens } from './reservation-tokens.js';
import { letsHoldersFinish } from './study-states.js';
import { findStudy, type Study } from './study-store.js';

export const returnStatuses = ['complete', 'terminate'] as const;
export type ReturnStatus = (typeof returnStatuses)[number];

export interface ReturnDeps {
  readonly database: Database;
  readonly tokens: ReservationTokens;
  readonly reportOutcome: ReportOutcome;
}

export function createReturnService({ database, tokens, reportOutcome }: ReturnDeps) {
  return {
    async comeBack(token: string, status: ReturnStatus): Promise<Answer> {
      const claims = tokens.read(token);
      const reservation = claims === null ? null : await findReservation(database, claims.sub);
      const study = reservation === null ? null : await findStudy(database, reservation.studyId);
      if (claims === null || reservation === null || study === null || !isTokenOf(claims, reservation))
        return { kind: 'page', page: 'expired', language: study?.language ?? 'en' };
      const { page, closed } = await underLock(database, reservation, (tx, current, now) =>
        close(tx, current, now, status),
      );
      if (closed !== null) await reportOutcome(study, closed);
      return pageOf(study, page);
    },
  };
}

interface Closing {
  readonly page: 'thanks' | 'full' | 'closed' | 'expired';
  /** The reservation, if this call closed it. */
  readonly closed: QuotaReservation | null;
}

async function close(
  tx: Queryable,
  study: Study,
  reservation: QuotaReservation,
  status: ReturnStatus,
): Promise<Closing> {
  if (reservation.state === 'completed' || reservation.state === 'terminated') return { page: 'thanks', closed: null };
  if (reservation.state !== 'surveying' && reservation.state !== 'released') return { page: 'expired', closed: null };
  if (!letsHoldersFinish(study.status)) return { page: 'closed', closed: null };
  if (status === 'terminate') return { page: 'thanks', closed: await terminate(tx, reservation) };
  const held = reservation.state === 'surveying' ? reservation : await takeBack(tx, study, reservation);
  if (held === null) return { page: 'full', closed: null };
  return complete(tx, study, held);
}

const terminate = (tx: Queryable, reservation: QuotaReservation): Promise<QuotaReservation> =>
  reservation.state === 'surveying'
    ? freeReservation(tx, reservation, { state: 'terminated', ended: true })
    : changeReservation(tx, reservation, { state: 'terminated', ended: true });

async function takeBack(tx: Queryable, study: Study, reservation: QuotaReservation): Promise<QuotaReservation | null> {
  // A closed study gives out no reservation again.
  if (study.status === 'completed') return null;
  const taken = await takeReservation(tx, study, reservation, { state: 'surveying' });
  return taken.state === 'surveying' ? taken : null;
}

/** Where the study was made smaller while they were out, whoever comes back first has what is left. */
async function complete(tx: Queryable, study: Study, reservation: QuotaReservation): Promise<Closing> {
  if (!reservation.verified && !(await hasRoom(tx, study, reservation.reservationId, 'verified')))
    return { page: 'full', closed: await freeReservation(tx, reservation, { state: 'terminated', ended: true }) };
  const closed = await changeReservation(
    tx,
    reservation,
    { state: 'completed', verified: true, ended: true },
    { completed: 1, verified: reservation.verified ? 0 : 1 },
  );
  return { page: 'thanks', closed };
}
