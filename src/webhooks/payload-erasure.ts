/**
 * Erases what webhooks keep of sessions: their events, and the deliveries with every attempt and what the receiver answered. Nothing of
 * them is sent any more; what a receiver has already got is the receiver’s to erase.
 */
import type { Queryable } from '../stores/database/port.js';

/** Answers how many events were erased. */
export async function erasePayloads(tx: Queryable, projectId: string, sessionIds: readonly string[]): Promise<number> {
  const ours = 'webhook_id IN (SELECT webhook_id FROM webhooks WHERE project_id = $1) AND session_id = ANY($2::text[])';
  await tx.query(
    `DELETE FROM delivery_attempts WHERE (webhook_id, delivery_id) IN (SELECT webhook_id, delivery_id FROM deliveries WHERE ${ours})`,
    [projectId, sessionIds],
  );
  await tx.query(`DELETE FROM deliveries WHERE ${ours}`, [projectId, sessionIds]);
  const events = await tx.query(
    'DELETE FROM webhook_events WHERE project_id = $1 AND session_id = ANY($2::text[]) RETURNING event_id',
    [projectId, sessionIds],
  );
  return events.length;
}
