/** The routes of a data subject: their records are exported and erased. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { actorOf } from '../../administration/audit.js';
import { CallerId } from '../../contract/common.js';
import { PageQuery } from '../../contract/paging.js';
import { ErasureReply } from '../../contract/respondent-erasure.js';
import { RespondentExport } from '../../contract/respondent-export.js';
import { organizationOf } from '../../http/access.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import type { ErasureService } from './erasure-service.js';
import type { ExportService } from './export-service.js';

const route = routesOf('Projects');

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
  app.get(
    path,
    route(
      access,
      {
        operationId: 'exportRespondent',
        summary: 'Export everything that is kept of a respondent',
        description:
          'For requests of access by data subjects. Records of sessions, faces and devices, scores, receipts, outcomes, flags, places in studies, links and webhook payloads that erasing the respondent would delete. A respondent of whom nothing is kept has an empty page.',
        params,
        querystring: PageQuery,
        response: { 200: RespondentExport, ...errorReplies([400, 401, 403, 404, 429]) },
      },
      'export',
    ),
    async (request) =>
      exports.export(actorOf(request), { organizationId: organizationOf(request), ...request.params }, request.query),
  );
  app.delete(
    path,
    route(
      access,
      {
        operationId: 'eraseRespondent',
        summary: 'Erase everything that is kept of a respondent',
        description:
          'Sessions, faces and devices, webhook payloads, receipts and outcomes of the project that carry this respondentId. For good; a respondent of whom nothing is kept answers zeros.',
        params,
        response: { 200: ErasureReply, ...errorReplies([400, 401, 403, 404, 429]) },
      },
      'erasure',
    ),
    async (request) => erasures.erase(actorOf(request), { organizationId: organizationOf(request), ...request.params }),
  );
}
