/** Verification, put together: sessions, tokens and their keys, results, faces, and the hosted page. */
import { randomBytes, randomInt } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Directories } from '../administration/directories.js';
import type { PublicGuard, DecideOrigin } from '../administration/public-guard.js';
import type { Limits } from '../administration/request-limits.js';
import type { SigningSecrets } from '../administration/signing-secrets.js';
import { createMakeRef, deriveKey } from '../crypto/master-key.js';
import type { Pool } from '../pool/pool.js';
import type { Observe } from '../verification/monitoring/monitor.js';
import type { BootstrapIds } from '../projects/operator/bootstrap.js';
import type { FindStepUp } from '../contract/step-up.js';
import type { Geography } from '../scoring/network/geography.js';
import { createAnalyticsService } from '../verification/analytics/analytics-service.js';
import { Fault } from '../errors.js';
import type { Database } from '../stores/database/port.js';
import { biometricExample, deviceOnlyExample } from '../contract/envelope-examples.js';
import { probeBodyOf } from '../contract/envelope.js';
import { sketchKnown } from '../pool/known-device.js';
import { deviceRefOf } from '../verification/uniqueness/device-comparison.js';
import type { Uniqueness } from '../verification/uniqueness/uniqueness.js';
import { createPictureJudge, type PictureJudge } from '../verification/verify/picture-judge.js';
import { createFaceTries } from '../verification/verify/face-tries.js';
import { createVerifyService } from '../verification/verify/verify-service.js';
import { createResultService } from '../verification/results/result-service.js';
import { findSourcesOf } from '../scoring/sessions/session-index.js';
import type { VerificationRouteDeps } from '../verification/routes.js';
import { createChallengeService, type Randomness } from '../verification/sessions/challenges.js';
import { findOutcome } from '../verification/sessions/session-store.js';
import { createSessionProofs } from '../verification/sessions/session-proofs.js';
import { createSessionService } from '../verification/sessions/session-service.js';
import { createSecretGuard } from '../verification/sessions/client-secret.js';
import { createOutcomeDirectory } from '../verification/tokens/outcome-directory.js';
import { createSigningDirectory } from '../verification/tokens/signing-directory.js';
import type { TokenKeys } from '../verification/tokens/token-keys.js';
import { createTokenCheck } from '../verification/tokens/token-expectations.js';
import { createTokenVerifier, type TokenVerifierDeps } from '../verification/tokens/verification-token.js';
import { openErasures, openExport } from './data-subjects.js';
import { type Parts, apiPrefix, modelsUrlOf } from './parts.js';
import { registerLinkRoutes } from '../verification/hosted/link-routes.js';
import { createLinkService, createReturnCheck } from '../verification/hosted/link-service.js';
import { registerHostedPage } from '../verification/hosted/page-routes.js';
import { createLinkedResults, type LinkedResultDeps } from '../verification/results/result-service.js';
import { readFaceModels } from '../verification/uniqueness/face-models.js';
import { openUniqueness, type OpenUniqueness } from '../verification/uniqueness/open-uniqueness.js';

export interface VerificationDeps {
  readonly directories: Directories;
  readonly guard: PublicGuard;
  readonly limits: Limits;
  readonly pool: Pool;
  readonly uniqueness: Uniqueness;
  readonly observe: Observe;
  readonly signingSecrets: SigningSecrets;
  readonly tokenKeys: TokenKeys;
  readonly ids: BootstrapIds | null;
  readonly geography: Geography;
  readonly findStepUp: FindStepUp;
  /** The API root. */
  readonly issuer: () => string;
}

const random: Randomness = { integer: (below) => randomInt(below), bytes: (count) => randomBytes(count) };

type OpenVerification = VerificationRouteDeps & Pick<LinkedResultDeps, 'verifyToken'>;

/** `verifyToken` takes verificationTokens alone: what the hosted page hands in. */
const wireTokens = (deps: TokenVerifierDeps, database: Database) => ({
  verifyToken: createTokenVerifier({ ...deps, publicKey: () => null }),
  checkToken: createTokenCheck({ database, verifyToken: createTokenVerifier(deps) }),
});

export async function openVerification(parts: Parts, deps: VerificationDeps): Promise<OpenVerification> {
  const { settings, metrics, stores, masterKeys, now } = parts;
  const { database, lookups, counters } = stores;
  const { directories, guard, limits, pool, uniqueness, tokenKeys, issuer } = deps;
  const makeRef = createMakeRef(masterKeys.first);
  const signing = createSigningDirectory({
    database: lookups,
    signingSecrets: deps.signingSecrets,
    findProjectOwner: directories.findProjectOwner,
    onProjectChange: directories.onProjectChange,
    now,
  });
  const outcomes = createOutcomeDirectory({
    load: (sessionId) => findOutcome(lookups, sessionId),
    onSessionErased: directories.onSessionErased,
    feedAgeMs: directories.feedAgeMs,
  });
  return {
    ...{ database, makeRef },
    findSources: (owner, sessionRefs) => findSourcesOf(lookups, owner, sessionRefs),
    directories,
    guard,
    limits,
    observe: deps.observe,
    secrets: createSecretGuard({ counters, metrics, now }),
    faceTries: createFaceTries({ counters, metrics, now }),
    proofs: createSessionProofs({
      ...{ random, limits, metrics, now },
      key: deriveKey(masterKeys.first, 'session proofs'),
    }),
    sessions: createSessionService({ database, random, metrics, now, findStepUp: deps.findStepUp }),
    challenges: createChallengeService({ database, random, now }),
    results: createResultService({
      ...{ database, signing, tokenKeys, issuer, now },
      environment: settings.VH_ENV,
    }),
    verifications: createVerifyService({
      database,
      outbox: parts.outbox,
      uniqueness,
      judge: (facts) => pool.run({ kind: 'verdict', facts }),
      judgePictures: openPictures(parts).judge,
      marksOf: (envelope) => pool.run({ kind: 'marks', envelope }),
      sketchOf: (envelope) => sketchKnown(pool, probeBodyOf(envelope)),
      ...{ signing, issuer, random, metrics, now },
    }),
    analytics: createAnalyticsService({ database, now }),
    erasures: openErasures({ settings, database, counters, now }, makeRef, outcomes.forget),
    exports: openExport(database, makeRef),
    locate(address) {
      if (address?.range !== 'public') return null;
      const { organization: _organization, ...location } = deps.geography.locate(address);
      return { family: address.family, range: address.range, ...location };
    },
    envelopeExamples: [deviceOnlyExample, biometricExample],
    ...wireTokens(
      { findSecrets: signing.find, publicKey: tokenKeys.publicKey, readResult: orNull(outcomes.read), issuer, now },
      database,
    ),
    tokenKeys,
    metrics,
    now,
    deviceRefOf: (organizationId, token) => deviceRefOf(makeRef, organizationId, token),
    exampleSiteKey: deps.ids?.siteKey ?? null,
  };
}

function openPictures({ settings, metrics, opened }: Parts): PictureJudge {
  const judge = createPictureJudge({ threads: settings.VH_PICTURE_THREADS, metrics });
  opened.push(() => judge.close());
  return judge;
}

/** null as well while the database is away: a token is worth what it claims. */
const orNull = (read: TokenVerifierDeps['readResult']) => (sessionId: string) =>
  read(sessionId).catch((error: unknown) => {
    if (error instanceof Fault && error.code === 'STORE_UNAVAILABLE') return null;
    throw error;
  });

export interface HostedDeps {
  readonly directories: Directories;
  readonly decide: DecideOrigin;
  readonly verification: OpenVerification;
  readonly siteUrl: () => string;
}

/** Registers the routes of links below the API root, and the page at the site’s. */
export async function serveHosted(
  app: FastifyInstance,
  { settings, stores, now }: Parts,
  { directories, decide, verification, siteUrl }: HostedDeps,
): Promise<void> {
  const rules = { isAllowed: createReturnCheck(decide), environment: settings.VH_ENV };
  const common = { database: stores.database, directories, now };
  const links = createLinkService({ ...common, ...rules, siteUrl });
  await app.register(async (api) => registerLinkRoutes(api, links), { prefix: apiPrefix });
  await registerHostedPage(app, {
    ...common,
    ...rules,
    finish: createLinkedResults(verification),
    baseUrl: () => siteUrl() + apiPrefix,
    modelsUrl: () => modelsUrlOf(settings, siteUrl()),
  });
}

/** How often the index of faces looks for what others changed. */
const intervalMs = 500;

/** Opens it; the index is filled behind, and the operator’s readiness says when it is there. */
export async function openFaces(parts: Parts, pool: Pool): Promise<OpenUniqueness> {
  const { settings, logger, metrics, stores, masterKeys, opened } = parts;
  const uniqueness = openUniqueness({
    database: stores.database,
    masterKeys: masterKeys.readable,
    makeRef: createMakeRef(masterKeys.first),
    pool,
    models: await readFaceModels(settings.VH_FACE_MODELS),
    threads: settings.VH_FACE_THREADS,
    intervalMs,
    metrics,
    logger,
  });
  opened.push(() => uniqueness.close());
  return uniqueness;
}
