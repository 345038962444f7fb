/** Routes of the chain of receipts and of its signed heads: of the key’s project and mode; any other credential names a project. */
import type { FastifyInstance } from 'fastify';
import { ReceiptChainPage, ReceiptChainQuery, ReceiptHeadPage } from '../../contract/receipt-chain.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import { readingProject, resolveProjectScope, type ProjectScopeDeps } from '../project-scope.js';
import type { ChainService } from './chain-service.js';

export interface ReceiptRouteDeps extends ProjectScopeDeps {
  readonly chains: ChainService;
}

const route = routesOf('Scoring');
const errors = errorReplies([400, 401, 403, 404, 429]);

export function registerReceiptRoutes(app: FastifyInstance, deps: ReceiptRouteDeps): void {
  app.get(
    '/lite/receipts',
    route(readingProject, {
      operationId: 'exportReceipts',
      summary: 'Export receipts in the order of their chain',
      description:
        'Signed records with their places in the hash chain, oldest first, to be verified offline by `npm run verify-receipts`. For the next page, send nextCursor as cursor until it is null. A test key reads what test keys scored.',
      querystring: ReceiptChainQuery,
      response: { 200: ReceiptChainPage, ...errors },
    }),
    async (request) => {
      const { projectId, ...page } = request.query;
      return deps.chains.receipts(await resolveProjectScope(deps, request.caller, projectId), page);
    },
  );

  app.get(
    '/lite/receipts/heads',
    route(readingProject, {
      operationId: 'listReceiptHeads',
      summary: 'List the signed heads of the chain of receipts',
      description:
        'One for each day (UTC) on which receipts were recorded, newest first, signed within minutes of the end of the day. Keep them: they prove later that no earlier receipt was altered, removed or moved. `keys` verify them and the receipts.',
      querystring: ReceiptChainQuery,
      response: { 200: ReceiptHeadPage, ...errors },
    }),
    async (request) => {
      const { projectId, ...page } = request.query;
      return deps.chains.heads(await resolveProjectScope(deps, request.caller, projectId), page);
    },
  );
}
