/**
 * The rows of deliveries as the sender works on them: made, leased, and given their result.
 *
 *   made ──lease (token 1)──▶ with a sender ──result: the token is still the latest──▶ next attempt pending, or ended
 *                                └──the lease ends first──▶ leased again (token 2); a late result of token 1 changes nothing
 *
 * Every statement is a transaction of its own. Times are the database’s, so that senders need not agree on one.
 */
import { createHash } from 'node:crypto';
import type { ArrivedPostback, DeliveredType } from '../contract/postback.js';
import type { AttemptState } from '../contract/webhook.js';
import { columnsOf } from '../stores/database/columns.js';
import type { Queryable, Row } from '../stores/database/port.js';
import type { Lane } from './delivery-queue.js';

export type DeliveryKey = { readonly webhookId: string; readonly deliveryId: string };

export interface NewDelivery extends DeliveryKey {
  readonly organizationId: string;
  readonly eventId: string;
  readonly eventType: DeliveredType;
  readonly sessionId: string;
  /** Whether this process sends it itself. */
  readonly leased: boolean;
}

export interface NewEvent {
  readonly eventId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly sessionId: string;
  readonly body: string;
}

/** The mark of an erased session, as SQL over the names of two columns. */
export const sessionMark = (project: string, session: string): string =>
  `sha256(convert_to(${project} || chr(10) || ${session}, 'UTF8'))`;

/** One id for each pair of event and webhook, sorted by the event’s time. */
export function deliveryIdOf(eventId: string, webhookId: string): string {
  const own = createHash('sha256').update(`${eventId}\n${webhookId}`).digest('hex');
  return `dlv_${eventId.slice('evt_'.length).slice(0, 16)}${own.slice(0, 16)}`;
}

/** Writes deliveries and their events, but for sessions that were erased; answers which deliveries were not there yet. */
export async function insertDeliveries(
  database: Queryable,
  events: readonly NewEvent[],
  deliveries: readonly NewDelivery[],
  leaseMs: number,
): Promise<readonly DeliveryKey[]> {
  return database.query<DeliveryKey>(
    `WITH erased AS (
       SELECT event FROM unnest($1::text[], $3::text[], $4::text[]) AS given (event, project, session)
        WHERE EXISTS (SELECT 1 FROM erased_sessions WHERE mark = ${sessionMark('project', 'session')})),
     written AS (
       INSERT INTO webhook_events (event_id, organization_id, project_id, session_id, body)
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS given (event, organization, project, session, body)
        WHERE event NOT IN (SELECT event FROM erased) ON CONFLICT DO NOTHING)
     INSERT INTO deliveries (webhook_id, delivery_id, organization_id, event_id, event_type, session_id, leased, token, due_at)
     SELECT webhook, delivery, organization, event, type, session, is_leased, CASE WHEN is_leased THEN 1 ELSE 0 END,
            CASE WHEN is_leased THEN now() + $13 * interval '1 millisecond' ELSE now() END
       FROM unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::boolean[])
         AS row (webhook, delivery, organization, event, type, session, is_leased)
      WHERE event NOT IN (SELECT event FROM erased)
     ON CONFLICT DO NOTHING RETURNING webhook_id AS "webhookId", delivery_id AS "deliveryId"`,
    [
      ...columnsOf(events, 'eventId', 'organizationId', 'projectId', 'sessionId', 'body'),
      ...columnsOf(deliveries, 'webhookId', 'deliveryId', 'organizationId', 'eventId', 'eventType', 'sessionId'),
      deliveries.map(({ leased }) => leased),
      leaseMs,
    ],
    { recurring: true },
  );
}

/** Endpoints looked at in one round; the next round goes on behind the last of them. */
const endpointsPerRound = 500;

export interface DueEndpoint {
  readonly organizationId: string;
  readonly webhookId: string;
  /** It is parked and its wait is over: one attempt may go through. */
  readonly isProbe: boolean;
}

/** Endpoints from `after` on (in the order of their ids) that have something due and may be sent to; `next` is where the next round starts. */
export async function findDueEndpoints(
  database: Queryable,
  lane: Lane,
  after: string,
): Promise<{ readonly endpoints: readonly DueEndpoint[]; readonly next: string }> {
  const rows = await database.query<DueEndpoint & { isDue: boolean } & Row>(
    `WITH RECURSIVE head AS (
       (SELECT webhook_id, 1 AS place FROM deliveries WHERE state = 'PENDING' AND lane = $1 AND webhook_id > $2 ORDER BY webhook_id LIMIT 1)
       UNION ALL
       SELECT later.webhook_id, head.place + 1
         FROM head CROSS JOIN LATERAL (
           SELECT webhook_id FROM deliveries WHERE state = 'PENDING' AND lane = $1 AND webhook_id > head.webhook_id ORDER BY webhook_id LIMIT 1) AS later
        WHERE head.place < ${endpointsPerRound})
     SELECT head.webhook_id AS "webhookId", coalesce(w.organization_id, '') AS "organizationId", w.parked_at IS NOT NULL AS "isProbe",
            coalesce(w.enabled AND (w.parked_until IS NULL OR w.parked_until <= now())
              AND (SELECT due_at FROM deliveries d WHERE state = 'PENDING' AND lane = $1 AND d.webhook_id = head.webhook_id ORDER BY due_at LIMIT 1) <= now(), false) AS "isDue"
       FROM head LEFT JOIN webhooks w USING (webhook_id) ORDER BY head.place`,
    [lane, after],
    { recurring: true },
  );
  return {
    endpoints: rows.filter(({ isDue }) => isDue),
    next: rows.length < endpointsPerRound ? '' : (rows.at(-1)?.webhookId ?? ''),
  };
}

export type Claimed = DeliveryKey & {
  readonly organizationId: string;
  readonly eventId: string;
  readonly attempt: number;
  readonly attemptsFrom: number;
  readonly token: number;
  readonly lane: Lane;
  /** null where the event is gone: its time of keeping was over. */
  readonly body: string | null;
};

/** How long other senders leave a parked endpoint to the one that tries it. */
const probeSeconds = 20;

/** Leases due deliveries: for each endpoint the oldest, at most its share. Skips those that another sender is leasing at this moment. */
export async function claimDue(
  database: Queryable,
  lane: Lane,
  shares: readonly (DueEndpoint & { readonly count: number })[],
  leaseMs: number,
): Promise<readonly Claimed[]> {
  if (shares.length === 0) return [];
  return database.query<Claimed>(
    `WITH probed AS (
       UPDATE webhooks SET parked_until = now() + interval '${probeSeconds} seconds' WHERE webhook_id = ANY($6::text[])),
     wanted AS MATERIALIZED (
       SELECT due.webhook_id, due.delivery_id FROM unnest($2::text[], $3::int[]) AS share (webhook_id, count)
        CROSS JOIN LATERAL (
          SELECT webhook_id, delivery_id, row_number() OVER (ORDER BY due_at) AS place
            FROM (SELECT webhook_id, delivery_id, due_at FROM deliveries d
                   WHERE state = 'PENDING' AND lane = $1 AND d.webhook_id = share.webhook_id AND due_at <= now() ORDER BY due_at LIMIT $4) AS first) AS due
        WHERE due.place <= share.count),
     locked AS MATERIALIZED (
       SELECT d.webhook_id, d.delivery_id FROM deliveries d JOIN wanted USING (webhook_id, delivery_id)
        WHERE d.state = 'PENDING' AND d.due_at <= now() FOR UPDATE OF d SKIP LOCKED)
     UPDATE deliveries d SET leased = true, token = d.token + 1, due_at = now() + $5 * interval '1 millisecond'
       FROM locked WHERE d.webhook_id = locked.webhook_id AND d.delivery_id = locked.delivery_id
     RETURNING d.organization_id AS "organizationId", d.webhook_id AS "webhookId", d.delivery_id AS "deliveryId", d.event_id AS "eventId", d.attempt,
               d.attempts_from AS "attemptsFrom", d.token, d.lane,
               (SELECT body FROM webhook_events e WHERE e.event_id = d.event_id) AS body`,
    [
      lane,
      ...columnsOf(shares, 'webhookId', 'count'),
      Math.max(...shares.map((share) => share.count)),
      leaseMs,
      shares.filter((share) => share.isProbe).map((share) => share.webhookId),
    ],
    { recurring: true },
  );
}

export interface AttemptResult extends DeliveryKey {
  readonly token: number;
  readonly attempt: number;
  readonly state: Exclude<AttemptState, 'PENDING'>;
  /** Until the next attempt; null: there is none. */
  readonly retryInMs: number | null;
  readonly statusCode: number | null;
  readonly responseBody: string | null;
  readonly durationMs: number;
  readonly error: string | null;
  readonly startedAtMs: number;
  /** Set if it succeeded: the status that the supplier took with it. */
  readonly postback?: ArrivedPostback;
}

/** Writes results, each with the attempt that follows. A result whose lease is another sender’s by now changes nothing. Answers those that did. */
export async function writeResults(
  database: Queryable,
  results: readonly AttemptResult[],
): Promise<readonly DeliveryKey[]> {
  return database.query<DeliveryKey>(
    `WITH result AS (
       SELECT * FROM unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::text[], $6::int[], $7::int[], $8::text[], $9::int[], $10::text[], $11::timestamptz[])
         AS row (webhook_id, delivery_id, token, attempt, state, retry_ms, status_code, response_body, duration_ms, error, started_at)),
     moved AS (
       UPDATE deliveries d SET
              state = CASE WHEN result.retry_ms IS NULL THEN result.state ELSE 'PENDING' END,
              attempt = CASE WHEN result.retry_ms IS NULL THEN d.attempt ELSE d.attempt + 1 END,
              lane = CASE WHEN result.retry_ms IS NULL THEN d.lane ELSE 'retry' END,
              due_at = now() + coalesce(result.retry_ms, 0) * interval '1 millisecond',
              leased = false
         FROM result
        WHERE d.webhook_id = result.webhook_id AND d.delivery_id = result.delivery_id AND d.token = result.token AND d.leased AND d.state = 'PENDING'
       RETURNING d.organization_id, result.*)
     INSERT INTO delivery_attempts (organization_id, webhook_id, delivery_id, attempt, state, status_code, response_body, duration_ms, error, started_at)
     SELECT organization_id, webhook_id, delivery_id, attempt, state, status_code, response_body, duration_ms, error, started_at FROM moved
     ON CONFLICT DO NOTHING RETURNING webhook_id AS "webhookId", delivery_id AS "deliveryId"`,
    [
      ...columnsOf(results, 'webhookId', 'deliveryId', 'token', 'attempt', 'state', 'retryInMs'),
      ...columnsOf(results, 'statusCode', 'responseBody', 'durationMs', 'error'),
      results.map((result) => new Date(result.startedAtMs)),
    ],
    { recurring: true },
  );
}

/** Gives leases back unused, so that others need not wait for their end. */
export async function releaseLeases(
  database: Queryable,
  leases: readonly (DeliveryKey & { readonly token: number })[],
): Promise<void> {
  if (leases.length === 0) return;
  await database.query(
    `UPDATE deliveries d SET leased = false, due_at = now()
       FROM unnest($1::text[], $2::text[], $3::int[]) AS lease (webhook_id, delivery_id, token)
      WHERE d.webhook_id = lease.webhook_id AND d.delivery_id = lease.delivery_id AND d.token = lease.token AND d.leased AND d.state = 'PENDING'`,
    columnsOf(leases, 'webhookId', 'deliveryId', 'token'),
  );
}
