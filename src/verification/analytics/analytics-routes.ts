/** The route of a project’s analytics. A test key sees test mode; the dashboard and other keys see live mode. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { Analytics, AnalyticsQuery } from '../../contract/analytics.js';
import type { Access } from '../../http/access-declaration.js';
import { projectOwnerOf } from '../../http/access.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import type { AnalyticsService } from './analytics-service.js';

const route = routesOf('Projects');
const reading: Access = {
  credential: 'dashboard-or-key',
  modes: ['live', 'test'],
  role: 'member',
  scope: 'analytics:read',
  oauth: ['analytics:read'],
  project: 'projectId',
  afterTrial: true,
};

export interface AnalyticsRouteDeps {
  readonly analytics: AnalyticsService;
}

export function registerAnalyticsRoute(app: FastifyInstance, { analytics }: AnalyticsRouteDeps): void {
  app.get(
    '/projects/:projectId/analytics',
    route(
      reading,
      {
        operationId: 'readAnalytics',
        summary: 'Read how a project’s verifications went',
        description: 'Days of UTC. What was verified in the last seconds may be missing. A test key sees test mode.',
        params: Type.Object({ projectId: Type.String({ maxLength: 128 }) }),
        querystring: AnalyticsQuery,
        response: { 200: Analytics, ...errorReplies([400, 401, 403, 404, 429]) },
      },
      'analytics',
    ),
    async (request) => {
      const { mode, ...owner } = projectOwnerOf(request);
      return analytics.read({ ...owner, isDemo: mode === 'test' }, request.query);
    },
  );
}
