/**
 * Reports the outcomes of places to scoring, and settles them with the events that scoring has, which may have come first. A report that failed is repeated by the next round; a repeated one counts once. The last report of an end,
 * a rejection or its withdrawal replaces the earlier ones, because it has the same event id. A withdrawal names the rejection, and has an id of its own: it counts also if the rejection is reported later.
 */
import { placeEventIds, retractionName, type OutcomeEvent } from '../contract/outcome.js';
import { Fault } from '../errors.js';
import type { DataOwner } from '../kernel/caller.js';
import { columnsOf } from '../stores/database/columns.js';
import type { Database } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import type { Logger } from '../telemetry/logger.js';
import { dataOwnerOf } from './gate.js';
import type { SettlePlaces } from './place-settlement.js';
import type { QuotaReservation } from './reservation-store.js';
import { restoredEndOf } from './return-rules.js';
import type { Study } from './study-store.js';

/** Reports for one study. Never rejects. */
export type ReportOutcomes = (study: Study, reservations: readonly QuotaReservation[]) => Promise<void>;

export interface OutcomeReporterDeps {
  readonly database: Database;
  /** It settles the places of the events. */
  readonly acceptOutcomes: (owner: DataOwner, events: readonly OutcomeEvent[]) => Promise<unknown>;
  readonly settlePlaces: SettlePlaces;
  readonly logger: Logger;
}

export function createOutcomeReporter({
  database,
  acceptOutcomes,
  settlePlaces,
  logger,
}: OutcomeReporterDeps): ReportOutcomes {
  return async (study, reservations) => {
    const ids = reservations.map(({ reservationId }) => reservationId);
    if (ids.length === 0) return;
    const events = reservations.flatMap(outcomesOf);
    try {
      if (events.length > 0)
        await acceptOutcomes(dataOwnerOf(study), events).catch((error: unknown) => {
          // An invalid event stays invalid, so it is not repeated.
          if (!(error instanceof Fault) || error.code !== 'VALIDATION_FAILED') throw error;
          logger.error({ err: error, ids }, 'outcomes of quota reservations were refused and are not reported');
        });
      const reported = new Set(events.map(({ sessionId }) => sessionId));
      await settlePlaces(
        study,
        ids.filter((id) => !reported.has(id)),
      );
      await inOrganization(database, study.organizationId, (tx) =>
        // A reservation that changed meanwhile is reported again in its new state.
        tx.query(
          `UPDATE study_places p SET outcome_due = (p.completion, p.refused_for, p.reversed_from, p.reversed_at) IS DISTINCT FROM (given.completion, given.refused_for, given.reversed_from, given.reversed_at)
             FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[]) AS given (place, completion, refused_for, reversed_from, reversed_at) WHERE p.place_id = given.place`,
          columnsOf(reservations, 'reservationId', 'completion', 'refusedFor', 'reversedFrom', 'reversedAt'),
        ),
      );
    } catch (error) {
      logger.warn({ err: error, ids }, 'outcomes were not reported; the next round reports them');
    }
  };
}

/** Scoring learns how the interview ended, and whether its complete was rejected later. */
function outcomesOf(place: QuotaReservation): readonly OutcomeEvent[] {
  const event = { sessionId: place.reservationId, detail: { respondentId: place.respondentRef } };
  return [...endOf(place, event), ...reversalOf(place, event)];
}

type EventBase = Pick<OutcomeEvent, 'sessionId' | 'detail'>;

function endOf(place: QuotaReservation, event: EventBase): readonly OutcomeEvent[] {
  const occurredAt = (place.returnedAt ?? new Date(0)).toISOString();
  const stated = { ...event, occurredAt, eventId: `${placeEventIds}end:${place.reservationId}` };
  const { completion, refusedFor } = place.completion === 'reversed' ? restoredEndOf(place) : place;
  if (completion !== null) return completion === 'confirmed' ? [{ ...stated, type: 'complete' }] : [];
  // A complete that found no room says nothing of the respondent.
  if (refusedFor === null) return [];
  return refusedFor === 'quality'
    ? [{ ...stated, type: 'quality_term', reasonClass: 'quality' }]
    : [{ ...stated, type: 'dq', reasonClass: 'fit' }];
}

function reversalOf(
  { reservationId, reversedAt, reversedBy, refusedFor }: QuotaReservation,
  event: EventBase,
): readonly OutcomeEvent[] {
  if (reversedAt === null) return [];
  const rejection = { type: 'reconciliation', occurredAt: reversedAt.toISOString() } as const;
  const stated: OutcomeEvent = {
    ...{ ...event, ...rejection, eventId: `${placeEventIds}reversal:${reservationId}` },
    reasonClass: refusedFor ?? 'unknown',
  };
  // An outcome event that rejects the place speaks for itself.
  if (reversedBy !== null && reversedBy !== 'outcome') return [stated];
  const withdrawal = { name: retractionName, of: rejection };
  const eventId = `${placeEventIds}withdrawal:${reservationId}`;
  return [stated, { ...event, eventId, type: 'custom', occurredAt: rejection.occurredAt, detail: withdrawal }];
}
