/**
 * What every write to a webhook has in common: it runs in a transaction of the organization, on a row that nobody else changes meanwhile, and
 * is recorded with it.
 */
import { notFound } from '../kernel/faults.js';
import type { AuditAction } from '../contract/audit.js';
import { recordAudit, type Actor } from '../administration/audit.js';
import { Fault } from '../errors.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import { findWebhook, type StoredWebhook, type WebhookOwner } from './webhook-store.js';

/** Runs on a webhook of the project; NOT_FOUND where there is none. */
export function onWebhook<T>(
  database: Database,
  owner: WebhookOwner,
  webhookId: string,
  run: (tx: Queryable, webhook: StoredWebhook) => Promise<T>,
): Promise<T> {
  return inOrganization(database, owner.organizationId, async (tx) => {
    const webhook = await findWebhook(tx, owner, webhookId, { lock: true });
    if (webhook === null) throw notFound('webhook');
    return run(tx, webhook);
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
  if (!enabled)
    throw new Fault('CONFLICT', 'The webhook is disabled, so that nothing is sent to it. Set enabled to true first.');
}
