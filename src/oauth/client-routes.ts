/** Routes of OAuth clients: making, listing, rotating and revoking them. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Access } from '../http/access-declaration.js';
import { actorOf } from '../administration/audit.js';
import {
  MadeOAuthClient,
  OAuthClientCreation,
  OAuthClientPage,
  OAuthClientRecord,
  OAuthClientRotation,
} from '../contract/oauth.js';
import { PageQuery } from '../contract/paging.js';
import { organizationOf } from '../http/access.js';
import { errorReplies, routesOf } from '../http/openapi.js';
import { acceptEmptyBodies, optionalBody, registerStorableText } from '../http/json-body.js';
import { readPage } from '../kernel/paging.js';
import { inOrganization } from '../stores/database/tenant.js';
import { createClientService, type Asking, type ClientServiceDeps } from './client-service.js';
import { listClients, showClient } from './client-store.js';

const path = '/organizations/:orgId/oauth-clients';
const Id = Type.String({ maxLength: 128 });
const params = Type.Object({ orgId: Id });
const itemParams = Type.Object({ orgId: Id, clientId: Id });
const working = {
  credential: 'dashboard-or-organization-key',
  modes: ['live'],
  role: 'admin',
  scope: 'keys:write',
  organization: 'orgId',
} as const satisfies Access;
const securing: Access = { ...working, afterTrial: true };
const reading: Access = { ...securing, scope: 'keys:read' };
const route = routesOf('OAuth clients');
const askingOf = (request: FastifyRequest): Asking => ({
  organizationId: organizationOf(request),
  caller: request.caller,
  actor: actorOf(request),
});

export function registerClientRoutes(scope: FastifyInstance, deps: ClientServiceDeps): void {
  registerStorableText(scope);
  registerCollection(scope, deps);
  void scope.register(async (items) => registerItem(items, deps));
}

function registerCollection(app: FastifyInstance, deps: ClientServiceDeps): void {
  const service = createClientService(deps);

  app.get(
    path,
    route(reading, {
      params,
      operationId: 'listOAuthClients',
      summary: 'List the organization’s OAuth clients, newest first',
      description: 'Revoked ones as well. For the next page, send nextCursor as cursor until it is null.',
      querystring: PageQuery,
      response: { 200: OAuthClientPage, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => {
      const organizationId = organizationOf(request);
      const page = readPage(request.query);
      const { items, nextCursor } = await inOrganization(deps.database, organizationId, (tx) =>
        listClients(tx, organizationId, page),
      );
      return { oauthClients: items.map(showClient), nextCursor };
    },
  );

  app.post(
    path,
    route(working, {
      params,
      operationId: 'createOAuthClient',
      summary: 'Make an OAuth client',
      description:
        'Returns the secret, only this once. With jwks there is none, because the client signs assertions with its private key.',
      body: { ...OAuthClientCreation, examples: [{ name: 'Fraud desk agent', scopes: ['lite:score', 'lite:read'] }] },
      response: { 201: MadeOAuthClient, ...errorReplies([400, 401, 402, 403, 404, 409, 413, 415, 429]) },
    }),
    async (request, reply) => reply.code(201).send(await service.create(askingOf(request), request.body)),
  );
}

function registerItem(scope: FastifyInstance, deps: ClientServiceDeps): void {
  acceptEmptyBodies(scope);
  const service = createClientService(deps);

  scope.post(
    `${path}/:clientId/rotate`,
    route(securing, {
      params: itemParams,
      operationId: 'rotateOAuthClient',
      summary: 'Replace the secret or the keys of an OAuth client',
      description:
        'Id, name and scopes stay. The old secret and its tokens stop working everywhere within a second. Without jwks, the client gets a new secret, even if it had keys.',
      body: { ...optionalBody(OAuthClientRotation), examples: [{}] },
      response: { 200: MadeOAuthClient, ...errorReplies([400, 401, 403, 404, 413, 415, 429]) },
    }),
    async (request) => service.rotate(askingOf(request), request.params.clientId, request.body ?? {}),
  );

  scope.delete(
    `${path}/:clientId`,
    route(securing, {
      params: itemParams,
      operationId: 'revokeOAuthClient',
      summary: 'Revoke an OAuth client',
      description: 'It and its tokens stop working everywhere within a second. Repeating the call changes nothing.',
      response: { 200: OAuthClientRecord, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => service.revoke(askingOf(request), request.params.clientId),
  );
}
