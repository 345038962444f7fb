/**
 * Tells scoring what became of a respondent, so that later scores know: a complete, or a disqualification for fit, which is neutral. It is told
 * as the place closes, and by the next round where that did not succeed. Told twice it is the same event, and counts once.
 */
import type { KeyCaller } from '../kernel/caller.js';
import type { OutcomeEvent } from '../contract/outcome.js';
import { Fault } from '../errors.js';
import type { Database } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import type { Logger } from '../telemetry/logger.js';
import { gateCaller } from './entry-service.js';
import type { Place } from './place-store.js';
import type { Study } from './study-store.js';

/** Never rejects. */
export type TellOutcome = (study: Study, place: Place) => Promise<void>;

export interface TellerDeps {
  readonly database: Database;
  readonly acceptOutcomes: (caller: KeyCaller, events: readonly OutcomeEvent[]) => Promise<unknown>;
  readonly logger: Logger;
}

export function createOutcomeTeller({ database, acceptOutcomes, logger }: TellerDeps): TellOutcome {
  return async (study, place) => {
    try {
      await acceptOutcomes(gateCaller(study), [outcomeOf(place)]).catch((error: unknown) => {
        // What is not taken today is not taken tomorrow.
        if (!(error instanceof Fault) || error.code !== 'VALIDATION_FAILED') throw error;
        logger.error({ err: error, placeId: place.placeId }, 'the outcome of a place was refused and is not told');
      });
      await inOrganization(database, place.organizationId, (tx) =>
        tx.query('UPDATE study_places SET outcome_due = false WHERE place_id = $1', [place.placeId]),
      );
    } catch (error) {
      logger.warn({ err: error, placeId: place.placeId }, 'an outcome was not told; the next round tells it');
    }
  };
}

const outcomeOf = ({ placeId, state, endedAt, respondentRef }: Place): OutcomeEvent => ({
  sessionId: placeId,
  occurredAt: (endedAt ?? new Date(0)).toISOString(),
  detail: { respondentId: respondentRef },
  ...(state === 'completed' ? { type: 'complete' } : { type: 'dq', reasonClass: 'fit' }),
});
