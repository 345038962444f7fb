/** Erases what webhooks keep of sessions: events, deliveries, attempts and answers. Nothing of them is sent any more. */
import type { Queryable } from '../stores/database/port.js';
import { deliveryIdOf, sessionMark } from './delivery-store.js';

/** Has what comes of these sessions from now on written no more. To be committed before `erasePayloads`, which what is being written meanwhile may miss. */
export async function markErasedSessions(
  tx: Queryable,
  { organizationId, projectId }: { readonly organizationId: string; readonly projectId: string },
  sessionIds: readonly string[],
): Promise<void> {
  await tx.query(
    `INSERT INTO erased_sessions (organization_id, mark)
     SELECT DISTINCT $1, ${sessionMark('$2::text', 'session')} FROM unnest($3::text[]) AS session
     ON CONFLICT (mark) DO UPDATE SET erased_at = now()`,
    [organizationId, projectId, sessionIds],
  );
}

/** Events of sessions: $1 the project, $2 ids of the sessions. */
export const ofSessions = 'project_id = $1 AND session_id = ANY($2::text[])';

/**
 * Answers how many events were erased. Deliveries are found by their ids, which follow from events and webhooks. Those of deleted webhooks
 * go with the retention within minutes.
 */
export async function erasePayloads(tx: Queryable, projectId: string, sessionIds: readonly string[]): Promise<number> {
  const events = await tx.query<{ event_id: string }>(
    `DELETE FROM webhook_events WHERE ${ofSessions} RETURNING event_id`,
    [projectId, sessionIds],
  );
  const webhooks = await tx.query<{ webhook_id: string }>(
    'SELECT webhook_id FROM webhooks WHERE project_id = $1 OR project_id IS NULL',
    [projectId],
  );
  for (const { webhook_id: webhookId } of webhooks) {
    const values = [webhookId, events.map((event) => deliveryIdOf(event.event_id, webhookId))];
    const ours = 'webhook_id = $1 AND delivery_id = ANY($2::text[])';
    await tx.query(`DELETE FROM delivery_attempts WHERE ${ours}`, values);
    await tx.query(`DELETE FROM deliveries WHERE ${ours}`, values);
  }
  return events.length;
}
