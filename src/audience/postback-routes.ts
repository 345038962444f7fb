/** Routes of postbacks: for organization keys, and for people with a dashboard token, who see those of live suppliers. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { actorOf } from '../administration/audit.js';
import { PostbackHealthPage, PostbackHealthQuery } from '../contract/postback-health.js';
import { DeliveryPage, DeliveryRef, PostbackQuery, Recovery, RecoveryReply } from '../contract/webhook.js';
import type { Access } from '../http/access-declaration.js';
import { organizationOf } from '../http/access.js';
import { acceptEmptyBodies, registerStorableText } from '../http/json-body.js';
import { errorReplies, routesOf } from '../http/openapi.js';
import { modeOfCaller } from '../kernel/caller.js';
import { readPage } from '../kernel/paging.js';
import type { PostbackLog } from './postback-log.js';
import type { SupplierOwner } from './supplier-store.js';

const sending: Access = {
  ...{ credential: 'dashboard-or-organization-key', scope: 'audience:write', role: 'admin' },
  ...{ oauth: ['audience:write'], modes: ['live', 'test'] },
};
const reading: Access = { ...sending, role: 'member', afterTrial: true };
const Id = Type.String({ maxLength: 128 });
const params = Type.Object({ supplierId: Id });
const deliveryParams = Type.Object({ supplierId: Id, deliveryId: Id });
const item = '/suppliers/:supplierId';
const route = routesOf('Suppliers');

const ownerOf = (request: FastifyRequest): SupplierOwner => ({
  organizationId: organizationOf(request),
  isTest: modeOfCaller(request.caller) === 'test',
});

export function registerPostbackRoutes(app: FastifyInstance, log: PostbackLog): void {
  void app.register(async (scope) => {
    registerStorableText(scope);
    registerReading(scope, log);
    acceptEmptyBodies(scope);
    registerSendingAgain(scope, log);
  });
}

function registerReading(app: FastifyInstance, log: PostbackLog): void {
  app.get(
    '/postbacks',
    route(reading, {
      operationId: 'readPostbackHealth',
      summary: 'Read whether the postbacks of each supplier go out',
      description: 'Newest supplier first. A page at a time: pass nextCursor on as cursor until it is null.',
      querystring: PostbackHealthQuery,
      response: { 200: PostbackHealthPage, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => log.health(ownerOf(request), request.query.supplierId, readPage(request.query)),
  );
  app.get(
    `${item}/deliveries`,
    route(reading, {
      operationId: 'listPostbacks',
      summary: 'List the postbacks to a supplier, newest first, with every attempt',
      description: 'A page at a time: pass nextCursor on as cursor until it is null.',
      params,
      querystring: PostbackQuery,
      response: { 200: DeliveryPage, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => log.list(ownerOf(request), request.params.supplierId, request.query, readPage(request.query)),
  );
}

function registerSendingAgain(app: FastifyInstance, log: PostbackLog): void {
  app.post(
    `${item}/deliveries/:deliveryId/replay`,
    route(sending, {
      operationId: 'replayPostback',
      summary: 'Send one postback again',
      description: 'One that ended gets a fresh set of attempts; one that waits for its next attempt goes out now.',
      params: deliveryParams,
      response: { 200: DeliveryRef, ...errorReplies([400, 401, 402, 403, 404, 409, 429]) },
    }),
    async (request) =>
      log.replay(actorOf(request), ownerOf(request), request.params.supplierId, request.params.deliveryId),
  );
  app.post(
    `${item}/recover`,
    route(sending, {
      operationId: 'recoverPostbacks',
      summary: 'Send again the postbacks that failed since a time',
      description: 'Exhausted ones get a fresh set of attempts. Those that wait for their next attempt go out now.',
      params,
      body: { ...Recovery, examples: [{ since: '2026-11-01T00:00:00Z' }] },
      response: { 200: RecoveryReply, ...errorReplies([400, 401, 402, 403, 404, 409, 413, 415, 429]) },
    }),
    async (request) => log.recover(actorOf(request), ownerOf(request), request.params.supplierId, request.body),
  );
}
