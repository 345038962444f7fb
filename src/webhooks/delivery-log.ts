/** Deliveries as their owner sees them: the log, one started again, and recovery. Runs in transactions of one organization. */
import type { AttemptState, DeliveryAttempt, DeliveryQuery, DeliveryReply } from '../contract/webhook.js';
import { recoverMax } from '../contract/webhook.js';
import { leastIdAt } from '../crypto/ids.js';
import { cutPage, type Page } from '../kernel/paging.js';
import type { Queryable, SqlValue } from '../stores/database/port.js';
import type { Lane } from './delivery-queue.js';
import { columnsOf, deliveryIdOf } from './delivery-store.js';

type DeliveryRow = Pick<DeliveryReply, 'deliveryId' | 'event' | 'sessionId'> & {
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
}

export async function listDeliveries(
  tx: Queryable,
  owner: LogOwner,
  filter: Pick<DeliveryQuery, 'state' | 'event' | 'sessionId'>,
  page: Page,
): Promise<{ readonly deliveries: DeliveryReply[]; readonly nextCursor: string | null }> {
  const rows = await findRows(tx, owner, filter, page);
  const { items, nextCursor } = cutPage(rows, page.limit, (row) => row.deliveryId);
  const attempts = await findAttempts(tx, owner.webhookId, items);
  return { deliveries: items.map((row) => show(row, attempts.get(row.deliveryId) ?? [])), nextCursor };
}

async function findRows(
  tx: Queryable,
  { projectId, webhookId }: LogOwner,
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
  // FAILED: the last attempt failed and another is to come, which is pending in the table.
  if (state === 'FAILED') conditions.push("state = 'PENDING' AND attempt > attempts_from");
  else if (state !== undefined) conditions.push(`state = '${state}'`);
  if (sessionId !== undefined)
    where((ids) => `delivery_id = ANY(${ids}::text[])`, await deliveriesOfSession(tx, projectId, webhookId, sessionId));
  return tx.query<DeliveryRow>(
    `SELECT delivery_id AS "deliveryId", event_type AS event, session_id AS "sessionId", state, attempt, due_at AS "dueAt", leased,
            created_at AS "createdAt" FROM deliveries
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
  { attempt, dueAt, leased, createdAt, ...shown }: DeliveryRow,
  attempts: readonly AttemptRow[],
): DeliveryReply {
  const isPending = shown.state === 'PENDING';
  const shownAttempts = [...(isPending ? [pendingAttempt(attempt)] : []), ...attempts.map(showAttempt)];
  return {
    ...shown,
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

/** What is being sent at this moment is left as it is. False where there is no such delivery. */
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

/** Restarts deliveries that failed for good in that time, whatever the time of their event; returns how many. They do not delay new ones. */
export async function recoverDeliveries(
  tx: Queryable,
  webhookId: string,
  sinceMs: number,
  untilMs: number,
): Promise<number> {
  const rows = await tx.query(
    `UPDATE deliveries d SET ${startAgain('retry')}
      WHERE webhook_id = $1 AND state = 'EXHAUSTED' AND delivery_id IN (
        SELECT e.delivery_id FROM deliveries e LEFT JOIN delivery_attempts a USING (webhook_id, delivery_id, attempt)
         WHERE e.webhook_id = $1 AND e.state = 'EXHAUSTED' AND e.delivery_id < $4
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
