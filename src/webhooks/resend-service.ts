/**
 * Sending on an owner’s word: a test delivery, one delivery again, and all that failed in a stretch of time. Each is recorded, and frees a webhook
 * that is parked.
 */
import { notFound, invalid } from '../kernel/faults.js';
import { blankPass } from '../contract/blank-pass.js';
import type { VerificationEvent } from '../contract/session-event.js';
import { idPrefixes, makeId } from '../crypto/ids.js';
import type { Actor } from '../administration/audit.js';
import type { Database } from '../stores/database/port.js';
import type { Log } from '../stores/log/port.js';
import type { Logger } from '../telemetry/logger.js';
import { recoverDeliveries, replayDelivery } from './delivery-log.js';
import { deliveryIdOf, insertDeliveries } from './delivery-store.js';
import { unpark, type WebhookOwner } from './webhook-store.js';
import { noteChange, onWebhook, requireEnabled } from './registration-service.js';

export interface ResendDeps {
  readonly database: Database;
  readonly log: Pick<Log, 'append'>;
  readonly logger: Logger;
  readonly now: () => number;
}

export type ResendService = ReturnType<typeof createResendService>;

export function createResendService(deps: ResendDeps) {
  const { database } = deps;

  /** Senders look at once; they would look by themselves a moment later. */
  const wakeSenders = (webhookId: string): void => {
    deps.log
      .append('deliveries', [{ key: webhookId, value: Buffer.from(webhookId) }])
      .catch((error: unknown) => deps.logger.warn({ err: error }, 'senders were not woken; they look by themselves'));
  };
  return {
    async test(actor: Actor, owner: WebhookOwner, webhookId: string): Promise<{ deliveryId: string }> {
      const event = syntheticEvent(owner, deps.now());
      const deliveryId = deliveryIdOf(event.eventId, webhookId);
      await onWebhook(database, owner, webhookId, async (tx, webhook) => {
        requireEnabled(webhook);
        await insertDeliveries(tx, [storedForm(event)], [deliveryOf(event, webhookId, deliveryId)], 0);
        await unpark(tx, webhookId);
        await noteChange(tx, actor, webhook, 'webhook.tested', { deliveryId });
      });
      wakeSenders(webhookId);
      return { deliveryId };
    },

    async replay(
      actor: Actor,
      owner: WebhookOwner,
      webhookId: string,
      deliveryId: string,
    ): Promise<{ deliveryId: string }> {
      await onWebhook(database, owner, webhookId, async (tx, webhook) => {
        requireEnabled(webhook);
        if (!(await replayDelivery(tx, webhookId, deliveryId))) throw notFound('delivery');
        await unpark(tx, webhookId);
        await noteChange(tx, actor, webhook, 'webhook.delivery_replayed', { deliveryId });
      });
      wakeSenders(webhookId);
      return { deliveryId };
    },

    async recover(
      actor: Actor,
      owner: WebhookOwner,
      webhookId: string,
      { since, until }: { readonly since: string; readonly until?: string },
    ): Promise<{ requeued: number }> {
      const sinceMs = Date.parse(since);
      const untilMs = until === undefined ? deps.now() + 1 : Date.parse(until);
      if (sinceMs >= untilMs) throw invalid([{ path: '/since', message: 'must be before until.' }]);
      const requeued = await onWebhook(database, owner, webhookId, async (tx, webhook) => {
        requireEnabled(webhook);
        const count = await recoverDeliveries(tx, webhookId, sinceMs, untilMs);
        await unpark(tx, webhookId);
        await noteChange(tx, actor, webhook, 'webhook.recovered', { since, until: until ?? null, requeued: count });
        return count;
      });
      wakeSenders(webhookId);
      return { requeued };
    },
  };
}

const storedForm = (event: VerificationEvent) => ({ ...event, body: JSON.stringify(event) });

const deliveryOf = (event: VerificationEvent, webhookId: string, deliveryId: string) => ({
  webhookId,
  deliveryId,
  organizationId: event.organizationId,
  eventId: event.eventId,
  eventType: event.type,
  sessionId: event.sessionId,
  leased: false,
});

/** The event of a test delivery: a pass that nobody took part in, in full, so that a receiver sees every field it will meet. */
function syntheticEvent({ organizationId, projectId }: WebhookOwner, nowMs: number): VerificationEvent {
  const eventId = makeId('event');
  return {
    eventId,
    type: 'verification.completed',
    organizationId,
    projectId,
    sessionId: `sess_test_${eventId.slice(idPrefixes.event.length)}`,
    isDemo: true,
    occurredAt: new Date(nowMs).toISOString(),
    data: {
      ...blankPass,
      scores: { liveness: 0.94, uniqueness: 0.98, authenticity: 0.92, overall: 0.95 },
      respondent_id: 'test-respondent',
      metadata: { test: true },
      summary: 'A test delivery: nobody was verified.',
    },
  };
}
