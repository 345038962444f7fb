/** Routes of disputes. A dispute is JSON, or a CSV table with the same names. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { actorOf } from '../administration/audit.js';
import { DisputeReply, disputeRowsMax, Disputes } from '../contract/study-disputes.js';
import { ReturnReply } from '../contract/study-returns.js';
import { keyCaller } from '../http/access.js';
import { registerStorableText } from '../http/json-body.js';
import { errorReplies, routesOf } from '../http/openapi.js';
import { disputeBytesMax } from '../limits.js';
import type { DisputeService } from './dispute-service.js';
import { readDisputeTable } from './dispute-table.js';
import { disputesExample } from './examples.js';
import { access, item, StudyParams } from './study-routes.js';

const route = routesOf('Studies');
const csvType = 'text/csv';

export function registerDisputeRoutes(app: FastifyInstance, disputes: DisputeService): void {
  void app.register(async (scope) => {
    registerStorableText(scope);
    scope.addContentTypeParser<string>(csvType, { parseAs: 'string' }, async (_request: unknown, body: string) => ({
      rows: readDisputeTable(body),
    }));
    registerDispute(scope, disputes);
    registerWithdrawal(scope, disputes);
  });
}

function registerDispute(scope: FastifyInstance, disputes: DisputeService): void {
  scope.post(
    `${item}/disputes`,
    {
      bodyLimit: disputeBytesMax,
      ...route(
        access,
        {
          operationId: 'disputeCompletes',
          summary: 'Reject completes of a study',
          description: `Up to ${disputeRowsMax} rows as JSON, or as text/csv with the columns rid or place, sourceId, reason, note. Each rejected complete gives its place and quota back, is reported to scoring with its reason, and is posted back to the supplier as reversed. The same again changes nothing.`,
          consumes: ['application/json', csvType],
          params: StudyParams,
          body: { ...Disputes, examples: [disputesExample] },
          response: { 200: DisputeReply, ...errorReplies([400, 401, 403, 404, 413, 415, 429]) },
        },
        'recount',
      ),
    },
    async (request) =>
      disputes.dispute(actorOf(request), keyCaller(request), request.params.studyId, request.body.rows, {
        isTable: request.headers['content-type']?.toLowerCase().startsWith(csvType) === true,
      }),
  );
}

function registerWithdrawal(scope: FastifyInstance, disputes: DisputeService): void {
  scope.delete(
    `${item}/disputes/:place`,
    route(access, {
      operationId: 'withdrawDispute',
      summary: 'Withdraw the rejection of a complete',
      description:
        'The complete counts as before, above the sample if its place was given away. A place that is not rejected stays as it is.',
      params: Type.Object({ ...StudyParams.properties, place: Type.String({ maxLength: 128 }) }),
      response: { 200: ReturnReply, ...errorReplies([400, 401, 403, 404, 409, 429]) },
    }),
    async (request) =>
      disputes.withdraw(actorOf(request), keyCaller(request), request.params.studyId, request.params.place),
  );
}
