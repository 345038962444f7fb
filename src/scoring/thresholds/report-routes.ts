/** Routes of the reports: for the project of the key; any other credential names one. */
import type { FastifyInstance } from 'fastify';
import {
  CalibrationQuery,
  CalibrationReply,
  FairnessQuery,
  FairnessReply,
  MixQuery,
  MixReply,
  SourcesQuery,
  SourcesReply,
} from '../../contract/reports.js';
import { type Feed, feeds, FreshnessQuery, FreshnessReply } from '../../contract/freshness.js';
import { CounterRecoveryQuery, CounterRecoveryReply } from '../../contract/recovery.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import { readingProject, resolveProjectScope, type ProjectScopeDeps } from '../project-scope.js';
import type { Freshness } from '../../stores/log/freshness.js';
import type { ReadRecovery } from '../recovery/recovery-progress.js';
import type { ReportService } from './report-service.js';

export interface ReportRouteDeps extends ProjectScopeDeps {
  readonly reports: ReportService;
  readonly freshness: Pick<Freshness, 'completeUntilMs'>;
  readonly readRecovery: ReadRecovery;
  readonly now: () => number;
}

const route = routesOf('Reports');
const errors = errorReplies([400, 401, 403, 404, 429]);

export function registerReportRoutes(app: FastifyInstance, deps: ReportRouteDeps): void {
  registerStateRoutes(app, deps);
  app.get(
    '/lite/mix',
    route(
      readingProject,
      {
        operationId: 'readMix',
        summary: 'Recommendations by source and day',
        description: 'A session scored several times counts once, on the day of its last receipt.',
        querystring: MixQuery,
        response: { 200: MixReply, ...errors },
      },
      'reports',
    ),
    async (request) => {
      const { projectId, ...question } = request.query;
      return deps.reports.mix(await resolveProjectScope(deps, request.caller, projectId), question);
    },
  );

  app.get(
    '/lite/sources',
    route(
      readingProject,
      {
        operationId: 'listSources',
        summary: 'The league of sources',
        description:
          'Volume, share of fraud, drift and independence of each source, from what is kept of receipts and outcomes.',
        querystring: SourcesQuery,
        response: { 200: SourcesReply, ...errors },
      },
      'reports',
    ),
    async (request) => {
      const { projectId, ...period } = request.query;
      return deps.reports.sources(await resolveProjectScope(deps, request.caller, projectId), period);
    },
  );

  app.get(
    '/lite/calibration',
    route(
      readingProject,
      {
        operationId: 'readCalibration',
        summary: 'Whether scores mean what they say',
        description: 'Announced against observed fraud by band of scores, from labels that are at least 60 days old.',
        querystring: CalibrationQuery,
        response: { 200: CalibrationReply, ...errors },
      },
      'reports',
    ),
    async (request) => {
      const { projectId, ...question } = request.query;
      return deps.reports.calibration(await resolveProjectScope(deps, request.caller, projectId), question);
    },
  );
  registerFairnessRoute(app, deps);
}

function registerFairnessRoute(app: FastifyInstance, deps: ReportRouteDeps): void {
  app.get(
    '/lite/fairness',
    route(
      readingProject,
      {
        operationId: 'readFairness',
        summary: 'False reviews and blocks by group',
        description:
          'How honest sessions fared by country, browser family and device tier: those with a completion that has stood for 60 days.',
        querystring: FairnessQuery,
        response: { 200: FairnessReply, ...errors },
      },
      'reports',
    ),
    async (request) => {
      const { projectId, ...question } = request.query;
      return deps.reports.fairness(await resolveProjectScope(deps, request.caller, projectId), question);
    },
  );
}

/** Routes that say whether reports and scores are complete. */
function registerStateRoutes(app: FastifyInstance, deps: ReportRouteDeps): void {
  app.get(
    '/lite/freshness',
    route(readingProject, {
      operationId: 'readFreshness',
      summary: 'How late recorded data is',
      description:
        'Accepted data is durable at once and reaches lists and reports within seconds, or later while the log is unavailable. The same for all projects.',
      querystring: FreshnessQuery,
      response: { 200: FreshnessReply, ...errorReplies([400, 401, 403, 429]) },
    }),
    () => ({
      generatedAt: new Date(deps.now()).toISOString(),
      completeUntil: mapFeeds((feed) => formatTime(deps.freshness.completeUntilMs(feed))),
    }),
  );

  app.get(
    '/lite/recovery',
    route(readingProject, {
      operationId: 'readRecovery',
      summary: 'Progress of counter recovery',
      description:
        'If Redis lost counters, they are rebuilt from the database in the background. Until then, scores name in degradedSignals what they could not count.',
      querystring: CounterRecoveryQuery,
      response: { 200: CounterRecoveryReply, ...errors },
    }),
    async (request) => {
      const { namespace } = await resolveProjectScope(deps, request.caller, request.query.projectId);
      return deps.readRecovery(namespace);
    },
  );
}

const mapFeeds = <T>(value: (feed: Feed) => T): Record<Feed, T> =>
  Object.fromEntries(feeds.map((feed) => [feed, value(feed)])) as Record<Feed, T>;

const formatTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
