/**
 * Reversals of completes: a place that was completed is given back with its quota, in the transaction that notes why, and a withdrawal takes it
 * again. Both are repeatable. A withdrawal asks for no room: the interview was done, so a study may end above its sample.
 *
 *     completed ──dispute, return, outcome event──▶ reversed ──withdrawn, or the event is retracted──▶ completed
 */
import type { ReasonClass } from '../contract/outcome.js';
import type { Completion } from '../contract/study-replies.js';
import type { Queryable } from '../stores/database/port.js';
import { applyEvent } from './fielding.js';
import type { QuotaReservation, ReversedBy } from './reservation-store.js';
import type { Study } from './study-store.js';

/** Why a complete is rejected. */
export interface Rejection {
  readonly by: ReversedBy;
  readonly reason: ReasonClass;
  readonly note: string | null;
  /** null: scoring knows of it. */
  readonly at: Date | null;
}

export const isReversed = ({ completion }: Pick<QuotaReservation, 'completion'>): boolean => completion === 'reversed';

/** Whether a complete counts: the browser’s own word does if the study takes it. */
export const countsAs = (completion: Completion, { returns }: Pick<Study, 'returns'>): boolean =>
  completion === 'confirmed' || (completion === 'unconfirmed' && returns === 'browser');

/** Rejects the complete of a locked place. */
export const reverse = (
  tx: Queryable,
  study: Study,
  place: QuotaReservation,
  { by, reason, note, at }: Rejection,
): Promise<QuotaReservation> =>
  applyEvent(tx, study, place, 'reverse', {
    change: {
      ...{ completion: 'reversed', refusedFor: reason, reversedBy: by, reversalNote: note },
      reversedFrom: place.completion === null || place.completion === 'reversed' ? 'confirmed' : place.completion,
      ...(at === null ? {} : { reversedAt: at, outcomeDue: true }),
    },
  });

/** Withdraws the rejection of a locked place. */
export function restore(tx: Queryable, study: Study, place: QuotaReservation): Promise<QuotaReservation> {
  const completion = place.reversedFrom ?? 'confirmed';
  return applyEvent(tx, study, place, 'restore', {
    change: {
      ...{ completion, verified: countsAs(completion, study), refusedFor: null, reversedBy: null },
      ...{ reversedFrom: null, reversalNote: null },
      ...(place.reversedBy === 'outcome' ? {} : { outcomeDue: true }),
    },
  });
}
