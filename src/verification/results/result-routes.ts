/**
 * Routes of a completed session: its signed envelope for the page, and the redirect that a browser follows.
 */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { ScoreEnvelope } from '../../contract/score-envelope.js';
import { SessionId } from '../../contract/session.js';
import { errorReplies } from '../../http/openapi.js';
import type { Directories } from '../../administration/directories.js';
import { answerPreflights } from '../../administration/public-guard.js';
import { openSession, registerReadable, secretHeader, type PublicSessionDeps } from '../public-sessions.js';
import type { ResultService } from './result-service.js';

export interface ResultRouteDeps extends PublicSessionDeps {
  readonly results: ResultService;
  readonly directories: Pick<Directories, 'projects'>;
}

const tags = ['Sessions'];
const Params = Type.Object({ sessionId: SessionId });

export function registerResultRoutes(app: FastifyInstance, deps: ResultRouteDeps): void {
  void app.register(async (scope) => {
    registerReadable(scope);
    registerResult(scope, deps);
  });
  registerRedirect(app, deps);
}

function registerResult(scope: FastifyInstance, deps: ResultRouteDeps): void {
  answerPreflights(scope, '/public/sessions/:sessionId/result', 'GET');
  scope.withTypeProvider<TypeBoxTypeProvider>().get(
    '/public/sessions/:sessionId/result',
    {
      config: { access: { credential: 'none' } },
      schema: {
        tags,
        operationId: 'readResult',
        summary: 'Read the signed result of a verified session',
        description:
          'With the header X-Client-Secret, for as long as the token is valid. A redirectUrl is good once, for five minutes; asking again gives another.',
        params: Params,
        headers: Type.Object(secretHeader),
        response: { 200: ScoreEnvelope, ...errorReplies([400, 401, 403, 409, 410, 429]) },
      },
    },
    async (request, reply) => {
      const opened = await openSession(deps, request, reply, request.params.sessionId);
      return deps.results.read(opened.session, opened.project);
    },
  );
}

function registerRedirect(app: FastifyInstance, deps: ResultRouteDeps): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/public/sessions/:sessionId/redirect',
    {
      config: { access: { credential: 'none' } },
      schema: {
        tags,
        operationId: 'followRedirect',
        summary: 'Go on to the project’s pass or fail address',
        description:
          'The redirectUrl of a result: answers 302 with a signed vh_token added. The address is the project’s own as it is set at this moment.',
        params: Params,
        querystring: Type.Object({ code: Type.String({ minLength: 1, maxLength: 128, description: 'Good once.' }) }),
        response: { 302: Type.Null({ description: 'To the address in Location.' }), ...errorReplies([400, 404, 410]) },
      },
    },
    async (request, reply) => {
      const { sessionId } = request.params;
      const location = await deps.results.redirect(sessionId, request.query.code, deps.directories.projects.get);
      return reply.code(302).header('location', location).send(null);
    },
  );
}
