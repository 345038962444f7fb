/**
 * What owners do with webhooks: register, change, delete, rotate the secret, try them out, and send again. Each write is recorded with it.
 * Whatever an owner does about a webhook that is parked frees it.
 */
import type { VerificationEvent } from '../contract/session-event.js';
import {
  webhookDefaults,
  webhooksPerProjectMax,
  type CreatedWebhookReply,
  type WebhookChange,
  type WebhookCreation,
  type WebhookReply,
} from '../contract/webhook.js';
import type { AuditAction } from '../contract/audit.js';
import { recordAudit, type Actor } from '../administration/audit.js';
import { makeId } from '../crypto/ids.js';
import { Fault } from '../errors.js';
import { notFound } from '../http/access.js';
import { invalid } from '../http/error-answers.js';
import { objectionTo, type TargetRules } from '../net/target-url.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import type { Log } from '../stores/log/port.js';
import type { Logger } from '../telemetry/logger.js';
import { recoverDeliveries, replayDelivery } from './delivery-log.js';
import { deliveryIdOf, insertDeliveries } from './delivery-store.js';
import { syntheticEvent } from './synthetic-event.js';
import {
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  replaceSecret,
  showWebhook,
  unpark,
  updateWebhook,
  type SecretStore,
  type StoredWebhook,
  type WebhookOwner,
  type WebhookSettings,
} from './webhook-store.js';

export interface WebhookDeps {
  readonly database: Database;
  readonly log: Pick<Log, 'append'>;
  readonly logger: Logger;
  readonly secrets: SecretStore;
  readonly target: TargetRules;
  readonly now: () => number;
}

export type WebhookService = ReturnType<typeof createWebhookService>;

export function createWebhookService(deps: WebhookDeps) {
  const { database, secrets } = deps;

  const requireTarget = (url: string): void => {
    const objection = objectionTo(url, deps.target);
    if (objection !== null) throw invalid([{ path: '/url', message: objection }]);
  };
  /** Senders look at once; they would look by themselves a moment later. */
  const wakeSenders = (webhookId: string): void => {
    deps.log
      .append('deliveries', [{ key: webhookId, value: Buffer.from(webhookId) }])
      .catch((error: unknown) => deps.logger.warn({ err: error }, 'senders were not woken; they look by themselves'));
  };
  const note = (
    tx: Queryable,
    actor: Actor,
    webhook: Pick<StoredWebhook, 'organizationId' | 'projectId' | 'webhookId'>,
    action: AuditAction,
    detail: Readonly<Record<string, unknown>> = {},
  ): Promise<void> =>
    recordAudit(tx, actor, {
      organizationId: webhook.organizationId,
      action,
      subject: { kind: 'webhook', id: webhook.webhookId },
      detail: { projectId: webhook.projectId, ...detail },
    });
  /** Runs on a webhook of the project, which nobody else changes meanwhile. */
  const onWebhook = <T>(
    owner: WebhookOwner,
    webhookId: string,
    run: (tx: Queryable, webhook: StoredWebhook) => Promise<T>,
  ): Promise<T> =>
    inOrganization(database, owner.organizationId, async (tx) => {
      const webhook = await findWebhook(tx, owner, webhookId, { lock: true });
      if (webhook === null) throw notFound('webhook');
      return run(tx, webhook);
    });

  return {
    async create(actor: Actor, owner: WebhookOwner, creation: WebhookCreation): Promise<CreatedWebhookReply> {
      requireTarget(creation.url);
      const settings = settingsOf({ ...webhookDefaults, url: creation.url }, creation);
      return inOrganization(database, owner.organizationId, async (tx) => {
        if ((await countWebhooks(tx, owner.projectId)) >= webhooksPerProjectMax)
          throw new Fault(
            'CONFLICT',
            `The project has ${webhooksPerProjectMax} webhooks, which is the most. Delete one that is not needed.`,
          );
        const webhookId = makeId('webhook');
        const { secret, sealed } = secrets.make(webhookId);
        const webhook = await insertWebhook(tx, owner, webhookId, settings, sealed);
        await note(tx, actor, webhook, 'webhook.created', shown(settings));
        return { ...showWebhook(webhook), secret };
      });
    },

    change: (actor: Actor, owner: WebhookOwner, webhookId: string, change: WebhookChange): Promise<WebhookReply> => {
      if (change.url === null) throw invalid([{ path: '/url', message: 'has no default; send an address.' }]);
      if (change.url !== undefined) requireTarget(change.url);
      return onWebhook(owner, webhookId, async (tx, webhook) => {
        const settings = settingsOf(webhook, change);
        await updateWebhook(tx, webhookId, settings);
        await note(tx, actor, webhook, 'webhook.updated', { from: shown(webhook), to: shown(settings) });
        return showWebhook({ ...webhook, ...settings, parking: null });
      });
    },

    remove: (actor: Actor, owner: WebhookOwner, webhookId: string): Promise<WebhookReply> =>
      onWebhook(owner, webhookId, async (tx, webhook) => {
        await deleteWebhook(tx, webhookId);
        await note(tx, actor, webhook, 'webhook.deleted', shown(webhook));
        return showWebhook(webhook);
      }),

    rotateSecret: (
      actor: Actor,
      owner: WebhookOwner,
      webhookId: string,
      overlapHours: number,
    ): Promise<{ secret: string }> =>
      onWebhook(owner, webhookId, async (tx, webhook) => {
        const { secret, sealed } = secrets.make(webhookId);
        await replaceSecret(tx, webhookId, sealed, overlapHours);
        await note(tx, actor, webhook, 'webhook.secret_rotated', { overlapHours });
        return { secret };
      }),

    async test(actor: Actor, owner: WebhookOwner, webhookId: string): Promise<{ deliveryId: string }> {
      const event = syntheticEvent(owner, deps.now());
      const deliveryId = deliveryIdOf(event.eventId, webhookId);
      await onWebhook(owner, webhookId, async (tx, webhook) => {
        requireEnabled(webhook);
        await insertDeliveries(tx, [storedForm(event)], [deliveryOf(event, webhookId, deliveryId)], 0);
        await unpark(tx, webhookId);
        await note(tx, actor, webhook, 'webhook.tested', { deliveryId });
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
      await onWebhook(owner, webhookId, async (tx, webhook) => {
        requireEnabled(webhook);
        if (!(await replayDelivery(tx, webhookId, deliveryId))) throw notFound('delivery');
        await unpark(tx, webhookId);
        await note(tx, actor, webhook, 'webhook.delivery_replayed', { deliveryId });
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
      const requeued = await onWebhook(owner, webhookId, async (tx, webhook) => {
        requireEnabled(webhook);
        const count = await recoverDeliveries(tx, webhookId, sinceMs, untilMs);
        await unpark(tx, webhookId);
        await note(tx, actor, webhook, 'webhook.recovered', { since, until: until ?? null, requeued: count });
        return count;
      });
      wakeSenders(webhookId);
      return { requeued };
    },
  };
}

/** A merge: what is left out stays, null goes back to the default. */
function settingsOf(
  base: WebhookSettings,
  change: Omit<WebhookChange, 'url'> & { url?: string | null },
): WebhookSettings {
  const { events, payloadVersion, description, enabled } = change;
  return {
    url: change.url ?? base.url,
    events: merged(events, base.events, webhookDefaults.events),
    payloadVersion: merged(payloadVersion, base.payloadVersion, webhookDefaults.payloadVersion),
    description: description === undefined ? base.description : description,
    enabled: merged(enabled, base.enabled, webhookDefaults.enabled),
  };
}

const merged = <T>(change: T | null | undefined, base: T, fallback: T): T =>
  change === undefined ? base : (change ?? fallback);

/** For the audit trail. Secrets may stand in the query of an address, so that only its beginning is told. */
const shown = ({ url, events, payloadVersion, enabled }: WebhookSettings): Readonly<Record<string, unknown>> => ({
  url: new URL(url).origin + new URL(url).pathname,
  events,
  payloadVersion,
  enabled,
});

function requireEnabled({ enabled }: StoredWebhook): void {
  if (!enabled)
    throw new Fault('CONFLICT', 'The webhook is disabled, so that nothing is sent to it. Set enabled to true first.');
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
