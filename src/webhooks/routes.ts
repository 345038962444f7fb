/** Routes of webhooks, for keys of the project, of the organization, and the dashboard. A webhook of another project is a 404. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Access } from '../http/access-declaration.js';
import { mergePatchOf } from '../contract/merge-patch.js';
import { PageQuery } from '../contract/paging.js';
import {
  CreatedWebhookReply,
  DeliveryPage,
  DeliveryQuery,
  DeliveryRef,
  Recovery,
  RecoveryReply,
  SecretReply,
  SecretRotation,
  WebhookCreation,
  WebhookFields,
  WebhookPage,
  WebhookReply,
} from '../contract/webhook.js';
import { actorOf } from '../administration/audit.js';
import { projectOwnerOf } from '../http/access.js';
import { errorReplies, routesOf } from '../http/openapi.js';
import { acceptEmptyBodies, optionalBody, registerStorableText } from '../http/json-body.js';
import { readPage } from '../kernel/paging.js';
import { inOrganization } from '../stores/database/tenant.js';
import { listDeliveries } from './delivery-log.js';
import {
  createRegistrationService,
  type Asking,
  type RegistrationDeps,
  type RegistrationService,
} from './registration-service.js';
import { createResendService, type ResendDeps, type ResendService } from './resend-service.js';
import { listWebhooks, requireWebhook, showWebhook } from './webhook-store.js';

const collection = '/projects/:projectId/webhooks';
const item = `${collection}/:webhookId`;
const Id = Type.String({ maxLength: 128 });
const ProjectParams = Type.Object({ projectId: Id });
const WebhookParams = Type.Object({ projectId: Id, webhookId: Id });
const DeliveryParams = Type.Object({ projectId: Id, webhookId: Id, deliveryId: Id });

const writing = {
  credential: 'dashboard-or-key',
  modes: ['live', 'test'],
  role: 'admin',
  scope: 'webhooks:write',
  project: 'projectId',
} as const satisfies Access;
/** Reading and securing stays open when a trial has ended; what makes new work does not. */
const securing: Access = { ...writing, afterTrial: true };
const reading: Access = { ...securing, role: 'member', scope: 'webhooks:read' };

const route = routesOf('Webhooks');

const askingOf = (request: FastifyRequest): Asking => ({
  actor: actorOf(request),
  owner: projectOwnerOf(request),
  webhookId: (request.params as { webhookId: string }).webhookId,
});

export type WebhookDeps = RegistrationDeps & ResendDeps;

export function registerWebhookRoutes(app: FastifyInstance, deps: WebhookDeps): void {
  const service = createRegistrationService(deps);
  void app.register(async (scope) => {
    registerStorableText(scope);
    registerCollection(scope, deps, service);
    registerItem(scope, deps, service);
    registerLog(scope, deps);
    void scope.register(async (inner) => registerSendingAgain(inner, createResendService(deps)));
    void scope.register(async (inner) => registerRotation(inner, service));
  });
}

const creationExample: WebhookCreation = {
  url: 'https://hooks.example.com/verifyhuman',
  events: ['verification.completed', 'monitoring.flagged'],
  description: 'Survey backend',
};

function registerCollection(app: FastifyInstance, deps: WebhookDeps, service: RegistrationService): void {
  app.post(
    collection,
    route(writing, {
      operationId: 'createWebhook',
      summary: 'Register an address that events are sent to',
      description:
        'Only this reply has the secret. The webhook of a test key gets events of test and demo sessions only. docs/reference/webhooks.md explains how to verify and answer deliveries.',
      params: ProjectParams,
      body: { ...WebhookCreation, examples: [creationExample] },
      response: { 201: CreatedWebhookReply, ...errorReplies([400, 401, 402, 403, 404, 409, 413, 415, 429]) },
    }),
    async (request, reply) =>
      reply.code(201).send(await service.create(actorOf(request), projectOwnerOf(request), request.body)),
  );
  app.get(
    collection,
    route(reading, {
      operationId: 'listWebhooks',
      summary: 'List the project’s webhooks, newest first',
      description:
        'A test key sees webhooks of test mode only. For the next page, send nextCursor as cursor until it is null.',
      params: ProjectParams,
      querystring: PageQuery,
      response: { 200: WebhookPage, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => {
      const owner = projectOwnerOf(request);
      const { items, nextCursor } = await inOrganization(deps.database, owner.organizationId, (tx) =>
        listWebhooks(tx, owner, readPage(request.query)),
      );
      return { webhooks: items.map(showWebhook), nextCursor };
    },
  );
}

function registerItem(app: FastifyInstance, deps: WebhookDeps, service: RegistrationService): void {
  const params = WebhookParams;
  app.get(
    item,
    route(reading, {
      params,
      operationId: 'getWebhook',
      summary: 'Read a webhook, and whether its deliveries go out',
      description: 'Its health says how the last deliveries went. Never the secret.',
      response: { 200: WebhookReply, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => {
      const owner = projectOwnerOf(request);
      return showWebhook(
        await inOrganization(deps.database, owner.organizationId, (tx) =>
          requireWebhook(tx, owner, request.params.webhookId),
        ),
      );
    },
  );
  app.patch(
    item,
    route(securing, {
      params,
      operationId: 'updateWebhook',
      summary: 'Change a webhook',
      description:
        'Merges the body: omitted fields keep their values, null restores the default. Changes apply within a second, also to waiting deliveries.',
      body: {
        ...mergePatchOf(WebhookFields),
        examples: [{ events: ['verification.completed'], payloadVersion: 'v2', enabled: true }],
      },
      response: { 200: WebhookReply, ...errorReplies([400, 401, 403, 404, 413, 415, 429]) },
    }),
    async (request) => service.change(askingOf(request), request.body),
  );
  app.delete(
    item,
    route(securing, {
      params,
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook and its log',
      description: 'Deliveries that wait are not sent any more.',
      response: { 200: WebhookReply, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => service.remove(askingOf(request)),
  );
}

function registerRotation(app: FastifyInstance, service: RegistrationService): void {
  acceptEmptyBodies(app);
  app.post(
    `${item}/rotate-secret`,
    route(securing, {
      operationId: 'rotateWebhookSecret',
      summary: 'Replace the secret of a webhook',
      description:
        'X-Service-Signature is made with the new secret from then on. With overlapHours webhook-signature carries one of the old secret too, for so long.',
      params: WebhookParams,
      body: { ...optionalBody(SecretRotation), examples: [{ overlapHours: 24 }] },
      response: { 200: SecretReply, ...errorReplies([400, 401, 403, 404, 413, 415, 429]) },
    }),
    async (request) => service.rotateSecret(askingOf(request), request.body?.overlapHours ?? 0),
  );
}

function registerLog(app: FastifyInstance, deps: WebhookDeps): void {
  app.get(
    `${item}/deliveries`,
    route(reading, {
      operationId: 'listDeliveries',
      summary: 'List what was sent to a webhook, newest first, with every attempt',
      description: 'For the next page, send nextCursor as cursor until it is null.',
      params: WebhookParams,
      querystring: DeliveryQuery,
      response: { 200: DeliveryPage, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => {
      const owner = projectOwnerOf(request);
      const { webhookId } = request.params;
      return inOrganization(deps.database, owner.organizationId, async (tx) => {
        const webhook = await requireWebhook(tx, owner, webhookId);
        return listDeliveries(tx, webhook, request.query, readPage(request.query));
      });
    },
  );
}

function registerSendingAgain(app: FastifyInstance, service: ResendService): void {
  acceptEmptyBodies(app);
  app.post(
    `${item}/test`,
    route(
      writing,
      {
        operationId: 'testWebhook',
        summary: 'Send a made-up verification.completed, signed like any other',
        description: 'Sends a test event, independent of the webhook’s event types. See the result in the deliveries.',
        params: WebhookParams,
        response: { 200: DeliveryRef, ...errorReplies([400, 401, 402, 403, 404, 409, 429]) },
      },
      'resend',
    ),
    async (request) => service.test(askingOf(request)),
  );
  app.post(
    `${item}/deliveries/:deliveryId/replay`,
    route(
      writing,
      {
        operationId: 'replayDelivery',
        summary: 'Send one delivery again',
        description:
          'One that ended gets a fresh set of attempts, numbered on from the last; one that waits for its next attempt goes out now.',
        params: DeliveryParams,
        response: { 200: DeliveryRef, ...errorReplies([400, 401, 402, 403, 404, 409, 429]) },
      },
      'resend',
    ),
    async (request) => service.replay(askingOf(request), request.params.deliveryId),
  );
  app.post(
    `${item}/recover`,
    route(
      writing,
      {
        operationId: 'recoverDeliveries',
        summary: 'Send again what failed since a time',
        description:
          'Restarts exhausted deliveries of the period with new attempts. Waiting deliveries and those of parked endpoints are sent at once. New deliveries are not delayed.',
        params: WebhookParams,
        body: { ...Recovery, examples: [{ since: '2026-11-01T00:00:00Z' }] },
        response: { 200: RecoveryReply, ...errorReplies([400, 401, 402, 403, 404, 409, 413, 415, 429]) },
      },
      'recover',
    ),
    async (request) => service.recover(askingOf(request), request.body),
  );
}
