/**
 * The route by which a data subject’s records are erased.
 */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { actorOf } from '../../administration/audit.js';
import { CallerId } from '../../contract/common.js';
import { ErasureReply } from '../../contract/respondent-erasure.js';
import { organizationOf } from '../../http/access.js';
import { errorReplies } from '../../http/openapi.js';
import type { ErasureService } from './erasure-service.js';

export interface ErasureRouteDeps {
  readonly erasures: ErasureService;
}

export function registerErasureRoute(app: FastifyInstance, { erasures }: ErasureRouteDeps): void {
  app.withTypeProvider<TypeBoxTypeProvider>().delete(
    '/projects/:projectId/respondents/:respondentId',
    {
      config: {
        access: {
          credential: 'dashboard-or-organization-key',
          modes: ['live'],
          role: 'admin',
          scope: 'projects:write',
          project: 'projectId',
          afterTrial: true,
        },
        heavy: 'erasure',
      },
      schema: {
        tags: ['Projects'],
        operationId: 'eraseRespondent',
        summary: 'Erase everything that is kept of a respondent',
        description:
          'Sessions, faces and devices, webhook payloads, receipts and outcomes of the project that carry this respondentId. For good; a respondent of whom nothing is kept answers zeros.',
        params: Type.Object({
          projectId: Type.String({ maxLength: 128 }),
          respondentId: CallerId('As sessions and scores were given it.'),
        }),
        response: { 200: ErasureReply, ...errorReplies([400, 401, 403, 404, 429]) },
      },
    },
    async (request) =>
      erasures.erase(actorOf(request), {
        organizationId: organizationOf(request),
        projectId: request.params.projectId,
        respondentId: request.params.respondentId,
      }),
  );
}
