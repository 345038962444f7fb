/** Routes of API keys: the same five operations for those of a project and of an organization, and the key that asks about itself. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type, type TSchema } from 'typebox';
import type { Access } from '../../http/access-declaration.js';
import { notFound } from '../../kernel/faults.js';
import { modeOfCaller } from '../../kernel/caller.js';
import { sessionModes } from '../../contract/common.js';
import {
  KeyChange,
  KeyCreation,
  KeyIntrospection,
  KeyPage,
  KeyRecord,
  KeyRotation,
  MintedKeyReply,
} from '../../contract/api-key.js';
import { PageQuery } from '../../contract/paging.js';
import { keyCaller, organizationOf } from '../../http/access.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import type { AdministrationDeps } from '../deps.js';
import { actorOf } from '../../administration/audit.js';
import { examples } from '../examples.js';
import { type Asking, createKeyService } from './key-service.js';
import type { KeyOwner } from '../../administration/api-keys.js';
import { findOwnedKey, introspect, listKeys, showKey } from './key-store.js';
import { acceptEmptyBodies, optionalBody } from '../../http/json-body.js';
import { readPage } from '../../kernel/paging.js';
import { inOrganization } from '../../stores/database/tenant.js';

/** The differences between the two sets. */
interface KeySet {
  readonly path: string;
  /** Ends the operation ids. */
  readonly of: 'Project' | 'Organization';
  readonly params: Record<string, TSchema>;
  readonly ownerAccess: { readonly project: string } | { readonly organization: string };
  /** Access for making keys, and for replacing, limiting and revoking them. */
  readonly mint: Pick<Extract<Access, { role?: unknown }>, 'credential' | 'role'>;
  readonly write: Pick<Extract<Access, { role?: unknown }>, 'credential' | 'role'>;
  readonly projectOf: (request: FastifyRequest) => string | null;
}

const projectKeys: KeySet = {
  path: '/projects/:projectId/api-keys',
  of: 'Project',
  params: { projectId: Type.String({ maxLength: 128 }) },
  ownerAccess: { project: 'projectId' },
  mint: { credential: 'dashboard-or-organization-key', role: 'admin' },
  write: { credential: 'dashboard-or-key', role: 'admin' },
  projectOf: (request) => (request.params as { projectId: string }).projectId,
};

const organizationKeys: KeySet = {
  path: '/organizations/:orgId/api-keys',
  of: 'Organization',
  params: { orgId: Type.String({ maxLength: 128 }) },
  ownerAccess: { organization: 'orgId' },
  mint: { credential: 'dashboard', role: 'owner' },
  write: { credential: 'dashboard-or-organization-key', role: 'owner' },
  projectOf: () => null,
};

const route = routesOf('API keys');
const introspecting: Access = { credential: 'api-key', modes: sessionModes, afterTrial: true };

export function registerKeyRoutes(app: FastifyInstance, deps: AdministrationDeps): void {
  registerIntrospection(app, deps);
  for (const set of [projectKeys, organizationKeys]) {
    registerCollection(app, deps, set);
    void app.register(async (scope) => registerItem(scope, deps, set));
  }
}

const ownerOf = (set: KeySet, request: FastifyRequest): KeyOwner => ({
  organizationId: organizationOf(request),
  projectId: set.projectOf(request),
});
const askingOf = (request: FastifyRequest): Asking => ({ caller: request.caller, actor: actorOf(request) });

function registerIntrospection(app: FastifyInstance, deps: AdministrationDeps): void {
  app.get(
    '/api-keys/current',
    route(introspecting, {
      operationId: 'introspectKey',
      summary: 'Describe the calling key’s permissions',
      description: 'Its project or organization, scopes, limits and expiry. Never the secret.',
      response: { 200: KeyIntrospection, ...errorReplies([401, 429]) },
    }),
    async (request) => {
      const { keyId, organizationId, projectId } = keyCaller(request);
      const key = await findOwnedKey(deps.database, { organizationId, projectId }, keyId);
      if (key === null) throw notFound('key');
      return introspect(key);
    },
  );
}

function registerCollection(app: FastifyInstance, deps: AdministrationDeps, set: KeySet): void {
  const service = createKeyService(deps);
  const params = Type.Object(set.params);
  const minting: Access = { ...set.mint, modes: ['live', 'test'], scope: 'keys:write', ...set.ownerAccess };
  const listing: Access = {
    credential: 'dashboard-or-organization-key',
    modes: ['live', 'test'],
    role: 'admin',
    scope: 'keys:read',
    afterTrial: true,
    ...set.ownerAccess,
  };

  app.get(
    set.path,
    route(listing, {
      operationId: `list${set.of}Keys`,
      summary: `List the ${set.of.toLowerCase()}’s keys, newest first`,
      description:
        'Revoked and expired keys as well. A test key sees test keys only. For the next page, send nextCursor as cursor until it is null.',
      params,
      querystring: PageQuery,
      response: { 200: KeyPage, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => {
      const owner = ownerOf(set, request);
      const page = readPage(request.query);
      const { items, nextCursor } = await inOrganization(deps.database, owner.organizationId, (tx) =>
        listKeys(tx, owner, modeOfCaller(request.caller), page),
      );
      return { apiKeys: items.map((key) => showKey(key, deps.now())), nextCursor };
    },
  );

  app.post(
    set.path,
    route(minting, {
      operationId: `create${set.of}Key`,
      summary: `Make a key of the ${set.of.toLowerCase()}`,
      description: 'Returns the secret, only this once. Without expiresInDays, the key does not expire.',
      params,
      body: { ...KeyCreation, examples: [examples.createKey] },
      response: { 201: MintedKeyReply, ...errorReplies([400, 401, 402, 403, 404, 413, 415, 429]) },
    }),
    async (request, reply) =>
      reply.code(201).send(await service.create(askingOf(request), ownerOf(set, request), request.body)),
  );
}

function registerItem(scope: FastifyInstance, deps: AdministrationDeps, set: KeySet): void {
  acceptEmptyBodies(scope);
  const service = createKeyService(deps);
  const params = Type.Object({ ...set.params, keyId: Type.String({ maxLength: 128 }) });
  const keyIdOf = (request: FastifyRequest): string => (request.params as { keyId: string }).keyId;
  const access: Access = {
    ...{ ...set.write, scope: 'keys:write', key: 'keyId', afterTrial: true, ...set.ownerAccess },
    modes: ['live', 'test'],
  };

  scope.post(
    `${set.path}/:keyId/rotate`,
    route(access, {
      params,
      operationId: `rotate${set.of}Key`,
      summary: `Replace a key of the ${set.of.toLowerCase()}`,
      description:
        'The replacement inherits scope, name, scopes, limits, family and, unless expiresInDays is given, expiry. The old key stops working everywhere within a second.',
      body: { ...optionalBody(KeyRotation), examples: [{ expiresInDays: 30 }] },
      response: { 200: MintedKeyReply, ...errorReplies([400, 401, 403, 404, 413, 415, 429]) },
    }),
    async (request) => service.rotate(askingOf(request), ownerOf(set, request), keyIdOf(request), request.body ?? {}),
  );

  scope.patch(
    `${set.path}/:keyId`,
    route(access, {
      params,
      operationId: `limit${set.of}Key`,
      summary: `Change the rate limits of a key of the ${set.of.toLowerCase()}`,
      description: 'Changes only the limits. They apply everywhere within a second.',
      body: { ...KeyChange, examples: [examples.changeKey] },
      response: { 200: KeyRecord, ...errorReplies([400, 401, 403, 404, 413, 415, 429]) },
    }),
    async (request) => service.changeLimits(askingOf(request), ownerOf(set, request), keyIdOf(request), request.body),
  );

  scope.delete(
    `${set.path}/:keyId`,
    route(access, {
      params,
      operationId: `revoke${set.of}Key`,
      summary: `Revoke a key of the ${set.of.toLowerCase()}`,
      description:
        'It stops working everywhere within a second and cannot be brought back. Repeating the call changes nothing.',
      response: { 200: KeyRecord, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => service.revoke(askingOf(request), ownerOf(set, request), keyIdOf(request)),
  );
}
