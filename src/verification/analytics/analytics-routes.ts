/** The route of a project’s analytics. A test key sees test mode; the dashboard and other keys see live mode. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { Analytics, AnalyticsQuery } from '../../contract/analytics.js';
import { organizationOf } from '../../http/access.js';
import { errorReplies } from '../../http/openapi.js';
import type { AnalyticsService } from './analytics-service.js';

export interface AnalyticsRouteDeps {
  readonly analytics: AnalyticsService;
}

export function registerAnalyticsRoute(app: FastifyInstance, { analytics }: AnalyticsRouteDeps): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/projects/:projectId/analytics',
    {
      config: {
        access: {
          credential: 'dashboard-or-key',
          modes: ['live', 'test'],
          role: 'member',
          scope: 'analytics:read',
          oauth: ['analytics:read'],
          project: 'projectId',
          afterTrial: true,
        },
        heavy: 'analytics',
      },
      schema: {
        tags: ['Projects'],
        operationId: 'readAnalytics',
        summary: 'Read how a project’s verifications went',
        description: 'Days of UTC. What was verified in the last seconds may be missing. A test key sees test mode.',
        params: Type.Object({ projectId: Type.String({ maxLength: 128 }) }),
        querystring: AnalyticsQuery,
        response: { 200: Analytics, ...errorReplies([400, 401, 403, 404, 429]) },
      },
    },
    async (request) => {
      const isDemo = request.caller?.kind === 'key' && request.caller.isTest;
      const owner = { organizationId: organizationOf(request), projectId: request.params.projectId, isDemo };
      return analytics.read(owner, request.query);
    },
  );
}
