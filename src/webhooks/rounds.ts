/** Periodic work of the deliveries: figures, and removal past the retention. */
import { dayMs } from '../kernel/calendar-day.js';
import { leastIdAt } from '../crypto/ids.js';
import type { Database } from '../stores/database/port.js';
import type { Metrics } from '../telemetry/metrics.js';

/** Endpoints looked at; with more of them the figure is that of the first. */
const endpointsMax = 2_000;

/** How far behind the deliveries are. The same on every instance: it is read from the database. */
export async function measureDeliveries(
  database: Database,
  metrics: Pick<Metrics, 'webhookOldestDue' | 'webhookParked'>,
): Promise<void> {
  const oldestOf = (lane: 'first' | 'retry'): string => `
    WITH RECURSIVE head AS (
      (SELECT webhook_id, 1 AS place FROM deliveries WHERE state = 'PENDING' AND lane = '${lane}' ORDER BY webhook_id LIMIT 1)
      UNION ALL
      SELECT later.webhook_id, place + 1 FROM head CROSS JOIN LATERAL (
        SELECT webhook_id FROM deliveries WHERE state = 'PENDING' AND lane = '${lane}' AND webhook_id > head.webhook_id ORDER BY webhook_id LIMIT 1) AS later
       WHERE place < ${endpointsMax})
    SELECT extract(epoch FROM now() - min(first.due_at))::float8
      FROM head JOIN webhooks w USING (webhook_id) CROSS JOIN LATERAL (
        SELECT due_at FROM deliveries d WHERE state = 'PENDING' AND lane = '${lane}' AND d.webhook_id = head.webhook_id ORDER BY due_at LIMIT 1) AS first
     WHERE w.enabled AND w.parked_at IS NULL`;
  const [figures] = await database.query<{ readonly oldest: number | null; readonly parked: number }>(
    `SELECT greatest((${oldestOf('first')}), (${oldestOf('retry')})) AS oldest,
            (SELECT count(*)::int FROM webhooks WHERE parked_at IS NOT NULL) AS parked`,
  );
  metrics.webhookOldestDue.set(Math.max(0, figures?.oldest ?? 0));
  metrics.webhookParked.set(figures?.parked ?? 0);
}

const batchMax = 1_000;

/** Each webhook that has deliveries, found by stepping through the index instead of reading the table. */
const webhooksOfDeliveries = `
  WITH RECURSIVE head AS (
    (SELECT webhook_id FROM deliveries ORDER BY webhook_id LIMIT 1)
    UNION ALL
    SELECT later.webhook_id FROM head
     CROSS JOIN LATERAL (SELECT webhook_id FROM deliveries WHERE webhook_id > head.webhook_id ORDER BY webhook_id LIMIT 1) AS later)
  SELECT webhook_id FROM head`;

/** Removes deliveries past their retention and those of deleted webhooks, one batch each. Pending ones are kept. Answers how many rows went. */
export async function removeExpired(
  database: Database,
  { nowMs, retentionDays }: { readonly nowMs: number; readonly retentionDays: number },
): Promise<number> {
  const limitMs = nowMs - retentionDays * dayMs;
  const gone = await removeDeliveries(
    database,
    `SELECT d.webhook_id, d.delivery_id FROM (${webhooksOfDeliveries}) AS known
      CROSS JOIN LATERAL (SELECT webhook_id, delivery_id FROM deliveries WHERE webhook_id = known.webhook_id LIMIT ${batchMax}) AS d
      WHERE NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.webhook_id = known.webhook_id) LIMIT ${batchMax}`,
    [],
  );
  const expired = await removeDeliveries(
    database,
    `SELECT webhook_id, delivery_id FROM webhooks w CROSS JOIN LATERAL (
       SELECT delivery_id FROM deliveries d
        WHERE d.webhook_id = w.webhook_id AND d.delivery_id < $1 AND state <> 'PENDING' ORDER BY delivery_id LIMIT ${batchMax}) AS old
      LIMIT ${batchMax}`,
    [leastIdAt('delivery', limitMs)],
  );
  const events = await database.query(
    `DELETE FROM webhook_events WHERE event_id IN (
       SELECT event_id FROM webhook_events e WHERE event_id < $1
          AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.event_id AND d.state = 'PENDING') ORDER BY event_id LIMIT ${batchMax})
     RETURNING 1`,
    [leastIdAt('event', limitMs)],
  );
  return gone + expired + events.length;
}

async function removeDeliveries(database: Database, chosen: string, values: readonly string[]): Promise<number> {
  const rows = await database.query(
    `WITH chosen AS MATERIALIZED (${chosen}),
     attempts AS (
       DELETE FROM delivery_attempts a USING chosen c WHERE a.webhook_id = c.webhook_id AND a.delivery_id = c.delivery_id)
     DELETE FROM deliveries d USING chosen c WHERE d.webhook_id = c.webhook_id AND d.delivery_id = c.delivery_id RETURNING 1`,
    values,
  );
  return rows.length;
}
