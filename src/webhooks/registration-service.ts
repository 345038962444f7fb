/** Registrations of webhooks. Each write is audited. Whatever an owner changes about a parked webhook frees it. */
import type { ProjectOwner } from '../kernel/caller.js';
import { invalid } from '../kernel/faults.js';
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
import type { SecretStore } from '../administration/secret-store.js';
import { Fault } from '../errors.js';
import { objectionTo, type TargetRules } from '../net/target-address.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import {
  countWebhooks,
  deleteWebhook,
  insertWebhook,
  requireWebhook,
  showWebhook,
  updateWebhook,
  type OwnedWebhook,
  type StoredWebhook,
  type WebhookSettings,
} from './webhook-store.js';

export interface RegistrationDeps {
  readonly database: Database;
  readonly secrets: SecretStore;
  readonly target: TargetRules;
  /** Called with each webhook that was changed, once the change is in force. */
  readonly onChange: (webhookId: string) => void;
}

/** Whoever changes a webhook, and which. */
export interface Asking {
  readonly actor: Actor;
  readonly owner: ProjectOwner;
  readonly webhookId: string;
}

export type RegistrationService = ReturnType<typeof createRegistrationService>;

export function createRegistrationService({ database, secrets, target, onChange }: RegistrationDeps) {
  const changing = async <T>(asking: Asking, run: Change<T>): Promise<T> => {
    const result = await onWebhook(database, asking, run);
    onChange(asking.webhookId);
    return result;
  };
  const requireTarget = (url: string): void => {
    const objection = objectionTo(url, target);
    if (objection !== null) throw invalid([{ path: '/url', message: objection }]);
  };

  return {
    async create(actor: Actor, owner: ProjectOwner, creation: WebhookCreation): Promise<CreatedWebhookReply> {
      requireTarget(creation.url);
      const settings = settingsOf({ ...defaultsOf(owner), url: creation.url }, creation, owner);
      return inOrganization(database, owner.organizationId, async (tx) => {
        if ((await countWebhooks(tx, owner)) >= webhooksPerProjectMax)
          throw new Fault(
            'CONFLICT',
            `The project has reached the limit of ${webhooksPerProjectMax} webhooks of ${owner.mode} mode. Delete one first.`,
          );
        const webhookId = makeId('webhook');
        const { secret, sealed } = secrets.make(webhookId);
        const webhook = await insertWebhook(tx, owner, webhookId, settings, sealed);
        await noteChange(tx, actor, webhook, 'webhook.created', shown(settings));
        return { ...showWebhook(webhook), secret };
      });
    },

    change: (asking: Asking, change: WebhookChange): Promise<WebhookReply> => {
      if (change.url === null) throw invalid([{ path: '/url', message: 'has no default. Send a URL.' }]);
      if (change.url !== undefined) requireTarget(change.url);
      return changing(asking, async (tx, webhook) => {
        const settings = settingsOf(webhook, change, webhook);
        await updateWebhook(tx, asking.webhookId, settings);
        await noteChange(tx, asking.actor, webhook, 'webhook.updated', { from: shown(webhook), to: shown(settings) });
        return showWebhook({ ...webhook, ...settings, parking: null });
      });
    },

    remove: (asking: Asking): Promise<WebhookReply> =>
      changing(asking, async (tx, webhook) => {
        await deleteWebhook(tx, asking.webhookId);
        await noteChange(tx, asking.actor, webhook, 'webhook.deleted', shown(webhook));
        return showWebhook(webhook);
      }),

    rotateSecret: (asking: Asking, overlapHours: number): Promise<{ secret: string }> =>
      changing(asking, async (tx, webhook) => {
        const { secret } = await secrets.rotate(tx, 'webhooks', asking.webhookId, overlapHours);
        await noteChange(tx, asking.actor, webhook, 'webhook.secret_rotated', { overlapHours });
        return { secret };
      }),
  };
}

/** The webhook of a test key gets nothing else than test events. */
const defaultsOf = ({ mode }: Pick<ProjectOwner, 'mode'>) => ({ ...webhookDefaults, includeTest: mode !== 'live' });

/** A merge: what is left out stays, null goes back to the default. */
function settingsOf(
  base: WebhookSettings,
  change: WebhookChange,
  { mode }: Pick<ProjectOwner, 'mode'>,
): WebhookSettings {
  if (change.includeTest === false && mode !== 'live')
    throw invalid([
      { path: '/includeTest', message: 'must be true or omitted, because a test key created this webhook.' },
    ]);
  const { events, payloadVersion, description, enabled, includeTest } = change;
  return {
    url: change.url ?? base.url,
    events: merged(events, base.events, webhookDefaults.events),
    payloadVersion: merged(payloadVersion, base.payloadVersion, webhookDefaults.payloadVersion),
    description: description === undefined ? base.description : description,
    enabled: merged(enabled, base.enabled, webhookDefaults.enabled),
    includeTest: merged(includeTest, base.includeTest, defaultsOf({ mode }).includeTest),
  };
}

const merged = <T>(change: T | null | undefined, base: T, fallback: T): T =>
  change === undefined ? base : (change ?? fallback);

/** For the audit trail. The query of an address may contain secrets, so only its beginning is shown. */
const shown = ({
  url,
  events,
  payloadVersion,
  enabled,
  includeTest,
}: WebhookSettings): Readonly<Record<string, unknown>> => ({
  url: new URL(url).origin + new URL(url).pathname,
  events,
  payloadVersion,
  enabled,
  includeTest,
});

type Change<T> = (tx: Queryable, webhook: OwnedWebhook) => Promise<T>;

/** Runs on a webhook of the project, as `requireWebhook` finds it. */
export function onWebhook<T>(database: Database, { owner, webhookId }: Asking, run: Change<T>): Promise<T> {
  return inOrganization(database, owner.organizationId, async (tx) => {
    return run(tx, await requireWebhook(tx, owner, webhookId, { lock: true }));
  });
}

export function noteChange(
  tx: Queryable,
  actor: Actor,
  { organizationId, projectId, webhookId }: StoredWebhook,
  action: AuditAction,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  return recordAudit(tx, actor, {
    organizationId,
    action,
    subject: { kind: 'webhook', id: webhookId },
    detail: { projectId, ...detail },
  });
}

export function requireEnabled({ enabled }: StoredWebhook): void {
  if (!enabled) throw new Fault('CONFLICT', 'The webhook is disabled. Set `enabled` to true first.');
}
