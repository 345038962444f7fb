/**
 * Routes of scored sessions: what is known of one, and lists of them. Both are of the key’s project; any other credential names one.
 */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { CallerId } from '../../contract/common.js';
import {
  ScoredSessionPage,
  SessionListQuery,
  SessionTrailQuery,
  SessionTrailReply,
} from '../../contract/session-trail.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import { readingProject, resolveProjectScope, type ProjectScopeDeps } from '../project-scope.js';
import type { SessionService } from './session-service.js';

export interface SessionRouteDeps extends ProjectScopeDeps {
  readonly sessions: SessionService;
}

const route = routesOf('Scoring');

export function registerSessionRoutes(app: FastifyInstance, deps: SessionRouteDeps): void {
  app.get(
    '/lite/sessions/:sessionId',
    route(readingProject, {
      operationId: 'readSession',
      summary: 'Read the probes, receipts and outcomes of a session',
      description:
        'The pages that the probe reported, the scores of the session, and its outcomes, matched or not. A test key reads what test keys scored. 404 if nothing is known under this id in this project, which shows a probe that was sent under another id or another project’s key.',
      params: Type.Object({ sessionId: CallerId('The session as it was scored.') }),
      querystring: SessionTrailQuery,
      response: { 200: SessionTrailReply, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => {
      const owner = await resolveProjectScope(deps, request.caller, request.query.projectId);
      return deps.sessions.trail(owner, request.params.sessionId);
    },
  );

  app.get(
    '/lite/sessions',
    route(readingProject, {
      operationId: 'listSessions',
      summary: 'List scored sessions, those scored last first',
      description: 'Each with its latest receipt. For the next page, send nextCursor as cursor until it is null.',
      querystring: SessionListQuery,
      response: { 200: ScoredSessionPage, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => {
      const { projectId, ...query } = request.query;
      return deps.sessions.list(await resolveProjectScope(deps, request.caller, projectId), query);
    },
  );
}
