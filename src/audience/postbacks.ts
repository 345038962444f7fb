/** Reports to suppliers, from server to server, what became of their respondents: each status of a place once, when it changes. */
import {
  postbackType,
  type ArrivedPostback,
  type PlaceStatus,
  type PostbackEvent,
  type PostbackPlace,
  type WaitingPostback,
} from '../contract/postback.js';
import type { PostbackHealth } from '../contract/postback-health.js';
import type { DeliveryPage, PostbackQuery } from '../contract/webhook.js';
import { makeId } from '../crypto/ids.js';
import type { SecretStore } from '../administration/secret-store.js';
import type { Page } from '../kernel/paging.js';
import { columnsOf } from '../stores/database/columns.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { exitStatusOf } from './exits.js';
import { isAside } from './own-places.js';
import { isErased, reservationColumns, type QuotaReservation } from './reservation-store.js';
import { placeholderValues } from './supplier-rules.js';
import { findPostbackSuppliers, type PostbackSupplier } from './supplier-store.js';

/** The engine that delivers, retries and shows them. */
export interface PostbackDeliveries {
  /** Follows the address and the secret of a supplier, in the transaction that changed them. */
  keepTarget(tx: Queryable, supplierId: string): Promise<void>;
  /**
   * Deletes what has not arrived of the same places: a supplier learns of no status after a later one. Returns the places; those that an erasure
   * has marked get none.
   */
  insert(
    tx: Queryable,
    postbacks: readonly { readonly supplierId: string; readonly event: PostbackEvent }[],
  ): Promise<ReadonlySet<string>>;
  /** Those of the places of which a postback has not arrived; nothing of them arrives any more until the transaction ends. */
  findWaiting(tx: Queryable, places: readonly PostbackPlace[]): Promise<readonly WaitingPostback[]>;
  /** A page of the places of a supplier of which one has not arrived, from `after` on; `next` is null at the end. */
  findUndelivered(
    tx: Queryable,
    supplierId: string,
    after: string,
  ): Promise<{ readonly places: readonly string[]; readonly next: string | null }>;
  list(tx: Queryable, supplierId: string, query: PostbackQuery, page: Page): Promise<DeliveryPage>;
  replay(tx: Queryable, supplierId: string, deliveryId: string): Promise<boolean>;
  /** Sends again what failed in the period; returns how many. */
  recover(tx: Queryable, supplierId: string, sinceMs: number, untilMs: number): Promise<number>;
  /** Reads whether postbacks go out, of each supplier that has an address. */
  readHealth(tx: Queryable, supplierIds: readonly string[]): Promise<ReadonlyMap<string, PostbackHealth>>;
}

export interface PostbackDeps {
  readonly database: Database;
  readonly secrets: SecretStore;
  readonly postbacks: Pick<PostbackDeliveries, 'insert'>;
  readonly now: () => number;
}

const batchMax = 200;

/**
 * Every organization that waits has a share of the batch: a flood of one holds back no other. It is looked up as a range of one, which holds the planner
 * to the index of what is due: in the order of the ids alone it might walk through all places.
 */
const takeDue = `WITH RECURSIVE waiting (organization_id) AS (
    (SELECT organization_id FROM study_places WHERE exit_due ORDER BY organization_id LIMIT 1)
     UNION ALL
    SELECT later.organization_id FROM waiting, LATERAL (
      SELECT organization_id FROM study_places WHERE exit_due AND organization_id > waiting.organization_id ORDER BY organization_id LIMIT 1) AS later),
   chosen AS (SELECT organization_id, count(*) OVER () AS shares FROM (SELECT * FROM waiting ORDER BY random() LIMIT ${batchMax}) AS drawn)
  SELECT due.* FROM chosen, LATERAL (
    SELECT ${reservationColumns} FROM study_places p
     WHERE exit_due AND p.organization_id >= chosen.organization_id AND p.organization_id <= chosen.organization_id
     ORDER BY p.organization_id, place_id LIMIT ${batchMax} / chosen.shares FOR UPDATE SKIP LOCKED) AS due`;

/**
 * Writes a batch of the postbacks that are due; returns how many places it checked. The postback and the note at the place are written in one
 * transaction, so that a status is sent once, however many instances look and wherever one of them ends. A place of an erased respondent is marked
 * as unsent instead: a supplier could match the postback by the rid alone, which is gone. So is one of a supplier that was deleted.
 */
export function writePostbacks({ database, secrets, postbacks, now }: PostbackDeps): Promise<number> {
  return database.transaction(async (tx) => {
    const places = await tx.query<QuotaReservation & Record<string, unknown>>(takeDue);
    if (places.length === 0) return 0;
    const suppliers = await findPostbackSuppliers(tx, [...new Set(places.map((place) => place.supplierId ?? ''))]);
    const due = places.flatMap((place) => {
      const supplier = suppliers.get(place.supplierId ?? '');
      const status = statusOf(place);
      // A reversal is of a complete that the supplier may know, by a postback or by the redirect.
      const isNews = status !== place.exitStatus && (status !== 'reversed' || place.hasCounted);
      // The supplier knows a respondent by the rid, which is another browser’s while this one stands aside.
      const isFor = place.supplierId !== null && !isAside(place) && supplier?.isAddressed !== false;
      return isFor && status !== null && isNews ? [{ place, supplier, status }] : [];
    });
    const sent = due.flatMap(({ place, supplier, status }) =>
      supplier === undefined || isErased(place)
        ? []
        : [{ supplierId: supplier.supplierId, event: eventOf(place, status, supplier, { secrets, now }) }],
    );
    const written = await postbacks.insert(tx, sent);
    const statuses = new Map(
      sent.filter(({ event }) => written.has(event.sessionId)).map(({ event }) => [event.sessionId, event.data.status]),
    );
    const unsent = due.flatMap(({ place: { reservationId } }) => (statuses.has(reservationId) ? [] : [reservationId]));
    await tx.query(
      `UPDATE study_places p SET exit_due = false, exit_status = coalesce(given.status, p.exit_status), unsent = p.place_id = ANY($3::text[])
         FROM unnest($1::text[], $2::text[]) AS given (place, status) WHERE p.place_id = given.place`,
      [
        places.map(({ reservationId }) => reservationId),
        places.map(({ reservationId }) => statuses.get(reservationId) ?? null),
        unsent,
      ],
    );
    return places.length;
  });
}

/** The status to send. Whatever becomes of a complete that counted, it is reversed while it does not count. */
const statusOf = (place: QuotaReservation): PlaceStatus | null =>
  place.hasCounted && !place.counted ? 'reversed' : exitStatusOf(place);

function eventOf(
  { reservationId, studyId, organizationId, projectId, respondentId, entry }: QuotaReservation,
  status: PlaceStatus,
  supplier: PostbackSupplier,
  { secrets, now }: Pick<PostbackDeps, 'secrets' | 'now'>,
): PostbackEvent {
  const exit = { studyId, placeId: reservationId, rid: respondentId, status, entry };
  return {
    eventId: makeId('event'),
    type: postbackType,
    ...{ organizationId, projectId, sessionId: reservationId, isDemo: supplier.isTest },
    occurredAt: new Date(now()).toISOString(),
    data: { study_id: studyId, place_id: reservationId, rid: respondentId, status, entry },
    placeholders: placeholderValues(exit, secrets.open(supplier.supplierId, supplier).current),
  };
}

/** A transaction that deletes the postbacks of places marks with this those that wait. The places are locked, so that no other is written meanwhile. */
export async function markWaiting(
  tx: Queryable,
  ids: readonly string[],
  { findWaiting }: Pick<PostbackDeliveries, 'findWaiting'>,
): Promise<void> {
  const places = await tx.query<PostbackPlace & Record<string, unknown>>(
    `SELECT supplier_id AS "supplierId", project_id AS "projectId", place_id AS place FROM study_places
      WHERE place_id = ANY($1::text[]) AND supplier_id IS NOT NULL ORDER BY place_id FOR UPDATE`,
    [ids],
  );
  if (places.length === 0) return;
  const waiting = await findWaiting(tx, places);
  // A later status is compared with the one that has arrived.
  await tx.query(
    `UPDATE study_places p SET unsent = true, exit_due = true, exit_status = given.arrived
       FROM unnest($1::text[], $2::text[]) AS given (place, arrived) WHERE p.place_id = given.place`,
    columnsOf(waiting, 'place', 'arrived'),
  );
}

/** The same of all places of a supplier that is deleted. */
export async function markUndelivered(
  tx: Queryable,
  supplierId: string,
  { findUndelivered, findWaiting }: Pick<PostbackDeliveries, 'findUndelivered' | 'findWaiting'>,
): Promise<void> {
  for (let after: string | null = ''; after !== null;) {
    const { places, next }: Awaited<ReturnType<typeof findUndelivered>> = await findUndelivered(tx, supplierId, after);
    await markWaiting(tx, places, { findWaiting });
    after = next;
  }
}

/** Notes what a supplier took after its delivery was given up: it was on its way. The next round compares again. */
export const noteArrived = async (tx: Queryable, arrived: readonly ArrivedPostback[]): Promise<void> =>
  void (await tx.query(
    `UPDATE study_places p SET exit_due = true, exit_status = given.status
       FROM unnest($1::text[], $2::text[]) AS given (place, status) WHERE p.place_id = given.place AND p.unsent`,
    columnsOf(arrived, 'place', 'status'),
  ));
