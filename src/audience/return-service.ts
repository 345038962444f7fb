/**
 * The way back from a survey: closes the reservation of the token once, and reports the outcome to scoring. The first answer stands. A
 * released reservation is taken back if there is room. A report that failed is repeated by the next round; a repeated one counts once.
 */
import type { OutcomeEvent } from '../contract/outcome.js';
import { Fault } from '../errors.js';
import type { DataOwner } from '../kernel/caller.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import type { Logger } from '../telemetry/logger.js';
import { dataOwnerOf } from './entry-service.js';
import { applyEvent, pageOf, underLock, type Answer } from './fielding.js';
import { findReservation, type QuotaReservation } from './reservation-store.js';
import { isTokenOf, type ReservationTokens } from './reservation-tokens.js';
import { findStudy, type Study } from './study-store.js';
import { decide, type ReservationState } from './transitions.js';

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
        return pageOf(study, 'expired');
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

/** Where the study was made smaller while they were out, whoever comes back first has what is left. */
async function close(
  tx: Queryable,
  study: Study,
  reservation: QuotaReservation,
  status: ReturnStatus,
): Promise<Closing> {
  const { state } = reservation;
  if (isEnded(state)) return { page: 'thanks', closed: null };
  if (state !== 'surveying' && state !== 'released') return { page: 'expired', closed: null };
  if (decide(status, study, reservation) === null) return { page: 'closed', closed: null };
  const after = await applyEvent(tx, study, reservation, status);
  const closed = isEnded(after.state) ? after : null;
  return { page: status === 'terminate' || after.state === 'completed' ? 'thanks' : 'full', closed };
}

const isEnded = (state: ReservationState): boolean => state === 'completed' || state === 'terminated';

/** Never rejects. */
export type ReportOutcome = (study: Study, reservation: QuotaReservation) => Promise<void>;

export interface OutcomeReporterDeps {
  readonly database: Database;
  readonly acceptOutcomes: (owner: DataOwner, events: readonly OutcomeEvent[]) => Promise<unknown>;
  readonly logger: Logger;
}

export function createOutcomeReporter({ database, acceptOutcomes, logger }: OutcomeReporterDeps): ReportOutcome {
  return async (study, reservation) => {
    const { reservationId } = reservation;
    try {
      await acceptOutcomes(dataOwnerOf(study), [outcomeOf(reservation)]).catch((error: unknown) => {
        // An invalid event stays invalid, so it is not repeated.
        if (!(error instanceof Fault) || error.code !== 'VALIDATION_FAILED') throw error;
        logger.error(
          { err: error, reservationId },
          'the outcome of a quota reservation was refused and is not reported',
        );
      });
      await inOrganization(database, reservation.organizationId, (tx) =>
        tx.query('UPDATE study_places SET outcome_due = false WHERE place_id = $1', [reservationId]),
      );
    } catch (error) {
      logger.warn({ err: error, reservationId }, 'an outcome was not reported; the next round reports it');
    }
  };
}

const outcomeOf = ({ reservationId, state, returnedAt, respondentRef }: QuotaReservation): OutcomeEvent => ({
  sessionId: reservationId,
  occurredAt: (returnedAt ?? new Date(0)).toISOString(),
  detail: { respondentId: respondentRef },
  ...(state === 'completed' ? { type: 'complete' } : { type: 'dq', reasonClass: 'fit' }),
});
