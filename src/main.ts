/**
 * Puts the service together: stores, keys, directories, pool, capabilities, listeners. Started in order, stopped in reverse; a
 * failure on the way closes what was opened. Importing this file starts nothing; src/cli/start.ts runs it.
 */
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Role, Settings } from './config.js';
import { createBatchSigner } from './crypto/batch-signer.js';
import { createMakeRef, deriveSigningKey, loadMasterKey } from './crypto/master-key.js';
import { registerDemoRoutes } from './demo/routes.js';
import { Fault } from './errors.js';
import { createApp } from './http/app.js';
import { registerOpenapi, serveDocs } from './http/openapi.js';
import { serveSdkFiles } from './http/sdk-files.js';
import { packageRoot } from './package-root.js';
import { createPool } from './pool/pool.js';
import { bootstrapDemo, readBootstrap, writeBootstrap, type Bootstrap, type BootstrapIds } from './projects/bootstrap.js';
import { createDashboardVerifier, type ExternalIssuer } from './projects/dashboard-tokens.js';
import { openDirectories, type Directories } from './projects/directories.js';
import { createLimits } from './projects/limits.js';
import { registerOperatorChannel } from './projects/operator-channel.js';
import { createOriginDecision } from './projects/origins.js';
import { createPublicGuard } from './projects/public-guard.js';
import { registerAdministration } from './projects/routes.js';
import { createSigningSecrets } from './projects/signing-secrets.js';
import { createEvidenceService } from './scoring/evidence-service.js';
import { openGeography } from './scoring/geography.js';
import { createProbeService } from './scoring/probe-service.js';
import { createReceiptRecorder } from './scoring/receipts.js';
import { startHistoryConsumer } from './scoring/outcomes/history-consumer.js';
import { createOutcomeService } from './scoring/outcomes/outcome-service.js';
import { registerScoringRoutes } from './scoring/routes.js';
import { createScoreService, type ScoreService, type ScoringSubjects } from './scoring/score-service.js';
import { createWarmth } from './scoring/warmth.js';
import { createAgentVerifier, readTrustedAgentKeys } from './scoring/web-bot-auth.js';
import type { Consumer } from './stores/log/port.js';
import { openStores, type Stores } from './stores/open-stores.js';
import { createAdminServer } from './telemetry/admin-server.js';
import type { Logger } from './telemetry/logger.js';
import { createMetrics, type Metrics } from './telemetry/metrics.js';

const apiPrefix = '/api/v1';
const poolDeadlineMs = 2_000;
const stopDeadlineMs = 10_000;
const receiptBatchMax = 500;
const receiptLingerMs = 200;

export interface Service {
  readonly bootstrap: Partial<BootstrapIds> & Pick<Bootstrap, 'baseUrl' | 'siteUrl' | 'audienceUrl' | 'adminUrl'>;
  /** The demo organization was created by this start. */
  readonly firstStart: boolean;
  /** Stops accepting, finishes what is in flight, flushes. */
  stop(): Promise<void>;
}

interface Parts {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly stores: Stores;
  readonly masterKey: Uint8Array;
  readonly now: () => number;
  /** Closers of what was opened so far. */
  readonly opened: (() => Promise<void>)[];
}

export interface ServiceOptions {
  /** The clock of scoring and administration, milliseconds since 1970. */
  readonly now?: () => number;
}

export async function startService(settings: Settings, logger: Logger, { now = Date.now }: ServiceOptions = {}): Promise<Service> {
  const opened: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const masterKey = settings.VH_MASTER_KEY ?? loadMasterKey(settings.VH_DATA_DIR);
    const metrics = createMetrics();
    const stores = await openStores({ settings, logger, metrics });
    opened.push(() => stores.close());
    const isApi = hasRole(settings, 'api');
    const created = isApi && (settings.VH_BOOTSTRAP ?? settings.VH_ENV === 'development') ? await bootstrapDemo(stores.database, createSigningSecrets(masterKey)) : null;
    const ids = created ?? readBootstrap(settings.VH_DATA_DIR);
    const parts: Parts = { settings, logger, metrics, stores, masterKey, now, opened };
    const consumers = hasRole(settings, 'consumers') ? await startConsumers(parts) : [];
    const siteUrl = isApi ? await startApi(parts, ids) : siteUrlOf(settings, settings.PORT);
    const adminUrl = await startAdmin(parts, consumers);
    const addresses = { siteUrl, baseUrl: siteUrl + apiPrefix, audienceUrl: `http://${settings.HOST}:${settings.AUDIENCE_PORT}/v1`, adminUrl };
    if (isApi && ids !== null) writeBootstrap(settings.VH_DATA_DIR, { ...ids, ...addresses });
    return { bootstrap: { ...ids, ...addresses }, firstStart: created !== null, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const hasRole = (settings: Settings, role: Role): boolean => settings.VH_ROLES.includes(role);

const siteUrlOf = (settings: Settings, port: number): string => settings.VH_SITE_URL ?? `http://${settings.HOST}:${port}`;

async function startConsumers({ stores, metrics, logger, now, opened }: Parts): Promise<readonly { readonly group: string; readonly consumer: Consumer }[]> {
  const record = createReceiptRecorder(stores.database);
  const consumer = await stores.log.subscribe({
    topic: 'scores',
    group: 'receipts',
    batchMax: receiptBatchMax,
    lingerMs: receiptLingerMs,
    handle: async (entries) => metrics.receiptsRecorded.inc(await record(entries)),
  });
  opened.push(() => consumer.stop());
  const history = await startHistoryConsumer({ database: stores.database, counters: stores.counters, log: stores.log, logger, now });
  opened.push(() => history.stop());
  return [{ group: 'receipts', consumer }, { group: 'history', consumer: history }];
}

async function startApi(parts: Parts, ids: BootstrapIds | null): Promise<string> {
  const { settings, logger, metrics, stores, masterKey, now, opened } = parts;
  const directories = await openDirectories({ database: stores.lookups, logger, now });
  opened.push(() => directories.close());
  const limits = createLimits({ counters: stores.counters, metrics, logger, now, findOrganization: directories.organizations.get, publicPerMinute: settings.VH_PUBLIC_PER_MINUTE });
  const app = createApp({
    logger, metrics, findKey: directories.findKey, findProjectOwner: directories.findProjectOwner, findKeyOwner: directories.findKeyOwner,
    takeKeyRate: limits.takeKeyRate, requireTrial: limits.requireTrial, verifyDashboardToken: createDashboardVerifier(masterKey, externalIssuerOf(settings)),
  });
  opened.push(() => closeWithin(app, stopDeadlineMs));
  await registerOpenapi(app, siteUrlOf(settings, settings.PORT) + apiPrefix, packageVersion());
  const scoring = await openScoring(parts, directories, ids);
  await app.register(
    async (api) => {
      registerScoringRoutes(api, scoring);
      registerAdministration(api, {
        database: stores.database, directories, limits, now, environment: settings.VH_ENV, signingSecrets: createSigningSecrets(masterKey),
        guard: createPublicGuard({ directories, limits, decide: createOriginDecision(settings.VH_ENV) }),
        modelsBaseUrl: () => `${siteUrlOf(settings, (app.server.address() as AddressInfo | null)?.port ?? settings.PORT)}/sdk/v1/models`,
      });
    },
    { prefix: apiPrefix },
  );
  await serveDocs(app);
  await serveSdkFiles(app, join(packageRoot, 'dist', 'sdk'));
  if (settings.VH_ENV === 'development' && ids !== null) await serveDemo(app, parts, directories, scoring.scores, ids);
  await app.listen({ host: settings.HOST, port: settings.PORT });
  return siteUrlOf(settings, (app.server.address() as AddressInfo).port);
}

/** The demo page, where the demo project’s key is one of this database. The page scores with it; it never leaves the server. */
async function serveDemo(app: FastifyInstance, { settings, masterKey }: Parts, { findKey }: Directories, scores: ScoreService, ids: BootstrapIds): Promise<void> {
  if ((await findKey(ids.projectKey)) === null) return;
  await registerDemoRoutes(app, {
    siteUrl: () => siteUrlOf(settings, (app.server.address() as AddressInfo | null)?.port ?? settings.PORT),
    probeKey: ids.probeKey,
    salt: createMakeRef(masterKey)(ids.projectId, 'demo', 'salt'),
    async score(request) {
      const caller = await findKey(ids.projectKey);
      if (caller === null) throw new Fault('INVALID_KEY', 'The demo project’s key does not work any more.');
      return scores.score(caller, request);
    },
  });
}

async function openScoring(parts: Parts, directories: Directories, ids: BootstrapIds | null): Promise<Parameters<typeof registerScoringRoutes>[1]> {
  const { settings, logger, metrics, stores, masterKey, now, opened } = parts;
  const { counters, database, lookups, log } = stores;
  const pool = createPool({
    entry: new URL('../workers/main.js', import.meta.url), threads: settings.VH_POOL_THREADS, queueMax: settings.VH_POOL_QUEUE, deadlineMs: poolDeadlineMs, metrics,
  });
  opened.push(() => pool.close());
  await pool.warm();
  const geography = await openGeography({ countryDbPath: settings.GEOIP_COUNTRY_DB, asnDbPath: settings.GEOIP_ASN_DB, anonymousDbPath: settings.GEOIP_ANONYMOUS_DB, logger });
  opened.push(async () => geography.close());
  const trustedKeys = settings.VH_TRUSTED_AGENT_KEYS === null ? [] : await readTrustedAgentKeys(settings.VH_TRUSTED_AGENT_KEYS);
  const makeRef = createMakeRef(masterKey);
  const receiptKey = deriveSigningKey(masterKey, 'receipts');
  const verifier = createAgentVerifier({ trustedKeys, now });
  return {
    scores: createScoreService({
      counters, log, pool, geography, makeRef, signer: createBatchSigner(receiptKey), metrics, logger, now,
      warmth: createWarmth({ database: lookups, counters, pool, logger, now }),
      verifyAgent: (material, origins) => verifier.verify(material, origins, { anyAuthority: settings.VH_ENV === 'development' && origins.length === 0 }),
      subjects: scoringSubjectsOf(directories),
    }),
    outcomes: createOutcomeService({ database, log, makeRef, metrics, logger }),
    evidence: createEvidenceService({ database: lookups, counters, pool, receiptKey }),
    probes: createProbeService({
      counters, pool, makeRef, metrics, now,
      findProbeProject: async (probeKey) => (await directories.probeKeys.get(probeKey))?.projectId ?? null,
    }),
    exampleProbeKey: ids?.probeKey ?? null,
  };
}

function scoringSubjectsOf(directories: Directories): ScoringSubjects {
  const assuranceOf = { standard: 'can_step_up_to_biometric', captcha: 'can_step_up_to_captcha', invisible: 'none' } as const;
  return {
    liteEnabled: async (organizationId) => (await directories.organizations.get(organizationId))?.liteEnabled ?? false,
    async findProject(projectId) {
      const project = await directories.projects.get(projectId);
      if (project === null) return null;
      const config = project.fields.config ?? {};
      return { liteConfig: config.liteConfig, assuranceAvailable: assuranceOf[config.widgetMode ?? 'standard'], origins: config.allowedDomains ?? [] };
    },
  };
}

async function startAdmin({ settings, metrics, stores, masterKey, now, opened }: Parts, consumers: Awaited<ReturnType<typeof startConsumers>>): Promise<string> {
  const admin = createAdminServer({
    metrics,
    checks: { database: () => stores.database.ping(), counters: () => stores.counters.ping(), log: () => stores.log.ping() },
    extend: (app) => registerOperatorChannel(app, { database: stores.database, now, masterKey }),
    refresh: () => consumers.forEach(({ group, consumer }) => metrics.consumerTickAge.set({ group }, consumer.tickAgeMs() / 1_000)),
  });
  opened.push(() => admin.close());
  return `http://${settings.HOST}:${await admin.listen(settings.HOST, settings.ADMIN_PORT)}`;
}

function externalIssuerOf({ DASHBOARD_JWKS_URL: jwksUrl, DASHBOARD_ISSUER: issuer, DASHBOARD_AUDIENCE: audience }: Settings): ExternalIssuer | null {
  return jwksUrl === null || issuer === null || audience === null ? null : { jwksUrl, issuer, audience };
}

function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }).version;
}

/** Waits for requests in flight, and not longer than the deadline. */
async function closeWithin(app: FastifyInstance, deadlineMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), deadlineMs);
  await app.close();
  clearTimeout(timer);
}
