/**
 * The route by which a backend tries a failed session again.
 */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { notFound } from '../../kernel/faults.js';
import type { KeyCaller } from '../../kernel/caller.js';
import { SessionId, SessionReply } from '../../contract/session.js';
import { keyCaller } from '../../http/access.js';
import { errorReplies } from '../../http/openapi.js';
import { acceptEmptyBodies, optionalBody } from '../../http/optional-body.js';
import { ownerOf, type SessionRouteDeps } from './session-routes.js';
import { findSession, type StoredSession } from './session-store.js';

const tags = ['Sessions'];

export function registerRetryRoute(app: FastifyInstance, deps: SessionRouteDeps): void {
  void app.register(async (scope) => {
    acceptEmptyBodies(scope);
    scope.withTypeProvider<TypeBoxTypeProvider>().post(
      '/sessions/:sessionId/retry',
      {
        config: { access: { credential: 'api-key', scope: 'verifications:write' } },
        schema: {
          tags,
          operationId: 'retrySession',
          summary: 'Try a failed session again',
          description:
            'The new session has what the failed one was created with, in the project’s current widgetMode; its metadata describes the chain. At most config.maxRetries times in a chain.',
          params: Type.Object({ sessionId: SessionId }),
          body: { ...optionalBody(Type.Object({})), examples: [{}] },
          response: { 201: SessionReply, ...errorReplies([400, 401, 402, 403, 404, 409, 413, 415, 429]) },
        },
      },
      async (request, reply) => {
        const caller = keyCaller(request);
        const parent = await findSession(deps.database, request.params.sessionId);
        if (parent === null || !isReachable(caller, parent)) throw notFound('session');
        const owner = await ownerOf(deps, caller, parent.projectId);
        return reply.code(201).send(await deps.sessions.retry({ ...owner, isDemo: parent.isDemo }, parent));
      },
    );
  });
}

/** Own, and of a live key’s mode: keys that anybody may mint reach only sessions of test mode. */
const isReachable = (caller: KeyCaller, session: StoredSession): boolean =>
  session.organizationId === caller.organizationId &&
  (caller.projectId === null || caller.projectId === session.projectId) &&
  (session.isDemo || !caller.isDemo);
