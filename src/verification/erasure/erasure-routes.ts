/** The routes of a data subject: their records are exported and erased. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { actorOf } from '../../administration/audit.js';
import { CallerId } from '../../contract/common.js';
import { PageQuery } from '../../contract/paging.js';
import { ErasureReply } from '../../contract/respondent-erasure.js';
import { RespondentExport } from '../../contract/respondent-export.js';
import { organizationOf } from '../../http/access.js';
import { errorReplies } from '../../http/openapi.js';
import type { ErasureService } from './erasure-service.js';
import type { ExportService } from './export-service.js';

export interface ErasureRouteDeps {
  readonly erasures: ErasureService;
  readonly exports: ExportService;
}

const path = '/projects/:projectId/respondents/:respondentId';
const params = Type.Object({
  projectId: Type.String({ maxLength: 128 }),
  respondentId: CallerId('As sessions and scores were given it.'),
});
const access = {
  credential: 'dashboard-or-organization-key',
  modes: ['live'],
  role: 'admin',
  scope: 'projects:write',
  project: 'projectId',
  afterTrial: true,
} as const;

export function registerErasureRoutes(app: FastifyInstance, { erasures, exports }: ErasureRouteDeps): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  routes.get(
    path,
    {
      config: { access, heavy: 'export' },
      schema: {
        tags: ['Projects'],
        operationId: 'exportRespondent',
        summary: 'Export everything that is kept of a respondent',
        description:
          'For requests of access by data subjects. Records of sessions, faces and devices, scores, receipts, outcomes, flags, places in studies, links and webhook payloads that erasing the respondent would delete. A respondent of whom nothing is kept has an empty page.',
        params,
        querystring: PageQuery,
        response: { 200: RespondentExport, ...errorReplies([400, 401, 403, 404, 429]) },
      },
    },
    async (request) =>
      exports.export(actorOf(request), { organizationId: organizationOf(request), ...request.params }, request.query),
  );
  routes.delete(
    path,
    {
      config: { access, heavy: 'erasure' },
      schema: {
        tags: ['Projects'],
        operationId: 'eraseRespondent',
        summary: 'Erase everything that is kept of a respondent',
        description:
          'Sessions, faces and devices, webhook payloads, receipts and outcomes of the project that carry this respondentId. For good; a respondent of whom nothing is kept answers zeros.',
        params,
        response: { 200: ErasureReply, ...errorReplies([400, 401, 403, 404, 429]) },
      },
    },
    async (request) => erasures.erase(actorOf(request), { organizationId: organizationOf(request), ...request.params }),
  );
}
