/** Server-side scoring, put together: the worker pool, geography, agents, counters, receipts. */
import { judgeScore } from '../../workers/scoring/score.js';
import { createBatchSigner } from '../crypto/batch-signer.js';
import { createMakeRef, deriveSigningKey, type MakeRef } from '../crypto/master-key.js';
import { type Pool, createPool } from '../pool/pool.js';
import type { BootstrapIds } from '../projects/operator/bootstrap.js';
import type { Directories } from '../administration/directories.js';
import type { PublicGuard } from '../administration/public-guard.js';
import type { Observe } from '../verification/monitoring/monitor.js';
import { findEndedStepUps } from '../verification/sessions/session-store.js';
import type { FindStepUp } from '../contract/step-up.js';
import { createStepUpReceipts } from '../scoring/receipts/step-up-receipts.js';
import { modeOf } from '../kernel/caller.js';
import { isUnavailable } from '../errors.js';
import { createChainService } from '../scoring/receipts/chain-service.js';
import { createEvidenceService } from '../scoring/receipts/evidence-service.js';
import { openGeography, type Geography } from '../scoring/network/geography.js';
import { findReleased } from '../scoring/receipts/find-receipt.js';
import { createProbeWatch, noProbeWatch } from '../scoring/probe/probe-watch.js';
import { createProbeService } from '../scoring/probe/probe-service.js';
import { isPlace } from '../audience/reservation-store.js';
import { createPlaceSettlement, type FindRejections, type SettlePlaces } from '../audience/place-settlement.js';
import { createReversalReader } from '../scoring/outcomes/reversal-reader.js';
import { createOutcomeService, type OutcomeService } from '../scoring/outcomes/outcome-service.js';
import { registerScoringRoutes } from '../scoring/routes.js';
import { scoringSubjectsOf } from '../scoring/gather.js';
import { createScoreService } from '../scoring/score-service.js';
import { createSessionService } from '../scoring/sessions/session-service.js';
import { createRecommendationService } from '../scoring/thresholds/recommendation-service.js';
import { createReportService } from '../scoring/thresholds/report-service.js';
import { createShadowService } from '../scoring/thresholds/shadow-service.js';
import { createSimulationService } from '../scoring/thresholds/simulation-service.js';
import { createRecoveryProgress } from '../scoring/recovery/recovery-progress.js';
import { createCounterRecovery } from '../scoring/recovery/counter-recovery.js';
import { watchFreshness } from '../stores/log/freshness.js';
import { createAgentVerifier, readTrustedAgentKeys } from '../scoring/web-bot-auth/web-bot-auth.js';
import type { Parts } from './parts.js';

/** The parts for the routes of scoring, and for other users of respondents’ addresses. */
export type OpenScoring = Omit<Parameters<typeof registerScoringRoutes>[1], 'takeKeyRate'> & {
  readonly geography: Geography;
  readonly findStepUp: FindStepUp;
  readonly findRejections: FindRejections;
  readonly settlePlaces: SettlePlaces;
};

export interface ScoringDeps {
  readonly directories: Directories;
  readonly guard: PublicGuard;
  readonly pool: Pool;
  readonly observe: Observe;
  readonly ids: BootstrapIds | null;
  readonly geography: Geography;
}

/** Opens what scoring needs; answers the services that its routes serve. */
export async function openScoring(
  parts: Parts,
  { directories, guard, pool, observe, ids, geography }: ScoringDeps,
): Promise<OpenScoring> {
  const { settings, logger, metrics, stores, masterKeys, now } = parts;
  const { counters, database, lookups, log } = stores;
  const { findProjectOwner } = directories;
  const findLiteConfig = async (projectId: string) =>
    (await directories.projects.get(projectId))?.fields.config?.liteConfig;
  const { modelVersion } = await pool.run({ kind: 'model' });
  const trustedKeys =
    settings.VH_TRUSTED_AGENT_KEYS === null ? [] : await readTrustedAgentKeys(settings.VH_TRUSTED_AGENT_KEYS);
  const makeRef = createMakeRef(masterKeys.first);
  const receiptKeys = masterKeys.readable.map((key) => deriveSigningKey(key, 'receipts'));
  const watch = settings.VH_ENV === 'development' ? createProbeWatch(now) : noProbeWatch;
  const receipts = { database: lookups, counters, pool, receiptKeys };
  const verifier = createAgentVerifier({ trustedKeys, now });
  return {
    geography,
    scores: createScoreService({
      counters,
      findReleased: (namespace, receiptId) => findReleased(lookups, receiptKeys, namespace, receiptId),
      log,
      pool,
      judgeScore,
      geography,
      readStepUps: (owner, sessionId) =>
        owner.projectId === null
          ? Promise.resolve([])
          : findEndedStepUps(lookups, { projectId: owner.projectId, mode: modeOf(owner) }, sessionId).catch(unread),
      makeRef,
      signer: createBatchSigner(deriveSigningKey(masterKeys.current, 'receipts')),
      ...{ modelVersion, metrics, logger, now, watch },
      counterRecovery: createCounterRecovery({ database, lookups, counters, log, pool, logger, metrics, now }),
      verifyAgent: (material, origins) =>
        verifier.verify(material, origins, { anyAuthority: settings.VH_ENV === 'development' && origins.length === 0 }),
      subjects: scoringSubjectsOf(directories),
    }),
    ...openOutcomes(parts, makeRef, directories),
    evidence: createEvidenceService({ ...receipts, isPlace: (...named) => isPlace(lookups, ...named) }),
    findStepUp: createStepUpReceipts({ ...receipts, makeRef }),
    probes: createProbeService({
      counters,
      pool,
      makeRef,
      metrics,
      now,
      watch,
      observe,
      logger,
      countProbe: (projectId, origin, address) => guard.countProbe(projectId, origin, address),
      findProbeProject: async (probeKey) => (await directories.probeKeys.get(probeKey))?.projectId ?? null,
    }),
    thresholds: {
      simulation: createSimulationService({ database, pool, now }),
      recommendations: createRecommendationService({ database, pool, now, findLiteConfig }),
      shadow: createShadowService({ database, pool, now, findLiteConfig, modelVersion }),
      reports: createReportService({ database, pool, now }),
      ...{ findOwner: findProjectOwner, ...openStateReports(parts) },
    },
    sessions: { sessions: createSessionService({ database, counters, makeRef, now }), findOwner: findProjectOwner },
    receipts: { chains: createChainService({ database, receiptKeys }), findOwner: findProjectOwner },
    exampleProbeKey: ids?.probeKey ?? null,
  };
}

function openStateReports({ stores: { counters, log, holdsReceipts }, background, now }: Parts) {
  const freshness = watchFreshness({ log, holdsReceipts, now });
  background.push(freshness);
  return { freshness, readRecovery: createRecoveryProgress({ counters, now }), now };
}

function openOutcomes(
  { stores, metrics, logger, now }: Parts,
  makeRef: MakeRef,
  { findProjectOwner }: Pick<Directories, 'findProjectOwner'>,
): Pick<OpenScoring, 'outcomes' | 'findRejections' | 'settlePlaces'> {
  const { counters, database, log } = stores;
  const findRejections = createReversalReader({ database, makeRef });
  const outcomes = createOutcomeService({ database, counters, log, makeRef, metrics, logger, now, findProjectOwner });
  const settlePlaces = createPlaceSettlement({ database, findRejections });
  return { outcomes: settling(outcomes, settlePlaces), findRejections, settlePlaces };
}

/** Outcomes of places reject and restore their completes before the answer. A call that fails there is sent again. */
const settling = ({ accept }: OutcomeService, settle: SettlePlaces): OutcomeService => ({
  async accept(owner, events, source = {}) {
    const reply = await accept(owner, events, source);
    await settle(owner, source.session === undefined ? events.flatMap(sessionOf) : [source.session]);
    return reply;
  },
});

const sessionOf = (event: unknown): string[] =>
  typeof event === 'object' && event !== null && 'sessionId' in event && typeof event.sessionId === 'string'
    ? [event.sessionId]
    : [];

const unread = (error: unknown): null => {
  if (isUnavailable(error)) return null;
  throw error;
};

/** The files of countries and networks; their age is a metric. */
export async function openGeographyFiles({ settings, logger, metrics, opened }: Parts): Promise<Geography> {
  const geography = await openGeography({
    countryDbPath: settings.GEOIP_COUNTRY_DB,
    asnDbPath: settings.GEOIP_ASN_DB,
    anonymousDbPath: settings.GEOIP_ANONYMOUS_DB,
    torListPath: settings.GEOIP_TOR_LIST,
    proxyListPath: settings.GEOIP_PROXY_LIST,
    logger,
  });
  opened.push(async () => geography.close());
  metrics.beforeScrape.push(() => {
    for (const [setting, builtAtMs] of Object.entries(geography.builtAt()))
      metrics.geographyAge.set({ setting }, (Date.now() - builtAtMs) / 1_000);
  });
  return geography;
}

const poolDeadlineMs = 2_000;

/** Opens the pool; every thread of it has loaded when this resolves. */
export async function openPool({ settings, metrics, opened }: Parts): Promise<Pool> {
  const pool = createPool({
    entry: new URL('../../workers/main.js', import.meta.url),
    threads: settings.VH_POOL_THREADS,
    queueMax: settings.VH_POOL_QUEUE,
    deadlineMs: poolDeadlineMs,
    metrics,
  });
  opened.push(() => pool.close());
  await pool.warm();
  return pool;
}
