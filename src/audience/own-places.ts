/**
 * The place that a browser has in a study. Anyone may know the rid of an open link, so each browser that opens one has a place, and a session of
 * scoring, of its own: the id of the place follows from the browser’s secret cookie. The first one that takes a place is the respondent; the
 * others stand aside, with what the gate said of them.
 *
 *     respondent_ref   ref            the respondent’s place
 *                      ref.place_id   a place that stands aside
 */
import { idAt, makeId, timeOfId } from '../crypto/ids.js';
import type { Queryable } from '../stores/database/port.js';
import {
  isErased,
  findReservation,
  findRespondentReservation,
  openReservation,
  renameRespondent,
  reservationColumns,
  type QuotaReservation,
} from './reservation-store.js';
import type { Study } from './study-store.js';
import { isUndecided, letsHoldersFinish } from './transitions.js';

/** Keyed hash of an identifier within a project. */
export type HashIdentifier = (
  projectId: string,
  kind: 'respondent' | 'device' | 'address' | 'network' | 'place' | 'verification',
  value: string,
) => string;

/** A respondent, as the link names them, with the browser that asks for a place. */
export type Asking = Parameters<typeof openReservation>[2] & { readonly deviceRef: string };

/** The id of the place that a browser has or would have; it sorts with the respondent’s `known` place. */
export function ownPlaceId(
  { hash, now }: { readonly hash: HashIdentifier; readonly now: () => number },
  { studyId, projectId }: Study,
  { respondentRef, deviceRef, entry }: Pick<Asking, 'respondentRef' | 'deviceRef' | 'entry'>,
  known: QuotaReservation | null,
): string {
  // A signature proves the respondent, whatever browser they use.
  if (entry === 'signed') return known?.reservationId ?? makeId('reservation');
  const atMs = timeOfId('reservation', known?.reservationId ?? '') ?? now();
  const bits = hash(projectId, 'place', `${studyId}\n${respondentRef}\n${deviceRef}`);
  return idAt('reservation', atMs, Buffer.from(bits, 'hex'));
}

/** A signed respondent is the supplier's own: another supplier, or nobody at all, cannot stand for them with the same rid. */
export const respondentRefOf = (
  hash: HashIdentifier,
  { projectId }: Pick<Study, 'projectId'>,
  rid: string,
  { entry, supplierId }: Pick<QuotaReservation, 'entry' | 'supplierId'>,
): string => hash(projectId, 'respondent', entry === 'signed' ? `${supplierId ?? ''}\n${rid}` : rid);

/** The place that this browser took by a link of this kind, whose supplier was deleted since, whatever it was called. One of the link’s source comes first. */
export async function findPlaceOfBrowser(
  tx: Queryable,
  { projectId, studyId }: Pick<Study, 'projectId' | 'studyId'>,
  {
    respondentId,
    sourceId,
    deviceRef,
    entry,
  }: Pick<QuotaReservation, 'respondentId' | 'sourceId' | 'entry'> & { readonly deviceRef: string },
): Promise<QuotaReservation | null> {
  const [row] = await tx.query<QuotaReservation & Record<string, unknown>>(
    `SELECT ${reservationColumns} FROM study_places WHERE project_id = $1 AND respondent_id = $2 AND study_id = $3
        AND device_ref = $5 AND entry = $6 AND supplier_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM suppliers s WHERE s.supplier_id = study_places.supplier_id)
      ORDER BY source_id <> $4, place_id DESC LIMIT 1`,
    [projectId, respondentId, studyId, sourceId, deviceRef, entry],
  );
  return row ?? null;
}

/** The sender of a link. */
export type Sender = Pick<QuotaReservation, 'entry' | 'supplierId' | 'sourceId'>;

/** Whether the sender of a link is that of the place. A supplier may have another sourceId by now. */
const isSentBy = (place: QuotaReservation, sender: Sender): boolean =>
  place.supplierId !== null && sender.supplierId !== null
    ? place.supplierId === sender.supplierId
    : place.sourceId === sender.sourceId;

/** Whether the unproven id of an open link is that of somebody whom another sender brought. */
export const isOfOtherSender = (place: QuotaReservation, sender: Sender): boolean =>
  sender.entry === 'open' && !isUndecided(place) && !isSentBy(place, sender);

/** How far the respondent of a link has come: `held` may go on to the end of the study, and `ended` reads that it is over. */
export function progressOf(study: Study, place: QuotaReservation | null): 'new' | 'held' | 'ended' {
  if (place === null || isUndecided(place) || place.state === 'released' || isVacant(place)) return 'new';
  if (place.state !== 'verifying' && place.state !== 'surveying') return 'ended';
  return letsHoldersFinish(study.status) ? 'held' : 'new';
}

/** Whether no browser has got the place of an open link: it goes to the first one that passes the gate. */
export const isVacant = ({ entry, state, screenedFor }: QuotaReservation): boolean =>
  entry === 'open' && (state === 'entering' || (state === 'screened' && screenedFor !== 'verification'));

/** Whether another place is the respondent’s. */
export const isAside = ({ reservationId, respondentRef }: QuotaReservation): boolean =>
  respondentRef.endsWith(`.${reservationId}`);
/** The same in SQL. */
export const asideName = "right(respondent_ref, length(place_id) + 1) = '.' || place_id";

/** Whether the place stands open to a browser whose own id is another. */
export const isOpenTo = (place: QuotaReservation, ownId: string): boolean =>
  place.reservationId !== ownId && isVacant(place);

/** The own place of a browser that was screened out before, although another place is the respondent’s now; else null. */
export async function findAside(
  tx: Queryable,
  place: QuotaReservation,
  ownId: string,
): Promise<QuotaReservation | null> {
  const own = isOpenTo(place, ownId) ? await findReservation(tx, ownId) : null;
  return own === null || isUndecided(own) ? null : own;
}

/** Opens the browser’s place as one that stands aside, unless it is there. */
export async function openAside(tx: Queryable, study: Study, asking: Asking, ownId: string): Promise<void> {
  const own = await findReservation(tx, ownId);
  if (own === null) await openReservation(tx, study, { ...asking, respondentRef: scoredRef(asking, ownId) }, ownId);
}

/**
 * Makes the browser’s place that of the respondent, if no other browser took one meanwhile; answers the respondent’s place. The caller holds
 * the lock of the study.
 */
export async function claimPlace(
  tx: Queryable,
  study: Study,
  asking: Asking,
  ownId: string,
): Promise<QuotaReservation> {
  const { respondentRef } = asking;
  const current = await findRespondentReservation(tx, study.studyId, respondentRef);
  if (current !== null && !isOpenTo(current, ownId)) return current;
  const own = await findReservation(tx, ownId);
  if (own === null) throw new Error('a browser that was judged has no place');
  if (isErased(own) || !isUndecided(own)) return own;
  if (current !== null) await renameRespondent(tx, current, scoredRef(current, current.reservationId));
  return renameRespondent(tx, own, respondentRef);
}

/**
 * The respondent as scoring knows them. The rid of an open link is unproven: it has no history, and is nobody whom another browser repeats.
 * `findRespondentRefs` finds these names for an erasure.
 */
export const scoredRef = ({ entry, respondentRef }: Pick<Asking, 'entry' | 'respondentRef'>, placeId: string): string =>
  entry === 'open' ? `${respondentRef}.${placeId}` : respondentRef;
