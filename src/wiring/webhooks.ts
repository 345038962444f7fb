/** Webhooks, put together: for the API what its routes work with, for the consumers the delivering itself. */
import { noteArrived } from '../audience/postbacks.js';
import { createSecretStore } from '../administration/secret-store.js';
import { createGuardedConnect, createResolveHost, resolveLocally } from '../net/guarded-connect.js';
import { createTargetClassifier } from '../net/target-address.js';
import type { Consumer } from '../stores/log/port.js';
import { startDeliveries } from '../webhooks/deliveries.js';
import { createPoster } from '../webhooks/post.js';
import type { WebhookDeps } from '../webhooks/routes.js';
import type { Parts } from './parts.js';

/** Limits one attempt, from the name to the last byte of the reply. */
const timeoutMs = 10_000;
/** Limits one address of a target; others of the same name are tried within the attempt. */
const connectTimeoutMs = 4_000;

export function webhookDepsOf({ settings, stores, masterKeys, now, logger, webhookListeners }: Parts): WebhookDeps {
  return {
    onChange: (webhookId) => webhookListeners.forEach((listener) => listener(webhookId)),
    database: stores.database,
    log: stores.log,
    logger,
    now,
    secrets: createSecretStore(masterKeys.readable),
    target: {
      classify: createTargetClassifier(),
      allowPrivate: settings.VH_WEBHOOK_ALLOW_PRIVATE,
      isDevelopment: settings.VH_ENV === 'development',
    },
  };
}

/** Starts delivering. */
export async function openDeliveries(parts: Parts): Promise<Consumer> {
  const { settings, stores, masterKeys, metrics, logger, now } = parts;
  const allowPrivate = settings.VH_WEBHOOK_ALLOW_PRIVATE;
  const connect = createGuardedConnect({
    resolve: allowPrivate ? resolveLocally : createResolveHost(),
    classify: allowPrivate ? null : createTargetClassifier(),
    timeoutMs: connectTimeoutMs,
  });
  return startDeliveries({
    database: stores.database,
    log: stores.log,
    logger,
    metrics,
    secrets: createSecretStore(masterKeys.readable),
    poster: createPoster({ connect, timeoutMs }),
    timeoutMs,
    waitsSeconds: settings.VH_WEBHOOK_BACKOFF_SECONDS,
    retentionDays: settings.VH_WEBHOOK_RETENTION_DAYS,
    now,
    clock: () => performance.now(),
    random: Math.random,
    listeners: parts.webhookListeners,
    noteArrived: (arrived) => noteArrived(stores.database, arrived),
  });
}
