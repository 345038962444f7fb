/**
 * Routes that test thresholds before they change. Both are for the project of the key; any other credential names one.
 */
import type { FastifyInstance } from 'fastify';
import {
  RecommendationsQuery,
  RecommendationsReply,
  SimulationReply,
  SimulationRequest,
} from '../../contract/thresholds.js';
import { ShadowQuery, ShadowReply } from '../../contract/shadow.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import { readingProject, resolveProjectScope } from '../project-scope.js';
import type { createRecommendationService } from './recommendation-service.js';
import { registerReportRoutes, type ReportRouteDeps } from './report-routes.js';
import type { ShadowService } from './shadow-service.js';
import type { createSimulationService } from './simulation-service.js';

export interface ThresholdRouteDeps extends ReportRouteDeps {
  readonly shadow: ShadowService;
  readonly simulation: ReturnType<typeof createSimulationService>;
  readonly recommendations: ReturnType<typeof createRecommendationService>;
}

const route = routesOf('Thresholds');

export function registerThresholdRoutes(app: FastifyInstance, deps: ThresholdRouteDeps): void {
  registerReportRoutes(app, deps);
  registerShadowRoute(app, deps);
  app.get(
    '/lite/threshold-recommendations',
    route(
      readingProject,
      {
        operationId: 'recommendThresholds',
        summary: 'Thresholds that the project’s own labels support',
        description:
          'For the project and for each of its sources. Never applied by itself. Under the labels that the target needs, insufficient_data with what is missing.',
        querystring: RecommendationsQuery,
        response: { 200: RecommendationsReply, ...errorReplies([400, 401, 403, 404, 429]) },
      },
      'recommendations',
    ),
    async (request) => {
      const { projectId, ...question } = request.query;
      return deps.recommendations.recommend(await resolveProjectScope(deps, request.caller, projectId), question);
    },
  );

  app.post(
    '/lite/simulate',
    route(
      readingProject,
      {
        operationId: 'simulateThresholds',
        summary: 'The mix that other thresholds would have given',
        description:
          'Replays recorded sessions, never scores again. A session scored several times counts once, by its last receipt.',
        body: { ...SimulationRequest, examples: [{ reviewLow: 35, blockThreshold: 70, flips: 10 }] },
        response: { 200: SimulationReply, ...errorReplies([400, 401, 403, 404, 413, 415, 429]) },
      },
      'simulate',
    ),
    async (request) => {
      const { projectId, ...question } = request.body;
      return deps.simulation.simulate(
        await resolveProjectScope(deps, request.caller, projectId ?? undefined),
        question,
      );
    },
  );
}

function registerShadowRoute(app: FastifyInstance, deps: ThresholdRouteDeps): void {
  app.get(
    '/lite/shadow',
    route(
      readingProject,
      {
        operationId: 'compareShadow',
        summary: 'The shadow against the verdicts that were given',
        description:
          'Judges the newest recorded sessions with config.liteConfig.shadow. Changes no verdict. Without a shadow, note says so.',
        querystring: ShadowQuery,
        response: { 200: ShadowReply, ...errorReplies([400, 401, 403, 404, 429]) },
      },
      'shadow',
    ),
    async (request) => {
      const { projectId, ...question } = request.query;
      return deps.shadow.compare(await resolveProjectScope(deps, request.caller, projectId), question);
    },
  );
}
