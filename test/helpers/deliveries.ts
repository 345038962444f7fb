/** Delivering for tests: a project with webhooks in a database of the test’s own, and senders of whatever number on it. */
import { insertOrganization } from '../../src/administration/organization-store.js';
import { insertProject } from '../../src/administration/project-store.js';
import { makeId } from '../../src/crypto/ids.js';
import { createGuardedConnect } from '../../src/net/guarded-connect.js';
import type { Database } from '../../src/stores/database/port.js';
import type { Consumer, Log } from '../../src/stores/log/port.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { startDeliveries, type DeliveriesDeps } from '../../src/webhooks/deliveries.js';
import { createPoster } from '../../src/webhooks/post.js';
import { createSecretStore } from '../../src/administration/secret-store.js';
import type { ProjectOwner } from '../../src/kernel/caller.js';
import { insertWebhook } from '../../src/webhooks/webhook-store.js';

const secrets = createSecretStore(new Uint8Array(32));

export async function makeProject(database: Database): Promise<ProjectOwner> {
  return database.transaction(async (tx) => {
    const organizationId = await insertOrganization(tx, { name: 'Webhooks', tier: 'free', liteEnabled: false });
    const project = await insertProject(tx, organizationId, { name: 'Webhooks' });
    if (project === null) throw new Error('no project');
    return { organizationId, projectId: project.projectId, mode: 'live' };
  });
}

export async function makeWebhook(database: Database, owner: ProjectOwner, url: string): Promise<string> {
  const webhookId = makeId('webhook');
  const settings = { url, payloadVersion: 'v2', description: null, enabled: true, includeTest: false } as const;
  const { sealed } = secrets.make(webhookId);
  await insertWebhook(database, owner, webhookId, { ...settings, events: ['verification.completed'] }, sealed);
  return webhookId;
}

export function startTestDeliveries(
  stores: { readonly database: Database; readonly log: Log },
  options: Partial<DeliveriesDeps> = {},
): Promise<Consumer> {
  const timeoutMs = options.timeoutMs ?? 1_000;
  const connect = createGuardedConnect({ resolve: async () => ['127.0.0.1'], classify: null, timeoutMs });
  return startDeliveries({
    ...stores,
    logger: createLogger('silent'),
    metrics: createMetrics(),
    secrets,
    poster: createPoster({ connect, timeoutMs }),
    timeoutMs,
    waitsSeconds: [0.05, 0.05, 0.05, 0.05],
    retentionDays: 30,
    now: Date.now,
    clock: () => performance.now(),
    random: Math.random,
    noteArrived: () => Promise.resolve(),
    ...options,
  });
}
