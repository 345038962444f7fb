/**
 * Brings places in line with the outcome events of their sessions: an event that rejects a complete reverses it, its correction corrects the
 * reason, and its retraction restores it, in whichever order events and completes come. Repeating it changes nothing.
 */
import type { ReasonClass } from '../contract/outcome.js';
import type { DataOwner } from '../kernel/caller.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import { underStudyLock } from './fielding.js';
import { dataOwnerOf } from './gate.js';
import { changeReservation, findReservations, isReservationId, type QuotaReservation } from './reservation-store.js';
import { restore, reverseAll } from './reversals.js';
import { findStudy, type Study } from './study-store.js';

/** Finds the sessions that outcome events reject now, with the reason. It omits the reports of this capability itself. */
export type FindRejections = (
  owner: DataOwner,
  sessionIds: readonly string[],
) => Promise<ReadonlyMap<string, ReasonClass>>;

/** Settles the places of these sessions. */
export type SettlePlaces = (owner: Pick<DataOwner, 'organizationId'>, sessionIds: readonly string[]) => Promise<void>;

export interface SettlementDeps {
  readonly database: Database;
  readonly findRejections: FindRejections;
}

/** Places under one lock of their study; respondents who come and go wait for no more. */
const batchMax = 50;
/** Events may come between reading and writing; each pass reads again. */
const passesMax = 3;

/** Sessions that are no places of the organization are none of its business. */
export const createPlaceSettlement =
  (deps: SettlementDeps): SettlePlaces =>
  async ({ organizationId }, sessionIds) => {
    const named = [...new Set(sessionIds)].filter(isReservationId);
    for (let from = 0; from < named.length; from += batchMax) {
      const places = await inOrganization(deps.database, organizationId, (tx) =>
        findReservations(tx, named.slice(from, from + batchMax)),
      );
      for (const studyId of new Set(places.map((place) => place.studyId))) {
        const study = await findStudy(deps.database, studyId);
        const ids = places.flatMap((place) => (place.studyId === studyId ? [place.reservationId] : []));
        if (study !== null) await settle(deps, study, ids);
      }
    }
  };

async function settle(
  { database, findRejections }: SettlementDeps,
  study: Study,
  ids: readonly string[],
): Promise<void> {
  for (let pass = 0, isSettled = false; pass < passesMax && !isSettled; pass++) {
    const rejections = await findRejections(dataOwnerOf(study), ids);
    const changes = await underStudyLock(database, study, async (tx, current) =>
      settleAll(tx, current, await findReservations(tx, ids), rejections),
    );
    isSettled = changes === 0;
  }
}

async function settleAll(
  tx: Queryable,
  study: Study,
  places: readonly QuotaReservation[],
  rejections: ReadonlyMap<string, ReasonClass>,
): Promise<number> {
  const rejected = places.flatMap((place) => {
    const reason = rejections.get(place.reservationId);
    return reason === undefined ? [] : [{ place, rejection: { by: 'outcome', reason, note: null, at: null } as const }];
  });
  const reversed = await reverseAll(tx, study, rejected);
  const restored = places.filter(
    ({ reservationId, reversedBy }) => reversedBy === 'outcome' && !rejections.has(reservationId),
  );
  for (const place of restored) await restore(tx, study, place);
  const corrected = rejected.filter(
    ({ place, rejection }) => place.reversedBy === 'outcome' && place.refusedFor !== rejection.reason,
  );
  for (const { place, rejection } of corrected) await changeReservation(tx, place, { refusedFor: rejection.reason });
  return reversed.length + restored.length + corrected.length;
}
