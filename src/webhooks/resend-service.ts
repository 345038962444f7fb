/** Sending on request: a test delivery, one delivery again, and all that failed in a period. Each is audited, and frees a parked webhook. */
import type { ProjectOwner } from '../kernel/caller.js';
import { notFound, invalid } from '../kernel/faults.js';
import { blankPass, type VerificationEvent } from '../contract/session-event.js';
import { idPrefixes, makeId } from '../crypto/ids.js';
import type { AuditAction } from '../contract/audit.js';
import type { Recovery } from '../contract/webhook.js';
import type { Database, Queryable } from '../stores/database/port.js';
import type { Log } from '../stores/log/port.js';
import type { Logger } from '../telemetry/logger.js';
import { recoverDeliveries, replayDelivery } from './delivery-log.js';
import { insertDeliveries } from './delivery-store.js';
import { deliveryOf, storedForm } from './fan-out.js';
import { unpark } from './webhook-store.js';
import { noteChange, onWebhook, requireEnabled, type Asking } from './registration-service.js';

export interface ResendDeps {
  readonly database: Database;
  readonly log: Pick<Log, 'append'>;
  readonly logger: Logger;
  readonly now: () => number;
}

const wakeMs = 20;

export type ResendService = ReturnType<typeof createResendService>;

export function createResendService(deps: ResendDeps) {
  const { database } = deps;

  const waking = new Set<string>();
  /** Senders look soon, once for all that came meanwhile; they would look by themselves a moment later. */
  const wakeSenders = (webhookId: string): void => {
    if (waking.size === 0) setTimeout(sendWakes, wakeMs).unref();
    waking.add(webhookId);
  };
  const sendWakes = (): void => {
    const entries = [...waking].map((webhookId) => ({ key: webhookId, value: Buffer.from(webhookId) }));
    waking.clear();
    deps.log
      .append('deliveries', entries)
      .catch((error: unknown) => deps.logger.warn({ err: error }, 'sender wake-up failed; they poll instead'));
  };

  /** Runs on an enabled webhook of the project. The reply is recorded, and the webhook is freed. */
  async function resend<T extends Readonly<Record<string, unknown>>>(
    asking: Asking,
    action: AuditAction,
    run: (tx: Queryable) => Promise<T>,
  ): Promise<T> {
    const detail = await onWebhook(database, asking, async (tx, webhook) => {
      requireEnabled(webhook);
      const done = await run(tx);
      await unpark(tx, asking.webhookId);
      await noteChange(tx, asking.actor, webhook, action, done);
      return done;
    });
    wakeSenders(asking.webhookId);
    return detail;
  }

  return {
    test: (asking: Asking): Promise<{ deliveryId: string }> =>
      resend(asking, 'webhook.tested', async (tx) => {
        const event = syntheticEvent(asking.owner, deps.now());
        const delivery = deliveryOf(event, asking.webhookId, false);
        await insertDeliveries(tx, [storedForm(event)], [delivery], 0);
        return { deliveryId: delivery.deliveryId };
      }),

    replay: (asking: Asking, deliveryId: string): Promise<{ deliveryId: string }> =>
      resend(asking, 'webhook.delivery_replayed', async (tx) => {
        if (!(await replayDelivery(tx, asking.webhookId, deliveryId))) throw notFound('delivery');
        return { deliveryId };
      }),

    async recover(asking: Asking, { since, until }: Recovery): Promise<{ requeued: number }> {
      const sinceMs = Date.parse(since);
      const untilMs = until === undefined ? deps.now() + 1 : Date.parse(until);
      if (sinceMs >= untilMs) throw invalid([{ path: '/since', message: 'must be before until.' }]);
      const { requeued } = await resend(asking, 'webhook.recovered', async (tx) => ({
        requeued: await recoverDeliveries(tx, asking.webhookId, sinceMs, untilMs),
        since,
        until: until ?? null,
      }));
      return { requeued };
    },
  };
}

/** The event of a test delivery: a pass of mode test in which nobody took part. It is whole, so that a receiver sees every field it will meet. */
function syntheticEvent({ organizationId, projectId }: ProjectOwner, nowMs: number): VerificationEvent {
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
      mode: 'test',
      scores: { liveness: 0.94, uniqueness: 0.98, authenticity: 0.92, overall: 0.95 },
      respondent_id: 'test-respondent',
      metadata: { test: true },
      summary: 'This is a test delivery without a verification.',
    },
  };
}
