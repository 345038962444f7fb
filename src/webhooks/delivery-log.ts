/** Deliveries as their owner sees them: the log, one started again, and recovery. Runs in transactions of one organization. */
import type {
  AttemptState,
  DeliveryAttempt,
  DeliveryPage,
  DeliveryQuery,
  DeliveryReply,
  PayloadVersion,
} from '../contract/webhook.js';
import { recoverMax } from '../contract/webhook.js';
import { leastIdAt } from '../crypto/ids.js';
import { cutPage, type Page } from '../kernel/paging.js';
import { columnsOf } from '../stores/database/columns.js';
import type { Queryable, SqlValue } from '../stores/database/port.js';
import type { Lane } from './delivery-queue.js';
import { deliveryIdOf } from './delivery-store.js';
import { payloadOf } from './payload.js';
import type { DeliveredEvent } from '../contract/postback.js';

type DeliveryRow = Pick<DeliveryReply, 'deliveryId' | 'event' | 'sessionId'> & {
  /** null where it is erased, or past its time of keeping. */
  readonly body: string | null;
  /** More attempts than one in its present set. */
  readonly isRepeated: boolean;
  readonly state: Exclude<AttemptState, 'FAILED'>;
  readonly attempt: number;
  readonly dueAt: Date;
  readonly leased: boolean;
  readonly createdAt: Date;
};
type AttemptRow = Omit<DeliveryAttempt, 'startedAt'> & { readonly deliveryId: string; readonly startedAt: Date };

const attemptsShown = 20;
/** Events of one session that are looked for. */
const eventsOfSessionMax = 500;

export interface LogOwner {
  readonly projectId: string;
  readonly webhookId: string;
  readonly payloadVersion: PayloadVersion;
}

export async function listDeliveries(
  tx: Queryable,
  owner: LogOwner,
  filter: Pick<DeliveryQuery, 'state' | 'event' | 'sessionId'>,
  page: Page,
): Promise<DeliveryPage> {
  const rows = await findRows(tx, owner, filter, page);
  const { items, nextCursor } = cutPage(rows, page.limit, (row) => row.deliveryId);
  const attempts = await findAttempts(tx, owner.webhookId, items);
  return {
    deliveries: items.map((row) => show(row, attempts.get(row.deliveryId) ?? [], owner.payloadVersion)),
    nextCursor,
  };
}

/** The last attempt failed and another is to come, which is pending in the table; one that is under way is not. */
const failed = '(attempt > attempts_from AND NOT (leased AND due_at > now()))';

async function findRows(
  tx: Queryable,
  { projectId, webhookId }: Pick<LogOwner, 'projectId' | 'webhookId'>,
  { state, event, sessionId }: Pick<DeliveryQuery, 'state' | 'event' | 'sessionId'>,
  page: Page,
): Promise<readonly DeliveryRow[]> {
  const values: SqlValue[] = [webhookId, page.limit + 1];
  const conditions = ['webhook_id = $1'];
  const where = (condition: (parameter: string) => string, value: SqlValue): void => {
    conditions.push(condition(`$${values.push(value)}`));
  };
  if (page.below !== null) where((id) => `delivery_id < ${id}`, page.below);
  if (event !== undefined) where((type) => `event_type = ${type}`, event);
  if (state === 'FAILED') conditions.push(`state = 'PENDING' AND ${failed}`);
  else if (state === 'PENDING') conditions.push(`state = 'PENDING' AND NOT ${failed}`);
  else if (state !== undefined) conditions.push(`state = '${state}'`);
  if (sessionId !== undefined)
    where((ids) => `delivery_id = ANY(${ids}::text[])`, await deliveriesOfSession(tx, projectId, webhookId, sessionId));
  return tx.query<DeliveryRow>(
    `SELECT delivery_id AS "deliveryId", event_type AS event, session_id AS "sessionId", state, attempt, due_at AS "dueAt", leased,
            created_at AS "createdAt", ${failed} AS "isRepeated", (SELECT body FROM webhook_events e WHERE e.event_id = d.event_id) AS body FROM deliveries d
      WHERE ${conditions.join(' AND ')} ORDER BY delivery_id DESC LIMIT $2`,
    values,
  );
}

/** Ids follow from events, so that the events of the session lead to them. */
async function deliveriesOfSession(
  tx: Queryable,
  projectId: string,
  webhookId: string,
  sessionId: string,
): Promise<readonly string[]> {
  const rows = await tx.query<{ event_id: string }>(
    `SELECT event_id FROM webhook_events WHERE project_id = $1 AND session_id = $2 ORDER BY event_id DESC LIMIT ${eventsOfSessionMax}`,
    [projectId, sessionId],
  );
  return rows.map((row) => deliveryIdOf(row.event_id, webhookId));
}

async function findAttempts(
  tx: Queryable,
  webhookId: string,
  rows: readonly DeliveryRow[],
): Promise<ReadonlyMap<string, readonly AttemptRow[]>> {
  const attempts = await tx.query<AttemptRow>(
    `SELECT a.* FROM unnest($2::text[], $3::int[]) AS shown (delivery_id, latest)
      CROSS JOIN LATERAL (
        SELECT delivery_id AS "deliveryId", attempt, state, status_code AS "statusCode", response_body AS "responseBody",
               duration_ms AS "durationMs", error, started_at AS "startedAt" FROM delivery_attempts
         WHERE webhook_id = $1 AND delivery_id = shown.delivery_id AND attempt > shown.latest - ${attemptsShown}) AS a
      ORDER BY a."deliveryId", a.attempt DESC`,
    [webhookId, ...columnsOf(rows, 'deliveryId', 'attempt')],
  );
  const byDelivery = new Map<string, AttemptRow[]>();
  for (const row of attempts) byDelivery.set(row.deliveryId, [...(byDelivery.get(row.deliveryId) ?? []), row]);
  return byDelivery;
}

function show(
  { attempt, dueAt, leased, createdAt, isRepeated, body, ...shown }: DeliveryRow,
  attempts: readonly AttemptRow[],
  version: PayloadVersion,
): DeliveryReply {
  const isPending = shown.state === 'PENDING';
  const shownAttempts = [...(isPending ? [pendingAttempt(attempt)] : []), ...attempts.map(showAttempt)];
  return {
    ...shown,
    state: isPending && isRepeated ? 'FAILED' : shown.state,
    payload: body === null ? null : payloadOf(JSON.parse(body) as DeliveredEvent, version),
    createdAt: createdAt.toISOString(),
    nextAttemptAt: isPending && !leased ? dueAt.toISOString() : null,
    attempts: shownAttempts.slice(0, attemptsShown),
  };
}

const pendingAttempt = (attempt: number): DeliveryAttempt => ({
  ...{ attempt, state: 'PENDING', statusCode: null, responseBody: null },
  ...{ durationMs: null, error: null, startedAt: null },
});

const showAttempt = ({ deliveryId: _id, startedAt, ...attempt }: AttemptRow): DeliveryAttempt => ({
  ...attempt,
  startedAt: startedAt.toISOString(),
});

/** A delivery that ended goes out again with a fresh set of attempts; one that waits goes out now. */
const startAgain = (lane: Lane): string => `
  state = 'PENDING', leased = false, lane = '${lane}', due_at = now(),
  attempts_from = CASE WHEN d.state = 'PENDING' THEN d.attempts_from ELSE d.attempt + 1 END,
  attempt = CASE WHEN d.state = 'PENDING' THEN d.attempt ELSE d.attempt + 1 END`;

/** A delivery that is being sent stays unchanged. False if there is no such delivery. */
export async function replayDelivery(tx: Queryable, webhookId: string, deliveryId: string): Promise<boolean> {
  await tx.query(
    `UPDATE deliveries d SET ${startAgain('first')} WHERE webhook_id = $1 AND delivery_id = $2
        AND NOT (d.state = 'PENDING' AND d.leased AND d.due_at > now())`,
    [webhookId, deliveryId],
  );
  const found = await tx.query('SELECT 1 FROM deliveries WHERE webhook_id = $1 AND delivery_id = $2', [
    webhookId,
    deliveryId,
  ]);
  return found.length > 0;
}

/**
 * Restarts deliveries that failed for good in that time, whatever the time of their event, and sends at once those that failed in it and wait, for
 * their next attempt or for a parked endpoint; returns how many. They do not delay new ones.
 */
export async function recoverDeliveries(
  tx: Queryable,
  webhookId: string,
  sinceMs: number,
  untilMs: number,
): Promise<number> {
  const rows = await tx.query(
    `UPDATE deliveries d SET ${startAgain('retry')}
      WHERE webhook_id = $1 AND state IN ('EXHAUSTED', 'PENDING') AND delivery_id IN (
        SELECT e.delivery_id FROM deliveries e JOIN webhooks w ON w.webhook_id = e.webhook_id
          LEFT JOIN delivery_attempts a ON a.webhook_id = e.webhook_id AND a.delivery_id = e.delivery_id
            AND a.attempt = e.attempt - CASE e.state WHEN 'PENDING' THEN 1 ELSE 0 END
         WHERE e.webhook_id = $1 AND e.delivery_id < $4
           AND (e.state = 'EXHAUSTED' OR e.state = 'PENDING' AND NOT e.leased AND (e.due_at > now() OR w.parked_at IS NOT NULL))
           AND coalesce(a.started_at, e.created_at) >= $2 AND coalesce(a.started_at, e.created_at) < $3
         ORDER BY e.delivery_id LIMIT ${recoverMax} FOR UPDATE OF e SKIP LOCKED)
      RETURNING 1`,
    // Nothing failed before it was there.
    [webhookId, new Date(sinceMs), new Date(untilMs), leastIdAt('delivery', untilMs)],
    { deadlineMs: recoverDeadlineMs },
  );
  return rows.length;
}

const recoverDeadlineMs = 20_000;
