/** The route by which a page asks for the next challenge. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { ChallengeReply, ChallengeRequest, SessionId } from '../../contract/session.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import { answerPreflights } from '../../administration/public-guard.js';
import { open, openSession, registerReadable, secretHeader, type PublicSessionDeps } from '../public-sessions.js';
import type { ChallengeService } from './challenges.js';

const route = routesOf('Sessions');

export interface ChallengeRouteDeps extends PublicSessionDeps {
  readonly challenges: ChallengeService;
}

const path = '/public/sessions/:sessionId/challenges';

export function registerChallengeRoute(app: FastifyInstance, deps: ChallengeRouteDeps): void {
  void app.register(async (scope: FastifyInstance) => {
    registerReadable(scope);
    answerPreflights(scope, path, 'POST');
    scope.post(
      path,
      route(open, {
        operationId: 'nextChallenge',
        summary: 'Ask for the next challenge of a session',
        description:
          'Needs the header X-Client-Secret. Commits the frames so far and reveals the next challenge; index = challengeConfig.count ends the capture. The call is idempotent, so repeat it after a lost response. For commitments, see docs/reference/envelope.md.',
        params: Type.Object({ sessionId: SessionId }),
        headers: Type.Object(secretHeader),
        body: { ...ChallengeRequest, examples: [{ index: 0, commitment: null, frameCount: 0 }] },
        response: { 200: ChallengeReply, ...errorReplies([400, 401, 403, 409, 410, 413, 415, 429]) },
      }),
      async (request, reply) => {
        const { session } = await openSession(deps, request, reply, request.params.sessionId);
        return deps.challenges.reveal(session, request.body);
      },
    );
  });
}
