/**
 * Reversals of completes: a place that was completed is given back with its quota, in the transaction that notes why, and a withdrawal takes it
 * again. Both are repeatable. A withdrawal asks for no room: the interview was done, so a study may end above its sample. Who holds a place then
 * keeps it.
 *
 *     completed ──dispute, return, outcome event──▶ reversed ──withdrawn, or the event is retracted──▶ completed
 */
import type { ReasonClass } from '../contract/outcome.js';
import type { ReversedBy } from '../contract/study-replies.js';
import type { Queryable } from '../stores/database/port.js';
import { applyEvent } from './fielding.js';
import {
  changeReservation,
  changeReservations,
  noteReversals,
  type QuotaReservation,
  type ReservationChange,
  type StandingWord,
} from './reservation-store.js';
import { restoredEndOf, returnedByAfterWithdrawal } from './return-rules.js';
import { hasRoom } from './room.js';
import { countsAs } from './study-rules.js';
import type { Study } from './study-store.js';
import { decide } from './transitions.js';

/** Why a complete is rejected. */
export interface Rejection {
  readonly by: ReversedBy;
  readonly reason: ReasonClass;
  readonly note: string | null;
  /** null: scoring knows of it. */
  readonly at: Date | null;
  /** The source of a return that rejects it. */
  readonly returnedBy?: StandingWord;
}

export const isReversed = ({ completion }: Pick<QuotaReservation, 'completion'>): boolean => completion === 'reversed';

/** Rejects the completes of locked places of one study, those alike together; others stay as they are. */
export async function reverseAll(
  tx: Queryable,
  study: Study,
  rejected: readonly { readonly place: QuotaReservation; readonly rejection: Rejection }[],
): Promise<readonly QuotaReservation[]> {
  const groups = new Map<string, { readonly places: QuotaReservation[]; readonly change: ReservationChange }>();
  for (const { place, rejection } of rejected) {
    const next = decide('reverse', study, place);
    if (next === null) continue;
    const change = { state: next.to, verified: false, counted: false, ...changeOf(place, rejection) };
    const key = JSON.stringify(change);
    const group = groups.get(key) ?? { places: [], change };
    group.places.push(place);
    groups.set(key, group);
  }
  const changed: QuotaReservation[] = [];
  for (const { places, change } of groups.values()) changed.push(...(await changeReservations(tx, places, change)));
  await noteReversals(
    tx,
    rejected.flatMap(({ place: { reservationId }, rejection: { note } }) =>
      note === null ? [] : [{ reservationId, note }],
    ),
  );
  return changed;
}

const changeOf = ({ completion }: QuotaReservation, { by, reason, at, returnedBy }: Rejection): ReservationChange => ({
  ...{ completion: 'reversed', refusedFor: reason, reversedBy: by },
  reversedFrom: completion === null || completion === 'reversed' ? 'confirmed' : completion,
  ...(at === null ? {} : { reversedAt: at, outcomeDue: true }),
  ...(returnedBy === undefined ? {} : { returnedBy }),
});

/** Withdraws the rejection of a locked place; `returnedBy`: the stronger source that does. A place that a return refused meanwhile ends so. */
export async function restore(
  tx: Queryable,
  study: Study,
  place: QuotaReservation,
  returnedBy = returnedByAfterWithdrawal(place),
): Promise<QuotaReservation> {
  const end = restoredEndOf(place);
  const change: ReservationChange = {
    ...{ ...end, returnedBy, reversedBy: null, reversedFrom: null, reversalNote: null },
    ...(place.reversedBy === 'outcome' ? {} : { outcomeDue: true }),
  };
  if (end.completion === null) return changeReservation(tx, place, change);
  const aboveSample = !(await hasRoom(tx, study, place.reservationId, 'held'));
  const counted = countsAs(end.completion, study);
  return applyEvent(tx, study, place, 'restore', { change: { ...change, counted, aboveSample } });
}
