/**
 * Reports a respondent's outcome to scoring, so that later scores know it: a complete, or a disqualification for fit, which is neutral.
 * It is reported when the reservation closes, and by the next round if that failed. A repeated report is the same event and counts once.
 */
import type { DataOwner } from '../kernel/caller.js';
import type { OutcomeEvent } from '../contract/outcome.js';
import { Fault } from '../errors.js';
import type { Database } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import type { Logger } from '../telemetry/logger.js';
import { dataOwnerOf } from './entry-service.js';
import type { QuotaReservation } from './reservation-store.js';
import type { Study } from './study-store.js';

/** Never rejects. */
export type ReportOutcome = (study: Study, reservation: QuotaReservation) => Promise<void>;

export interface OutcomeReporterDeps {
  readonly database: Database;
  readonly acceptOutcomes: (owner: DataOwner, events: readonly OutcomeEvent[]) => Promise<unknown>;
  readonly logger: Logger;
}

export function createOutcomeReporter({ database, acceptOutcomes, logger }: OutcomeReporterDeps): ReportOutcome {
  return async (study, reservation) => {
    try {
      await acceptOutcomes(dataOwnerOf(study), [outcomeOf(reservation)]).catch((error: unknown) => {
        // An invalid event stays invalid, so it is not repeated.
        if (!(error instanceof Fault) || error.code !== 'VALIDATION_FAILED') throw error;
        logger.error(
          { err: error, reservationId: reservation.reservationId },
          'the outcome of a quota reservation was refused and is not reported',
        );
      });
      await inOrganization(database, reservation.organizationId, (tx) =>
        tx.query('UPDATE study_places SET outcome_due = false WHERE place_id = $1', [reservation.reservationId]),
      );
    } catch (error) {
      logger.warn(
        { err: error, reservationId: reservation.reservationId },
        'an outcome was not reported; the next round reports it',
      );
    }
  };
}

const outcomeOf = ({ reservationId, state, endedAt, respondentRef }: QuotaReservation): OutcomeEvent => ({
  sessionId: reservationId,
  occurredAt: (endedAt ?? new Date(0)).toISOString(),
  detail: { respondentId: respondentRef },
  ...(state === 'completed' ? { type: 'complete' } : { type: 'dq', reasonClass: 'fit' }),
});
