/**
 * The route by which a mount reports what the respondent does while the session goes on. Reports are counted with the probe’s, apart from
 * calls that a widget cannot do without.
 */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { Activity, ActivityReply } from '../../contract/monitoring.js';
import { SessionId } from '../../contract/session.js';
import { answerPreflights } from '../../administration/public-guard.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import { registerStorableText } from '../../http/json-body.js';
import { probeBytesMax } from '../../limits.js';
import type { Observe } from '../monitoring/monitor.js';
import { open, openSession, registerReadable, secretHeader, type PublicSessionDeps } from '../public-sessions.js';
import { isRunning, requireRunning } from '../sessions/session-state.js';
import { readPageHeaders } from '../../net/page-headers.js';

const route = routesOf('Sessions');

export interface ActivityRouteDeps extends PublicSessionDeps {
  /** Judges an observation by the project’s thresholds. */
  readonly observe: Observe;
  readonly now: () => number;
}

const path = '/public/sessions/:sessionId/activity';
const example = {
  questions: [
    {
      questionId: 'q7',
      timeOnQuestionMs: 900,
      mouseMoveCount: 0,
      keyCount: 2,
      pasteCount: 3,
      focusEntries: 1,
      focusExits: 1,
      ended: true,
    },
  ],
} as const satisfies Activity;

export function registerActivityRoute(app: FastifyInstance, deps: ActivityRouteDeps): void {
  void app.register(async (scope: FastifyInstance) => {
    registerReadable(scope);
    registerStorableText(scope);
    answerPreflights(scope, path, 'POST');
    scope.post(
      path,
      {
        bodyLimit: probeBytesMax,
        ...route(open, {
          operationId: 'reportActivity',
          summary: 'Report what a respondent does while a session goes on',
          description:
            'With the header X-Client-Secret, until the session’s expiresAt. Held against config.monitoring of the project; each flag is raised once. See docs/how-to/flag-behavior.md.',
          params: Type.Object({ sessionId: SessionId }),
          headers: Type.Object(secretHeader),
          body: { ...Activity, examples: [example] },
          response: { 202: ActivityReply, ...errorReplies([400, 401, 403, 410, 413, 415, 429]) },
        }),
      },
      async (request, reply) => {
        const { sessionId } = request.params;
        // Nothing is taken of the page's reports for a session that takes none.
        const { session } = await openSession(deps, request, reply, sessionId, (named) =>
          isRunning(named, deps.now()) ? 'reports' : 'reads',
        );
        requireRunning(session, deps.now());
        const { questions = [], behavior } = request.body;
        await deps.observe(session, {
          questions,
          behavior,
          pageAgent: null,
          transport: readPageHeaders(request.headers),
        });
        return reply.code(202).send({ sessionId, accepted: true });
      },
    );
  });
}
