/**
 * Routes of outcome events: the bulk form and the form of one session. Both take the same path.
 */
import type { FastifyInstance } from 'fastify';
import { Type, type TSchema } from 'typebox';
import { CallerId } from '../../contract/common.js';
import {
  bulkEventsMax,
  OutcomeEvent,
  OutcomeReply,
  sessionEventsMax,
  SessionOutcomeEvent,
} from '../../contract/outcome.js';
import { keyCaller } from '../../http/access.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import { createValidatorCompiler } from '../../kernel/validation.js';
import { scoreExample } from '../examples.js';
import type { OutcomeService } from './outcome-service.js';

const route = routesOf('Outcomes');
const occurredAt = '2026-06-01T12:00:00Z';

const eventsBody = (event: TSchema, eventsMax: number) =>
  Type.Object({ events: Type.Array(event, { minItems: 1, maxItems: eventsMax }) });

/** Events are checked one by one, so that a malformed one costs none of the others: at first sight they only have to be a list. */
const checkedLater = (eventsMax: number) => createValidatorCompiler(eventsBody(Type.Unknown(), eventsMax));

export function registerOutcomeRoutes(app: FastifyInstance, outcomes: OutcomeService): void {
  const access = { credential: 'api-key', modes: ['live', 'test'], scope: 'lite:write' } as const;
  const response = { 200: OutcomeReply, ...errorReplies([400, 401, 403, 404, 413, 415, 429]) };

  app.post(
    '/lite/events',
    {
      validatorCompiler: checkedLater(bulkEventsMax),
      ...route(access, {
        operationId: 'postOutcomes',
        summary: 'Post outcomes of any sessions',
        description: `Up to ${bulkEventsMax} events. Idempotent per session, type and time. A malformed event is reported in issues and does not affect the others.`,
        body: {
          ...eventsBody(OutcomeEvent, bulkEventsMax),
          examples: [
            {
              events: [
                { sessionId: scoreExample.sessionId, type: 'complete', occurredAt },
                { sessionId: scoreExample.sessionId, type: 'buyer_reject', occurredAt, reasonClass: 'quality' },
              ],
            },
          ],
        },
        response,
      }),
    },
    async (request) => outcomes.accept(keyCaller(request), request.body.events),
  );

  app.post(
    '/lite/sessions/:sessionId/events',
    {
      validatorCompiler: checkedLater(sessionEventsMax),
      ...route(access, {
        operationId: 'postSessionOutcomes',
        summary: 'Post outcomes of one session',
        description: `Like the bulk form, with up to ${sessionEventsMax} events of the session in the path.`,
        params: Type.Object({ sessionId: CallerId('The session as it was scored.') }),
        body: {
          ...eventsBody(SessionOutcomeEvent, sessionEventsMax),
          examples: [
            { events: [{ type: 'complete', occurredAt, detail: { respondentId: scoreExample.respondentId } }] },
          ],
        },
        response,
      }),
    },
    async (request) => outcomes.accept(keyCaller(request), request.body.events, { session: request.params.sessionId }),
  );
}
