/**
 * Routes of what was sent: the log of a webhook, a test delivery, sending one again, and recovering what failed.
 */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { notFound } from '../kernel/faults.js';
import { DeliveryPage, DeliveryQuery, DeliveryRef, Recovery, RecoveryReply } from '../contract/webhook.js';
import { actorOf } from '../administration/audit.js';
import { errorReplies } from '../http/openapi.js';
import { readPage } from '../kernel/paging.js';
import { inOrganization } from '../stores/database/tenant.js';
import { listDeliveries } from './delivery-log.js';
import { examples } from './examples.js';
import { item, ownerOf, reading, tags, WebhookParams, writing } from './route-parts.js';
import type { ResendDeps, ResendService } from './resend-service.js';
import { findWebhook } from './webhook-store.js';

const DeliveryParams = Type.Object({ ...WebhookParams.properties, deliveryId: Type.String({ maxLength: 128 }) });

export function registerDeliveryRoutes(
  app: FastifyInstance,
  deps: Pick<ResendDeps, 'database'>,
  service: ResendService,
): void {
  registerLog(app, deps);
  registerSendingAgain(app, service);
}

function registerLog(app: FastifyInstance, deps: Pick<ResendDeps, 'database'>): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    `${item}/deliveries`,
    {
      config: { access: reading },
      schema: {
        tags,
        operationId: 'listDeliveries',
        summary: 'List what was sent to a webhook, newest first, with every attempt',
        description: 'A page at a time: pass nextCursor on as cursor until it is null.',
        params: WebhookParams,
        querystring: DeliveryQuery,
        response: { 200: DeliveryPage, ...errorReplies([400, 401, 403, 404, 429]) },
      },
    },
    async (request) => {
      const owner = ownerOf(request);
      const { webhookId } = request.params;
      return inOrganization(deps.database, owner.organizationId, async (tx) => {
        if ((await findWebhook(tx, owner, webhookId)) === null) throw notFound('webhook');
        return listDeliveries(tx, { projectId: owner.projectId, webhookId }, request.query, readPage(request.query));
      });
    },
  );
}

function registerSendingAgain(app: FastifyInstance, service: ResendService): void {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>();
  typed.post(
    `${item}/test`,
    {
      config: { access: writing },
      schema: {
        tags,
        operationId: 'testWebhook',
        summary: 'Send a made-up verification.completed, signed like any other',
        description: 'Goes out whatever events the webhook asks for. What came of it stands in the log.',
        params: WebhookParams,
        response: { 200: DeliveryRef, ...errorReplies([400, 401, 402, 403, 404, 409, 429]) },
      },
    },
    async (request) => service.test(actorOf(request), ownerOf(request), request.params.webhookId),
  );
  typed.post(
    `${item}/deliveries/:deliveryId/replay`,
    {
      config: { access: writing },
      schema: {
        tags,
        operationId: 'replayDelivery',
        summary: 'Send one delivery again',
        description:
          'One that ended gets a fresh set of attempts, numbered on from the last; one that waits for its next attempt goes out now.',
        params: DeliveryParams,
        response: { 200: DeliveryRef, ...errorReplies([400, 401, 402, 403, 404, 409, 429]) },
      },
    },
    async (request) =>
      service.replay(actorOf(request), ownerOf(request), request.params.webhookId, request.params.deliveryId),
  );
  typed.post(
    `${item}/recover`,
    {
      config: { access: writing },
      schema: {
        tags,
        operationId: 'recoverDeliveries',
        summary: 'Send again what failed for good since a time',
        description: 'By the time of the event. Each gets a fresh set of attempts, which do not delay new deliveries.',
        params: WebhookParams,
        body: { ...Recovery, examples: [examples.recover] },
        response: { 200: RecoveryReply, ...errorReplies([400, 401, 402, 403, 404, 409, 413, 415, 429]) },
      },
    },
    async (request) => service.recover(actorOf(request), ownerOf(request), request.params.webhookId, request.body),
  );
}
