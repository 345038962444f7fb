/** The role `api`: the Fastify application with every capability’s routes, documents, SDK files and the demo page. */
import { createLimits, scoringRateLimits, type Limits } from '../administration/request-limits.js';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { AccessTokenReader } from '../kernel/caller.js';
import type { Settings } from '../config/settings.js';
import { createMakeRef } from '../crypto/master-key.js';
import { registerDemoRoutes } from '../demo/routes.js';
import { Fault } from '../errors.js';
import { createApp, type AppDeps, listen } from '../http/app.js';
import { listGuides, serveDocsSite } from '../http/docs-site.js';
import { registerOpenapi, serveDocument, type DocumentSettings } from '../http/openapi.js';
import { serveSdkFiles } from '../http/sdk-files.js';
import { serveSecurityText } from '../http/security-text.js';
import { packageRoot, packageVersion } from '../package-root.js';
import type { BootstrapIds } from '../projects/operator/bootstrap.js';
import { createMonitor } from '../verification/monitoring/monitor.js';
import { createDashboardVerifier, type ExternalIssuer } from '../administration/dashboard-tokens.js';
import { openDirectories, type Directories } from '../administration/directories.js';
import { createOriginDecision, createPublicGuard } from '../administration/public-guard.js';
import { registerClientRoutes } from '../oauth/client-routes.js';
import { registerAdministration } from '../projects/routes.js';
import { describeWebhooks } from '../webhooks/openapi.js';
import { createSigningSecrets } from '../administration/signing-secrets.js';
import type { OpenUniqueness } from '../verification/uniqueness/open-uniqueness.js';
import { registerVerificationRoutes } from '../verification/routes.js';
import type { TokenKeys } from '../verification/tokens/token-keys.js';
import { registerScoringRoutes } from '../scoring/routes.js';
import { findSilentSources } from '../scoring/sessions/session-index.js';
import type { ScoreService } from '../scoring/score-service.js';
import { registerWebhookRoutes } from '../webhooks/routes.js';
import { serveAgents } from './agents.js';
import { serveConsole } from './console.js';
import { openFaces, serveHosted, openVerification } from './verification.js';
import { openOAuth } from './oauth.js';
import { apiPrefix, elsewhereOf, modelsUrlOf, siteUrlOf, type Parts } from './parts.js';
import type { Geography } from '../scoring/network/geography.js';
import { openGeographyFiles, openPool, openScoring, type OpenScoring } from './scoring.js';
import { webhookDepsOf } from './webhooks.js';
import { modelVersion } from '../../workers/scoring/rule-set.js';
import { fraudSignalTypes } from '../../workers/verification/signals.js';

export interface StartedApi {
  /** The address that callers reach it at. */
  readonly siteUrl: string;
  readonly faces: OpenUniqueness;
  readonly hasDemo: boolean;
  readonly shared: SharedParts;
}

/** Parts that other listeners of the same process also use. */
export interface SharedParts {
  readonly directories: Directories;
  readonly limits: Limits;
  readonly scoring: OpenScoring;
  readonly tokenKeys: TokenKeys;
  readonly accessTokens: AccessTokenReader;
  readonly siteUrl: () => string;
}

/** Keys, projects and organizations as this process knows them; how fresh they are is a metric. */
export async function openKnownRecords({ settings, stores, logger, metrics, now }: Parts): Promise<Directories> {
  const cachedKeysMaxMs = settings.VH_CACHED_KEYS_MINUTES * 60_000;
  const directories = await openDirectories({ database: stores.lookups, logger, now, cachedKeysMaxMs });
  metrics.beforeScrape.push(() => metrics.changeFeedAge.set(directories.feedAgeMs() / 1_000));
  return directories;
}

export const limitsOf = (
  { settings, stores, logger, metrics, now }: Parts,
  { directories, geography }: { readonly directories: Directories; readonly geography: Geography },
): Limits =>
  createLimits({
    ...{ counters: stores.counters, metrics, logger, now },
    findOrganization: directories.organizations.get,
    publicPerMinute: settings.VH_PUBLIC_PER_MINUTE,
    publicPerAddress: settings.VH_PUBLIC_PER_ADDRESS,
    networkOf: (address) => geography.locate(address).network,
  });

const documentOf = (siteUrl: string): DocumentSettings => ({
  baseUrl: apiPrefix,
  siteUrl,
  version: packageVersion,
  preface: `Guides, in the order in which they are read:\n\n${listGuides()}`,
});

async function serveDocumentation(app: FastifyInstance, audienceUrl: () => string): Promise<void> {
  serveDocument(app, apiPrefix);
  const addresses = () => ({ api: apiPrefix, studies: audienceUrl() });
  await serveDocsSite(app, { root: apiPrefix, reference: 'api/scoring.html', addresses });
}

/** Starts the API; resolves once it listens. `audienceUrl`: where respondents enter, as far as this process knows. */
export async function startApi(parts: Parts, ids: BootstrapIds | null, audienceUrl: () => string): Promise<StartedApi> {
  const { settings, metrics, stores, masterKeys, now, drain, opened } = parts;
  const directories = await openKnownRecords(parts);
  opened.push(() => directories.close());
  const geography = await openGeographyFiles(parts);
  const limits = limitsOf(parts, { directories, geography });
  const address = siteUrlOf(settings, settings.PORT);
  let listening: string | null = null;
  const siteUrl = (): string => listening ?? address;
  const issuer = (): string => siteUrl() + apiPrefix;
  const oauth = await openOAuth(parts, { directories, limits, siteUrl, apiUrl: issuer });
  const appDeps = appDepsOf(parts, { directories, limits, accessTokens: oauth.accessTokens });
  const app: FastifyInstance = createApp({ ...appDeps, elsewhere: elsewhereOf(settings, 'audience', audienceUrl) });
  opened.push(() => closeWithin(app, drain.leftMs()), 'the API listener');
  await registerOpenapi(app, { ...documentOf(address), webhooks: describeWebhooks() });
  const decide = createOriginDecision(settings.VH_ENV);
  const guard = createPublicGuard({ directories, limits, decide, ownOrigin: () => new URL(siteUrl()).origin });
  const pool = await openPool(parts);
  const makeRef = createMakeRef(masterKeys.first);
  const { database } = stores;
  const observe = createMonitor({ database, outbox: parts.outbox, pool, directories, makeRef, metrics, now });
  const scoring = await openScoring(parts, { directories, guard, pool, observe, ids, geography });
  const faces = await openFaces(parts, pool);
  const signingSecrets = createSigningSecrets(masterKeys.readable);
  const verification = await openVerification(parts, {
    ...{ directories, guard, limits, pool, uniqueness: faces, observe, signingSecrets, ids, issuer, geography },
    tokenKeys: oauth.tokenKeys,
    findStepUp: scoring.findStepUp,
  });
  await app.register(
    async (api) => {
      registerScoringRoutes(api, { ...scoring, takeKeyRate: limits.takeKeyRate });
      registerVerificationRoutes(api, verification);
      registerAdministration(api, {
        database: stores.database,
        directories,
        limits,
        now,
        environment: settings.VH_ENV,
        signingSecrets,
        guard,
        fraudSignalTypes,
        modelVersion,
        findSilentSources: (owner, sourceIds) => findSilentSources(stores.database, owner, sourceIds),
        modelsBaseUrl: () => modelsUrlOf(settings, siteUrl()),
        faces: { comparesOthers: settings.VH_FACE_MODELS !== null, keptDays: settings.VH_SESSION_RETENTION_DAYS },
      });
      registerWebhookRoutes(api, webhookDepsOf(parts));
      void api.register(async (scope) => registerClientRoutes(scope, { database: stores.database, directories }));
    },
    { prefix: apiPrefix },
  );
  await serveHosted(app, parts, { directories, decide, verification, siteUrl });
  oauth.register(app);
  serveAgents(app, parts, { limits, directories, siteUrl, audienceUrl, version: packageVersion, appDeps });
  if (settings.VH_SECURITY_CONTACT !== null) await serveSecurityText(app, settings.VH_SECURITY_CONTACT, siteUrl);
  await serveDocumentation(app, audienceUrl);
  await serveSdkFiles(app, join(packageRoot, 'dist', 'sdk'));
  await serveConsole(app, parts, { limits, siteUrl, audienceUrl });
  const hasDemo = await serveDemo(app, parts, { directories, scores: scoring.scores, ids, siteUrl });
  // Asked for with every token, and a system call to find out.
  listening = siteUrlOf(settings, await listen(app, { host: settings.HOST, port: settings.PORT }));
  return {
    siteUrl: siteUrl(),
    faces,
    hasDemo,
    shared: { directories, limits, scoring, tokenKeys: oauth.tokenKeys, accessTokens: oauth.accessTokens, siteUrl },
  };
}

/** Access rules for a listener of keys and dashboard tokens. */
export const appDepsOf = (
  { settings, logger, metrics, masterKeys, drain }: Parts,
  { directories, limits, accessTokens }: Pick<SharedParts, 'directories' | 'limits' | 'accessTokens'>,
): AppDeps => ({
  logger,
  metrics,
  accessLog: settings.VH_ACCESS_LOG,
  trustedProxies: settings.VH_TRUSTED_PROXIES,
  isLeaving: drain.isLeaving,
  findKey: directories.findKey,
  findProjectOwner: directories.findProjectOwner,
  findKeyOwner: directories.findKeyOwner,
  takeKeyRate: limits.takeKeyRate,
  takeRefused: (address) => limits.takeAddress('requests', address),
  requireTrial: limits.requireTrial,
  accessTokens,
  verifyDashboardToken: createDashboardVerifier(masterKeys.current, externalIssuerOf(settings)),
});

/** Serves the demo page, in development and where the demo project’s key is one of this database; returns whether it does. The page scores with it; it never leaves the server. */
async function serveDemo(
  app: FastifyInstance,
  { settings, masterKeys }: Parts,
  demo: {
    readonly directories: Pick<Directories, 'findKey'>;
    readonly scores: ScoreService;
    readonly ids: BootstrapIds | null;
    readonly siteUrl: () => string;
  },
): Promise<boolean> {
  const { scores, ids, siteUrl } = demo;
  const { findKey } = demo.directories;
  if (settings.VH_ENV !== 'development' || ids === null || (await findKey(ids.projectKey)) === null) return false;
  await registerDemoRoutes(app, {
    siteUrl,
    ...{ probeKey: ids.probeKey, projectId: ids.projectId },
    salt: createMakeRef(masterKeys.first)(ids.projectId, 'demo', 'salt'),
    async score(request) {
      const caller = await findKey(ids.projectKey);
      if (caller === null)
        throw new Fault(
          'INVALID_KEY',
          'The demo project’s key was revoked. Restart with an empty data directory to create another.',
        );
      return scores.score(caller, request, { rateLimits: scoringRateLimits(caller) });
    },
  });
  return true;
}

function externalIssuerOf({
  DASHBOARD_JWKS_URL: jwksUrl,
  DASHBOARD_ISSUER: issuer,
  DASHBOARD_AUDIENCE: audience,
  DASHBOARD_TOKEN_TYPE: type,
}: Settings): ExternalIssuer | null {
  return jwksUrl === null || issuer === null || audience === null ? null : { jwksUrl, issuer, audience, type };
}

/** Waits for requests in flight, and not longer than the deadline. */
export async function closeWithin(app: FastifyInstance, deadlineMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), deadlineMs);
  await app.close();
  clearTimeout(timer);
}
