/**
 * Postbacks of suppliers are deliveries to a webhook that has the supplier’s id, address and secret, and no project: no event of a session goes
 * there, and no list of webhooks shows it.
 */
import type { PostbackEvent, PostbackPlace, WaitingPostback } from '../contract/postback.js';
import type { DeliveryPage, PostbackQuery } from '../contract/webhook.js';
import type { Page } from '../kernel/paging.js';
import { columnsOf } from '../stores/database/columns.js';
import type { Queryable, Row } from '../stores/database/port.js';
import { listDeliveries, recoverDeliveries, replayDelivery } from './delivery-log.js';
import { deliveryIdOf, insertDeliveries } from './delivery-store.js';
import { deliveryOf, storedForm } from './fan-out.js';
import { readEndpointHealth, unpark } from './webhook-store.js';

/** Deliveries of a page of those that have not arrived. */
const undeliveredMax = 500;

/** The keys of the postbacks of places, which follow from their events. */
async function keysOf(tx: Queryable, places: readonly PostbackPlace[]): Promise<readonly (readonly string[])[]> {
  const events = await tx.query<{ supplier: string; event: string }>(
    `SELECT DISTINCT supplier, e.event_id AS event FROM unnest($1::text[], $2::text[], $3::text[]) AS given (supplier, project, place)
       JOIN webhook_events e ON e.project_id = given.project AND e.session_id = given.place`,
    columnsOf(places, 'supplierId', 'projectId', 'place'),
  );
  return [events.map(({ supplier }) => supplier), events.map(({ supplier, event }) => deliveryIdOf(event, supplier))];
}

/**
 * Those of the places of which a postback has not arrived, with the last status that has. Until the transaction ends, no other arrives: a result
 * that comes later finds its delivery deleted, or changed.
 */
async function findWaiting(tx: Queryable, places: readonly PostbackPlace[]): Promise<readonly WaitingPostback[]> {
  return tx.query<WaitingPostback & Row>(
    `WITH d AS MATERIALIZED (
       SELECT d.* FROM unnest($1::text[], $2::text[]) AS key (webhook_id, delivery_id) JOIN deliveries d USING (webhook_id, delivery_id)
        ORDER BY webhook_id, delivery_id FOR UPDATE OF d)
     SELECT d.session_id AS place,
            (array_agg(e.body::jsonb -> 'data' ->> 'status' ORDER BY d.delivery_id DESC) FILTER (WHERE d.state = 'SUCCEEDED'))[1] AS arrived
       FROM d JOIN webhook_events e ON e.event_id = d.event_id
      GROUP BY d.session_id HAVING bool_or(d.state <> 'SUCCEEDED')`,
    await keysOf(tx, places),
  );
}

/** Deletes the postbacks of places that have not arrived, but for those in `kept`. One that is on its way may still, but is not tried again. */
async function deleteWaiting(tx: Queryable, places: readonly PostbackPlace[], kept: readonly string[]): Promise<void> {
  await tx.query(
    `WITH gone AS (
       DELETE FROM deliveries d USING unnest($1::text[], $2::text[]) AS key (webhook_id, delivery_id)
        WHERE d.webhook_id = key.webhook_id AND d.delivery_id = key.delivery_id AND d.state <> 'SUCCEEDED' AND d.delivery_id <> ALL($3::text[])
       RETURNING d.webhook_id, d.delivery_id, d.event_id),
     attempted AS (
       DELETE FROM delivery_attempts a USING gone WHERE a.webhook_id = gone.webhook_id AND a.delivery_id = gone.delivery_id)
     DELETE FROM webhook_events e USING gone WHERE e.event_id = gone.event_id`,
    [...(await keysOf(tx, places)), kept],
  );
}

export const postbackDeliveries = {
  /** Follows the supplier’s row, in the transaction that changed it. Without an address there is none. */
  async keepTarget(tx: Queryable, supplierId: string): Promise<void> {
    await tx.query(
      `DELETE FROM webhooks WHERE webhook_id = $1
          AND NOT EXISTS (SELECT 1 FROM suppliers WHERE supplier_id = $1 AND postback_url IS NOT NULL)`,
      [supplierId],
    );
    await tx.query(
      `INSERT INTO webhooks (webhook_id, organization_id, url, events, payload_version, enabled, include_test, sealed, previous_sealed, previous_until)
       SELECT supplier_id, organization_id, postback_url, '{}', 'v2', true, true, sealed, previous_sealed, previous_until
         FROM suppliers WHERE supplier_id = $1 AND postback_url IS NOT NULL
       ON CONFLICT (webhook_id) DO UPDATE SET url = excluded.url, sealed = excluded.sealed, previous_sealed = excluded.previous_sealed,
         previous_until = excluded.previous_until, parked_at = NULL, parked_until = NULL, parked_count = 0, parked_reason = NULL`,
      [supplierId],
    );
  },

  async insert(
    tx: Queryable,
    postbacks: readonly { readonly supplierId: string; readonly event: PostbackEvent }[],
  ): Promise<ReadonlySet<string>> {
    if (postbacks.length === 0) return new Set();
    const deliveries = postbacks.map(({ supplierId, event }) => deliveryOf(event, supplierId, false));
    const events = postbacks.map(({ event }) => storedForm(event));
    const made = (await insertDeliveries(tx, events, deliveries, 0)).map(({ deliveryId }) => deliveryId);
    const written = postbacks.filter((_postback, n) => made.includes(deliveries[n]?.deliveryId ?? ''));
    await deleteWaiting(
      tx,
      written.map(({ supplierId, event: { projectId, sessionId: place } }) => ({ supplierId, projectId, place })),
      made,
    );
    return new Set(written.map(({ event }) => event.sessionId));
  },

  findWaiting,

  async findUndelivered(
    tx: Queryable,
    supplierId: string,
    after: string,
  ): Promise<{ readonly places: readonly string[]; readonly next: string | null }> {
    const rows = await tx.query<{ place: string; deliveryId: string } & Row>(
      `SELECT d.session_id AS place, d.delivery_id AS "deliveryId" FROM deliveries d
        WHERE d.webhook_id = $1 AND d.state <> 'SUCCEEDED' AND d.delivery_id > $2 ORDER BY d.delivery_id LIMIT ${undeliveredMax}`,
      [supplierId, after],
    );
    const last = rows.length < undeliveredMax ? null : (rows.at(-1)?.deliveryId ?? null);
    return { places: rows.map(({ place }) => place), next: last };
  },

  list(tx: Queryable, supplierId: string, { state }: PostbackQuery, page: Page): Promise<DeliveryPage> {
    const owner = { projectId: '', webhookId: supplierId, payloadVersion: 'v2' } as const;
    return listDeliveries(tx, owner, state === undefined ? {} : { state }, page);
  },

  /** Sends one again, also to an address that is parked. False where there is no such delivery. */
  async replay(tx: Queryable, supplierId: string, deliveryId: string): Promise<boolean> {
    if (!(await replayDelivery(tx, supplierId, deliveryId))) return false;
    await unpark(tx, supplierId);
    return true;
  },

  /** Sends again what failed in the period, also to an address that is parked. */
  async recover(tx: Queryable, supplierId: string, sinceMs: number, untilMs: number): Promise<number> {
    const requeued = await recoverDeliveries(tx, supplierId, sinceMs, untilMs);
    await unpark(tx, supplierId);
    return requeued;
  },

  readHealth: readEndpointHealth,
};
