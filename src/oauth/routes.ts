/**
 * What OAuth serves at the root of the site: its documents and the token endpoint. Routes of clients stand under the API root.
 */
import type { FastifyInstance } from 'fastify';
import { registerMetadata, type MetadataDeps } from './metadata-routes.js';
import { registerTokenEndpoint, type TokenEndpointDeps } from './token-routes.js';

export function registerOAuth(app: FastifyInstance, deps: TokenEndpointDeps & MetadataDeps): void {
  registerMetadata(app, deps);
  void app.register(async (scope) => registerTokenEndpoint(scope, deps));
}
