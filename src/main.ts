/**
 * Puts the service together: stores, keys, directories, pool, capabilities, listeners. Started in order, stopped in reverse; a
 * failure on the way closes what was opened. Importing this file starts nothing; src/cli/serve.ts runs it.
 */
import type { Role, Settings } from './config/settings.js';
import { admitMasterKeys, refuseOtherMasterKeys, ownMasterKey } from './administration/master-keys.js';
import {
  bootstrapDemo,
  readBootstrap,
  writeBootstrap,
  type Addresses,
  type BootstrapIds,
} from './projects/operator/bootstrap.js';
import { createSigningSecrets } from './administration/signing-secrets.js';
import { createClosers } from './stores/closers.js';
import { createOutbox } from './stores/outbox/outbox.js';
import { openStores } from './stores/open.js';
import { settleUntil } from './stores/notifier.js';
import type { Logger } from './telemetry/logger.js';
import { packageCommit, packageVersion } from './package-root.js';
import { createMetrics } from './telemetry/metrics.js';
import { startAdmin } from './wiring/admin.js';
import { startApi } from './wiring/api.js';
import { startAudience, type StartedAudience } from './wiring/audience.js';
import { startConsumers } from './wiring/consumers.js';
import { createDrain } from './wiring/drain.js';
import { apiPrefix, audienceUrlOf, listenerUrl, siteUrlOf, type Background, type Parts } from './wiring/parts.js';

export interface Service {
  readonly bootstrap: Partial<BootstrapIds> & Addresses;
  /** The callable parts; a process without a role has no address for it. */
  readonly serves: { readonly api: boolean; readonly audience: boolean; readonly demo: boolean };
  /** The demo organization was created by this start. */
  readonly firstStart: boolean;
  /** Answers on while balancers look away, stops accepting, finishes what is in flight, flushes. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  /** The clock of scoring and administration, milliseconds since 1970. */
  readonly now?: () => number;
  /** Waits out the drain time, in which calls are still answered. */
  readonly waitDrain?: (ms: number) => Promise<unknown>;
  /** Aborted while it starts, the start closes what it opened and rejects with the reason. */
  readonly stop?: AbortSignal;
}

export async function startService(
  settings: Settings,
  logger: Logger,
  { now = Date.now, waitDrain, stop }: ServiceOptions = {},
): Promise<Service> {
  const opened = createClosers();
  const listens = hasRole(settings, 'api') || hasRole(settings, 'audience');
  const drain = createDrain(listens ? settings.VH_DRAIN_SECONDS * 1_000 : 0, waitDrain);
  const step = <T>(work: Promise<T>): Promise<T> => settleUntil(stop, work);
  try {
    const given = { current: ownMasterKey(settings), kept: settings.VH_MASTER_KEYS_KEPT };
    const metrics = createMetrics();
    metrics.build.set({ version: packageVersion, commit: packageCommit }, 1);
    const stores = await openStores({
      settings,
      logger,
      metrics,
      admit: (database) => refuseOtherMasterKeys(database, given),
      ...(stop === undefined ? {} : { stop }),
    });
    opened.push(() => stores.close(), 'the stores');
    const masterKeys = await step(admitMasterKeys(stores.database, given));
    const outbox = createOutbox({ database: stores.database, log: stores.log, logger, metrics });
    opened.push(() => outbox.close(), 'the outbox');
    const isApi = hasRole(settings, 'api');
    const keep = (ids: BootstrapIds): void =>
      writeBootstrap(settings.VH_DATA_DIR, { ...ids, ...configuredAddresses(settings) });
    const created =
      isApi && (settings.VH_BOOTSTRAP ?? settings.VH_ENV === 'development')
        ? await step(bootstrapDemo(stores.database, createSigningSecrets(masterKeys.readable), keep))
        : null;
    const ids = created ?? readBootstrap(settings.VH_DATA_DIR);
    const background: Background[] = [];
    const stopBackground = async (): Promise<void> => void (await Promise.all(background.map((one) => one.stop())));
    opened.push(stopBackground, 'the consumers');
    const base = { settings, logger, metrics, stores, outbox, masterKeys, now };
    const parts: Parts = { ...base, drain, background, opened, webhookListeners: [] };
    const consumers = hasRole(settings, 'consumers') ? await step(startConsumers(parts)) : [];
    let audience: StartedAudience | null = null;
    const audienceUrl = (): string => audience?.audienceUrl ?? audienceUrlOf(settings, settings.AUDIENCE_PORT);
    const api = isApi ? await step(startApi(parts, ids, audienceUrl)) : null;
    audience = hasRole(settings, 'audience') ? await step(startAudience(parts, ids, api?.shared ?? null)) : null;
    const siteUrl = api?.siteUrl ?? siteUrlOf(settings, settings.PORT);
    const rounds = audience === null ? [] : [audience.rounds];
    const adminUrl = await step(startAdmin(parts, [...consumers, ...rounds], api));
    const addresses = addressesOf(siteUrl, audienceUrl(), adminUrl);
    if (isApi && ids !== null) writeBootstrap(settings.VH_DATA_DIR, { ...ids, ...addresses });
    return {
      bootstrap: { ...ids, ...addresses },
      serves: { api: isApi, audience: audience !== null, demo: api?.hasDemo === true },
      firstStart: created !== null,
      stop: () => drain.run().then(() => opened.close(drain.endsInMs)),
    };
  } catch (error) {
    if (stop?.aborted === true) void drain.run();
    await opened.close(stop?.aborted === true ? drain.endsInMs : undefined).catch((closing: unknown) => {
      logger.warn({ err: closing }, 'what was opened did not close cleanly');
    });
    throw error;
  }
}

const addressesOf = (siteUrl: string, audienceUrl: string, adminUrl: string): Addresses => ({
  siteUrl,
  baseUrl: siteUrl + apiPrefix,
  audienceUrl,
  adminUrl,
});

/** Those that the settings name, before anything listens. */
const configuredAddresses = (settings: Settings): Addresses =>
  addressesOf(
    siteUrlOf(settings, settings.PORT),
    audienceUrlOf(settings, settings.AUDIENCE_PORT),
    listenerUrl(settings.ADMIN_HOST ?? settings.HOST, settings.ADMIN_PORT),
  );

const hasRole = (settings: Settings, role: Role): boolean => settings.VH_ROLES.includes(role);
