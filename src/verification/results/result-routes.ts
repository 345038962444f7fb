/**
 * Routes of a completed session: its signed envelope for the page, and the redirect that a browser follows.
 */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { sessionModes } from '../../contract/common.js';
import { SessionResult } from '../../contract/score-envelope.js';
import { SessionId } from '../../contract/session.js';
import { keyCaller } from '../../http/access.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import { modeOf, type KeyCaller } from '../../kernel/caller.js';
import { notFound } from '../../kernel/faults.js';
import type { Directories } from '../../administration/directories.js';
import { answerPreflights } from '../../administration/public-guard.js';
import { open, openSession, registerReadable, type PublicSessionDeps } from '../public-sessions.js';
import { findSession } from '../sessions/session-store.js';
import type { ResultService } from './result-service.js';

export interface ResultRouteDeps extends PublicSessionDeps {
  readonly results: ResultService;
  readonly directories: Pick<Directories, 'projects'>;
}

const route = routesOf('Sessions');
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
  scope.get(
    '/public/sessions/:sessionId/result',
    route(
      {
        ...{ credential: 'api-key', scope: 'verifications:read', oauth: ['verifications:read'] },
        ...{ modes: sessionModes, clientSecret: true, afterTrial: true },
      },
      {
        operationId: 'readResult',
        summary: 'Read the signed result of a verified session',
        description:
          'Works while the token is valid: with X-Client-Secret from the page, or with an API key from your backend, which reads the whole verdict. A redirectUrl is for the page and null for a backend. It works once, within five minutes; until then another call of the page returns the same one.',
        params: Params,
        headers: Type.Object({
          'x-client-secret': Type.Optional(Type.String({ description: 'Required without an API key.' })),
        }),
        response: { 200: SessionResult, ...errorReplies([400, 401, 403, 404, 409, 410, 429]) },
      },
    ),
    async (request, reply) => {
      const { sessionId } = request.params;
      if (request.caller !== null) {
        const { session, project } = await findReachable(deps, keyCaller(request), sessionId);
        return deps.results.read(session, project, 'backend');
      }
      const opened = await openSession(deps, request, reply, sessionId);
      return deps.results.read(opened.session, opened.project, opened);
    },
  );
}

/** A session of the key’s project, or of its organization, in the key’s mode. */
async function findReachable({ database, directories }: ResultRouteDeps, caller: KeyCaller, sessionId: string) {
  const session = await findSession(database, sessionId);
  const isReachable =
    session?.organizationId === caller.organizationId &&
    session.mode === modeOf(caller) &&
    (caller.projectId ?? session.projectId) === session.projectId;
  const project = isReachable ? await directories.projects.get(session.projectId) : null;
  if (!isReachable || project === null) throw notFound('session');
  return { session, project };
}

function registerRedirect(app: FastifyInstance, deps: ResultRouteDeps): void {
  app.get(
    '/public/sessions/:sessionId/redirect',
    route(open, {
      operationId: 'followRedirect',
      summary: 'Go on to the project’s pass or fail address',
      description:
        'The redirectUrl of a result: answers 302 with a signed vh_token added. The address is the project’s own as it is set at this moment.',
      params: Params,
      querystring: Type.Object({ code: Type.String({ minLength: 1, maxLength: 128, description: 'Good once.' }) }),
      response: { 302: Type.Null({ description: 'To the address in Location.' }), ...errorReplies([400, 404, 410]) },
    }),
    async (request, reply) => {
      const { sessionId } = request.params;
      const location = await deps.results.redirect(sessionId, request.query.code, deps.directories.projects.get);
      return reply.code(302).header('location', location).send(null);
    },
  );
}
