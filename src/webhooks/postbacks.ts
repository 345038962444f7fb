/**
 * Postbacks of suppliers are deliveries to a webhook that has the supplier’s id, address and secret, and no project: no event of a session goes
 * there, and no list of webhooks shows it.
 */
import type { PostbackEvent, WaitingPostback } from '../contract/postback.js';
import type { PostbackHealth } from '../contract/postback-health.js';
import type { DeliveryReply, PostbackQuery } from '../contract/webhook.js';
import type { Page } from '../kernel/paging.js';
import type { Queryable, Row } from '../stores/database/port.js';
import { listDeliveries, recoverDeliveries, replayDelivery } from './delivery-log.js';
import { insertDeliveries } from './delivery-store.js';
import { deliveryOf, storedForm } from './fan-out.js';
import { readEndpointHealth, unpark } from './webhook-store.js';

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
  ): Promise<void> {
    if (postbacks.length === 0) return;
    await insertDeliveries(
      tx,
      postbacks.map(({ event }) => storedForm(event)),
      postbacks.map(({ supplierId, event }) => deliveryOf(event, supplierId, false)),
      0,
    );
  },

  /** Those of the places of which a postback to these suppliers has not arrived, with the last status that has. */
  findWaiting(
    tx: Queryable,
    supplierIds: readonly string[],
    placeIds: readonly string[],
  ): Promise<readonly WaitingPostback[]> {
    return tx.query<WaitingPostback & Row>(
      `SELECT d.session_id AS place,
              (array_agg(e.body::jsonb -> 'data' ->> 'status' ORDER BY d.delivery_id DESC) FILTER (WHERE d.state = 'SUCCEEDED'))[1] AS arrived
         FROM deliveries d JOIN webhook_events e ON e.event_id = d.event_id
        WHERE d.webhook_id = ANY($1::text[]) AND d.session_id = ANY($2::text[])
        GROUP BY d.session_id HAVING bool_or(d.state <> 'SUCCEEDED')`,
      [supplierIds, placeIds],
    );
  },

  /** The same of all places of one supplier: each has a delivery that is pending or exhausted. */
  async findUndelivered(tx: Queryable, supplierId: string): Promise<readonly WaitingPostback[]> {
    const places = await tx.query<{ place: string }>(
      `SELECT DISTINCT session_id AS place FROM deliveries
        WHERE webhook_id = $1 AND (state = 'PENDING' OR state = 'EXHAUSTED')`,
      [supplierId],
    );
    return this.findWaiting(
      tx,
      [supplierId],
      places.map(({ place }) => place),
    );
  },

  list(
    tx: Queryable,
    supplierId: string,
    { state }: PostbackQuery,
    page: Page,
  ): Promise<{ readonly deliveries: DeliveryReply[]; readonly nextCursor: string | null }> {
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

  readHealth: (tx: Queryable, supplierIds: readonly string[]): Promise<ReadonlyMap<string, PostbackHealth>> =>
    readEndpointHealth(tx, supplierIds),
};
