/**
 * Routes of server-side scoring: the score, the evidence of a receipt, and the probe’s intake.
 */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Access } from '../http/access-declaration.js';
import type { AccessDeps } from '../kernel/caller.js';
import { sessionModes } from '../contract/common.js';
import { EvidenceReply, ScoreReply, ScoreRequest } from '../contract/score.js';
import { ListQuery } from '../contract/paging.js';
import { ProjectName } from '../contract/thresholds.js';
import { createNullRemover } from '../kernel/body.js';
import { chooseLanguage } from '../administration/pages/languages.js';
import { scoringRateLimits } from '../administration/request-limits.js';
import { keyCaller, takeOutstandingRate } from '../http/access.js';
import { errorReplies, routesOf, scoreReplyExamples } from '../http/openapi.js';
import type { createEvidenceService } from './receipts/evidence-service.js';
import { scoreExample } from './examples.js';
import { fixedSessionIds } from './fixed-sessions/fixed-sessions.js';
import type { OutcomeService } from './outcomes/outcome-service.js';
import { registerOutcomeRoutes } from './outcomes/routes.js';
import { registerProbeIntake } from './probe/probe-routes.js';
import type { createProbeService } from './probe/probe-service.js';
import type { ScoreService } from './score-service.js';
import { readingProject, resolveReader } from './project-scope.js';
import { registerReceiptRoutes, type ReceiptRouteDeps } from './receipts/routes.js';
import { registerSessionRoutes, type SessionRouteDeps } from './sessions/routes.js';
import { registerThresholdRoutes, type ThresholdRouteDeps } from './thresholds/routes.js';

export interface ScoringRouteDeps {
  /** Takes a call off its key’s limits; throws RATE_LIMIT_EXCEEDED. */
  readonly takeKeyRate: AccessDeps['takeKeyRate'];
  readonly thresholds: ThresholdRouteDeps;
  readonly sessions: SessionRouteDeps;
  readonly receipts: ReceiptRouteDeps;
  readonly scores: ScoreService;
  readonly evidence: ReturnType<typeof createEvidenceService>;
  readonly probes: ReturnType<typeof createProbeService>;
  readonly outcomes: OutcomeService;
  /** A probe key that works, for the example; null where there is no demo organization. */
  readonly exampleProbeKey: string | null;
}

const route = routesOf('Scoring');
const scoring: Access = {
  ...{ credential: 'api-key', scope: 'lite:write', oauth: ['lite:score'], limits: 'handler' },
  modes: sessionModes,
};
const reading: Access = { ...readingProject, modes: sessionModes };

const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'Your key of this call, valid for 24 hours with this API key.',
});

export function registerScoringRoutes(app: FastifyInstance, deps: ScoringRouteDeps): void {
  const removeNulls = createNullRemover(ScoreRequest);

  app.post(
    '/lite/score',
    {
      ...route(scoring, {
        operationId: 'scoreSession',
        summary: 'Score one respondent’s session',
        description: `Call once per respondent, from your backend, when the survey is submitted. Probe data received later is ignored. The same body without new probe data returns the same receipt with \`replayed: true\` for 24 hours and counts nothing. New probe data or another body gets a new receipt, which names the previous one in \`supersedes\`; the session still counts once. An Idempotency-Key keeps the first response for 24 hours; the same key with another body is 409. While the counters are unavailable (\`counters_unavailable\` in degradedSignals), each call gets a new receipt. With \`deadlineMs\`, what is not measured in time is left out and named in degradedSignals. Test and demo keys return fixed replies for the session ids ${fixedSessionIds.join(', ')}; the last two are a 429 and a 503.`,
        headers: Type.Object({ 'idempotency-key': Type.Optional(IdempotencyKey) }),
        body: { ...ScoreRequest, examples: [scoreExample] },
        response: {
          200: { ...ScoreReply, ...scoreReplyExamples },
          ...errorReplies([400, 401, 403, 404, 409, 413, 415, 429]),
        },
      }),
      config: { access: scoring, sheddable: true },
      // Before the body is read: without scoring there is no such operation, whatever is sent.
      onRequest: (request) => deps.scores.requireEnabled(keyCaller(request).organizationId),
      preValidation: (request, _reply, done) => {
        removeNulls(request.body);
        done();
      },
    },
    async (request, reply) => {
      const text = await deps.scores.scoreEnabled(keyCaller(request), request.body, {
        rateLimits: scoringRateLimits(keyCaller(request)),
        idempotencyKey: request.headers['idempotency-key'] ?? null,
        onCounted: () => void (request.rateTaken = true),
      });
      // A fixed session went past the counters, which take a score off the key’s limits.
      if (!request.rateTaken) await takeOutstandingRate(request, deps);
      // The worker has rendered the reply; as text it goes out unchanged.
      return reply.type('application/json; charset=utf-8').send(text as never);
    },
  );

  app.get(
    '/lite/score/:receiptId/evidence',
    route(reading, {
      operationId: 'readEvidence',
      summary: 'Render the evidence of a receipt again',
      description:
        'With the key that scored the session, or that lists the study whose gate scored it; or with a dashboard token or an access token of scope receipts:read, which name its project. The text is rendered from the recorded facts; provenance reports whether the findings sort as they did then. Accept-Language chooses English, German, French, Spanish, Portuguese, Arabic or Japanese for the summary and the details; codes are the same in all.',
      params: Type.Object({ receiptId: Type.String({ maxLength: 128, description: 'From the reply of a score.' }) }),
      querystring: ListQuery({ projectId: Type.Optional(ProjectName) }),
      response: { 200: EvidenceReply, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request, reply) => {
      const language = chooseLanguage(undefined, request.headers['accept-language']);
      const reader = await resolveReader(deps.thresholds, request.caller, request.query.projectId);
      const evidence = await deps.evidence.evidence(reader, request.params.receiptId, language);
      void reply.header('content-language', language).header('vary', 'Accept-Language');
      return evidence;
    },
  );

  registerOutcomeRoutes(app, deps.outcomes);
  registerThresholdRoutes(app, deps.thresholds);
  registerSessionRoutes(app, deps.sessions);
  registerReceiptRoutes(app, deps.receipts);
  void app.register(async (scope) =>
    registerProbeIntake(scope, {
      path: '/public/lite/probe',
      probes: deps.probes,
      admit: (request, probeKey) => deps.probes.admit(probeKey, request.headers.origin ?? null, request.clientAddress),
      exampleProbeKey: deps.exampleProbeKey,
    }),
  );
}
