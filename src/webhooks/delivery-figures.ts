/** How far behind the deliveries are, for the operator. The same on every instance: it is read from the database. */
import type { Database } from '../stores/database/port.js';
import type { Metrics } from '../telemetry/metrics.js';

type Figures = { readonly oldest: number | null; readonly parked: number };

/** Endpoints looked at; with more of them the figure is that of the first. */
const endpointsMax = 2_000;

export async function measureDeliveries(
  database: Database,
  metrics: Pick<Metrics, 'webhookOldestDue' | 'webhookParked'>,
): Promise<number> {
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
  const [figures] = await database.query<Figures>(
    `SELECT greatest((${oldestOf('first')}), (${oldestOf('retry')})) AS oldest,
            (SELECT count(*)::int FROM webhooks WHERE parked_at IS NOT NULL) AS parked`,
  );
  metrics.webhookOldestDue.set(Math.max(0, figures?.oldest ?? 0));
  metrics.webhookParked.set(figures?.parked ?? 0);
  return 0;
}
