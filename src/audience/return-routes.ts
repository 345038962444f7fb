/** Routes of returns from server to server, and of the survey's key. */
import type { FastifyInstance } from 'fastify';
import { actorOf } from '../administration/audit.js';
import { ReturnReply, StudyReturn } from '../contract/study-returns.js';
import { SurveyKeyReply } from '../contract/study-replies.js';
import { Rotation } from '../contract/supplier.js';
import { Fault } from '../errors.js';
import { keyCaller, resourceKeyOf } from '../http/access.js';
import { acceptEmptyBodies, optionalBody, registerStorableText } from '../http/json-body.js';
import { errorReplies, routesOf } from '../http/openapi.js';
import { returnExample } from './examples.js';
import type { FieldingRouteDeps, TakeVisit } from './fielding-routes.js';
import { access, item, StudyParams } from './study-routes.js';
import type { StudyService } from './study-service.js';

const route = routesOf('Studies');

export interface ReturnRouteDeps extends Pick<FieldingRouteDeps, 'returns'> {
  readonly takeVisit: TakeVisit;
  readonly studies: StudyService;
}

export function registerReturnRoutes(app: FastifyInstance, deps: ReturnRouteDeps): void {
  void app.register(async (scope) => {
    registerStorableText(scope);
    registerReport(scope, deps);
    void scope.register(async (inner) => registerRotation(inner, deps));
  });
}

function registerReport(scope: FastifyInstance, { returns, takeVisit }: ReturnRouteDeps): void {
  scope.post(
    `${item}/returns`,
    route(
      { ...access, resourceKey: true },
      {
        operationId: 'reportReturn',
        summary: 'Report from the survey’s server how an interview ended',
        description:
          'With the surveyKey of the study, or an API key, as Bearer. The first answer of equal weight stands; the same again changes nothing. An API key outweighs the survey, and the survey outweighs the browser, in any order.',
        params: StudyParams,
        body: { ...StudyReturn, examples: [returnExample] },
        response: { 200: ReturnReply, ...errorReplies([400, 401, 403, 404, 409, 413, 415, 429]) },
      },
    ),
    async (request) => {
      const surveyKey = resourceKeyOf(request);
      const caller = surveyKey === null ? { owner: keyCaller(request) } : { surveyKey };
      return returns.report(caller, request.params.studyId, request.body).catch(async (error: unknown) => {
        // A caller who guesses keys is limited like any other visitor.
        if (error instanceof Fault && error.code === 'INVALID_KEY') await takeVisit(request.clientAddress);
        throw error;
      });
    },
  );
}

function registerRotation(inner: FastifyInstance, { studies }: ReturnRouteDeps): void {
  acceptEmptyBodies(inner);
  inner.post(
    `${item}/survey-key/rotate`,
    route(access, {
      operationId: 'rotateSurveyKey',
      summary: 'Replace the surveyKey of a study',
      description: 'The old key stays valid for overlapHours.',
      params: StudyParams,
      body: { ...optionalBody(Rotation), examples: [{ overlapHours: 24 }] },
      response: { 200: SurveyKeyReply, ...errorReplies([400, 401, 403, 404, 413, 415, 429]) },
    }),
    async (request) =>
      studies.rotateSurveyKey(actorOf(request), keyCaller(request), request.params.studyId, request.body?.overlapHours),
  );
}
