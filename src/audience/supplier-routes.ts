/** Routes of suppliers. They take an organization key: a supplier's own project key must not reach the secrets of another. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { actorOf } from '../administration/audit.js';
import { mergePatchOf } from '../contract/merge-patch.js';
import { PageQuery } from '../contract/paging.js';
import {
  CreatedSupplierReply,
  EntrySecretReply,
  Rotation,
  SupplierCreation,
  SupplierFields,
  SupplierPage,
  SupplierReply,
} from '../contract/supplier.js';
import type { Access } from '../http/access-declaration.js';
import { keyCaller } from '../http/access.js';
import { acceptEmptyBodies, optionalBody, registerStorableText } from '../http/json-body.js';
import { errorReplies, routesOf } from '../http/openapi.js';
import { readPage } from '../kernel/paging.js';
import { supplierExample, supplierPatchExample } from './examples.js';
import type { SupplierService } from './supplier-service.js';

const working: Access = {
  ...{ credential: 'organization-key', scope: 'audience:write', oauth: ['audience:write'], modes: ['live', 'test'] },
};
const access: Access = { ...working, afterTrial: true };
const params = Type.Object({ supplierId: Type.String({ maxLength: 128 }) });
const item = '/suppliers/:supplierId';
const route = routesOf('Suppliers');

export function registerSupplierRoutes(app: FastifyInstance, suppliers: SupplierService): void {
  void app.register(async (scope) => {
    registerStorableText(scope);
    registerCollection(scope, suppliers);
    registerItem(scope, suppliers);
    void scope.register(async (inner) => registerRotation(inner, suppliers));
  });
}

function registerCollection(app: FastifyInstance, suppliers: SupplierService): void {
  app.post(
    '/suppliers',
    route(working, {
      operationId: 'createSupplier',
      summary: 'Create a supplier of respondents',
      description: 'For link signatures and redirects, see docs/how-to/connect-suppliers.md.',
      body: { ...SupplierCreation, examples: [supplierExample] },
      response: { 201: CreatedSupplierReply, ...errorReplies([400, 401, 402, 403, 404, 409, 413, 415, 429]) },
    }),
    async (request, reply) =>
      reply.code(201).send(await suppliers.create(actorOf(request), keyCaller(request), request.body)),
  );
  app.get(
    '/suppliers',
    route(access, {
      operationId: 'listSuppliers',
      summary: 'List the suppliers of the organization, newest first',
      description: 'A page at a time: pass nextCursor on as cursor until it is null.',
      querystring: PageQuery,
      response: { 200: SupplierPage, ...errorReplies([400, 401, 403, 429]) },
    }),
    async (request) => suppliers.list(keyCaller(request), readPage(request.query)),
  );
}

function registerItem(app: FastifyInstance, suppliers: SupplierService): void {
  app.get(
    item,
    route(access, {
      operationId: 'getSupplier',
      summary: 'Read a supplier',
      params,
      response: { 200: SupplierReply, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => suppliers.read(keyCaller(request), request.params.supplierId),
  );
  app.patch(
    item,
    route(access, {
      operationId: 'updateSupplier',
      summary: 'Change a supplier',
      description:
        'Merges the body: omitted fields keep their values, null restores the default. Links and postbacks change at once.',
      params,
      body: { ...mergePatchOf(SupplierFields), examples: [supplierPatchExample] },
      response: { 200: SupplierReply, ...errorReplies([400, 401, 403, 404, 409, 413, 415, 429]) },
    }),
    async (request) => suppliers.update(actorOf(request), keyCaller(request), request.params.supplierId, request.body),
  );
  app.delete(
    item,
    route(access, {
      operationId: 'deleteSupplier',
      summary: 'Delete a supplier',
      description:
        'Its links stop working and respondents are no longer redirected to it. Existing respondents stay counted.',
      params,
      response: { 200: SupplierReply, ...errorReplies([400, 401, 403, 404, 429]) },
    }),
    async (request) => suppliers.remove(actorOf(request), keyCaller(request), request.params.supplierId),
  );
}

function registerRotation(app: FastifyInstance, suppliers: SupplierService): void {
  acceptEmptyBodies(app);
  app.post(
    `${item}/rotate-secret`,
    route(access, {
      operationId: 'rotateSupplierSecret',
      summary: 'Replace the secret of a supplier',
      description:
        'Links signed with the old secret work for overlapHours. Redirects and postbacks use the new one at once; webhook-signature carries both meanwhile.',
      params,
      body: { ...optionalBody(Rotation), examples: [{ overlapHours: 24 }] },
      response: { 200: EntrySecretReply, ...errorReplies([400, 401, 403, 404, 413, 415, 429]) },
    }),
    async (request) =>
      suppliers.rotateSecret(
        actorOf(request),
        keyCaller(request),
        request.params.supplierId,
        request.body?.overlapHours,
      ),
  );
}
