/**
 * Routes of webhooks. Their paths name a project, whose own keys may use them like the dashboard and the organization’s keys; demo keys lack the
 * scopes. A webhook of another project is answered like one that does not exist.
 */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Access } from '../http/access-declaration.js';
import { notFound } from '../kernel/faults.js';
import { mergePatchOf } from '../contract/merge-patch.js';
import { PageQuery } from '../contract/paging.js';
import {
  CreatedWebhookReply,
  SecretReply,
  SecretRotation,
  WebhookCreation,
  WebhookFields,
  WebhookPage,
  WebhookReply,
  type WebhookChange,
} from '../contract/webhook.js';
import { actorOf } from '../administration/audit.js';
import { errorReplies } from '../http/openapi.js';
import { acceptEmptyBodies, optionalBody } from '../http/optional-body.js';
import { readPage } from '../kernel/paging.js';
import { registerStorableText } from '../http/storable-text.js';
import { inOrganization } from '../stores/database/tenant.js';
import { registerDeliveryRoutes } from './delivery-routes.js';
import { examples } from './examples.js';
import { collection, item, ownerOf, reading, tags, WebhookParams, writing } from './route-parts.js';
import { createRegistrationService, type RegistrationDeps, type RegistrationService } from './registration-service.js';
import { createResendService, type ResendDeps } from './resend-service.js';
import { findWebhook, listWebhooks, showWebhook } from './webhook-store.js';

const ProjectParams = Type.Object({ projectId: Type.String({ maxLength: 128 }) });
const securing: Access = { ...writing, afterTrial: true };

export type WebhookDeps = RegistrationDeps & ResendDeps;

export function registerWebhookRoutes(app: FastifyInstance, deps: WebhookDeps): void {
  const service = createRegistrationService(deps);
  void app.register(async (scope) => {
    registerStorableText(scope);
    registerCollection(scope, deps, service);
    registerItem(scope, deps, service);
    registerDeliveryRoutes(scope, deps, createResendService(deps));
    void scope.register(async (inner) => registerRotation(inner, service));
  });
}

function registerCollection(app: FastifyInstance, deps: WebhookDeps, service: RegistrationService): void {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>();
  typed.post(
    collection,
    {
      config: { access: writing },
      schema: {
        tags,
        operationId: 'createWebhook',
        summary: 'Register an address that events are sent to',
        description:
          'The secret is in this answer and nowhere else. How to verify and answer deliveries stands in docs/webhooks.md.',
        params: ProjectParams,
        body: { ...WebhookCreation, examples: [examples.create] },
        response: { 201: CreatedWebhookReply, ...errorReplies([400, 401, 402, 403, 404, 409, 413, 415, 429]) },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await service.create(actorOf(request), ownerOf(request), request.body)),
  );
  typed.get(
    collection,
    {
      config: { access: reading },
      schema: {
        tags,
        operationId: 'listWebhooks',
        summary: 'List the project’s webhooks, newest first',
        description: 'A page at a time: pass nextCursor on as cursor until it is null.',
        params: ProjectParams,
        querystring: PageQuery,
        response: { 200: WebhookPage, ...errorReplies([400, 401, 403, 404, 429]) },
      },
    },
    async (request) => {
      const { organizationId, projectId } = ownerOf(request);
      const { items, nextCursor } = await inOrganization(deps.database, organizationId, (tx) =>
        listWebhooks(tx, projectId, readPage(request.query)),
      );
      return { webhooks: items.map(showWebhook), nextCursor };
    },
  );
}

function registerItem(app: FastifyInstance, deps: WebhookDeps, service: RegistrationService): void {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>();
  const common = { tags, params: WebhookParams };
  typed.get(
    item,
    {
      config: { access: reading },
      schema: {
        ...common,
        operationId: 'getWebhook',
        summary: 'Read a webhook, and whether its deliveries go out',
        description: 'Its health says how the last deliveries went. Never the secret.',
        response: { 200: WebhookReply, ...errorReplies([400, 401, 403, 404, 429]) },
      },
    },
    async (request) => {
      const owner = ownerOf(request);
      const webhook = await inOrganization(deps.database, owner.organizationId, (tx) =>
        findWebhook(tx, owner, request.params.webhookId),
      );
      if (webhook === null) throw notFound('webhook');
      return showWebhook(webhook);
    },
  );
  typed.patch(
    item,
    {
      config: { access: securing },
      schema: {
        ...common,
        operationId: 'updateWebhook',
        summary: 'Change a webhook',
        description:
          'A merge: what is left out stays, null goes back to the default. In force within a second, for deliveries that wait too.',
        body: { ...mergePatchOf(WebhookFields), examples: [examples.change] },
        response: { 200: WebhookReply, ...errorReplies([400, 401, 403, 404, 413, 415, 429]) },
      },
    },
    async (request) =>
      service.change(actorOf(request), ownerOf(request), request.params.webhookId, request.body as WebhookChange),
  );
  typed.delete(
    item,
    {
      config: { access: securing },
      schema: {
        ...common,
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook and its log',
        description: 'Deliveries that wait are not sent any more.',
        response: { 200: WebhookReply, ...errorReplies([400, 401, 403, 404, 429]) },
      },
    },
    async (request) => service.remove(actorOf(request), ownerOf(request), request.params.webhookId),
  );
}

function registerRotation(app: FastifyInstance, service: RegistrationService): void {
  acceptEmptyBodies(app);
  app.withTypeProvider<TypeBoxTypeProvider>().post(
    `${item}/rotate-secret`,
    {
      config: { access: securing },
      schema: {
        tags,
        operationId: 'rotateWebhookSecret',
        summary: 'Replace the secret of a webhook',
        description:
          'X-Service-Signature is made with the new secret from then on. With overlapHours webhook-signature carries one of the old secret too, for so long.',
        params: WebhookParams,
        body: { ...optionalBody(SecretRotation), examples: [examples.rotate] },
        response: { 200: SecretReply, ...errorReplies([400, 401, 403, 404, 413, 415, 429]) },
      },
    },
    async (request) =>
      service.rotateSecret(
        actorOf(request),
        ownerOf(request),
        request.params.webhookId,
        request.body?.overlapHours ?? 0,
      ),
  );
}
