/**
 * Routes of verification: sessions, envelopes, results, tokens. Text that no database keeps is refused for those that store it.
 */
import type { FastifyInstance } from 'fastify';
import { registerStorableText } from '../http/storable-text.js';
import { registerSessionRoutes, type SessionRouteDeps } from './sessions/session-routes.js';
import { registerTokenRoutes, type TokenRouteDeps } from './tokens/token-routes.js';

export type VerificationRouteDeps = SessionRouteDeps & TokenRouteDeps;

export function registerVerificationRoutes(app: FastifyInstance, deps: VerificationRouteDeps): void {
  void app.register(async (scope) => {
    registerStorableText(scope);
    registerSessionRoutes(scope, deps);
  });
  registerTokenRoutes(app, deps);
}
