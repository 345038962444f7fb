/**
 * Routes of verification: sessions, envelopes, results, tokens, analytics, erasure. Text that no database keeps is refused for those that store it;
 * the envelope is checked for it by its own handler.
 */
import type { FastifyInstance } from 'fastify';
import { registerStorableText } from '../http/json-body.js';
import { registerActivityRoute, type ActivityRouteDeps } from './activity/activity-routes.js';
import { registerAnalyticsRoute, type AnalyticsRouteDeps } from './analytics/analytics-routes.js';
import { registerFlagRoute, type FlagRouteDeps } from './monitoring/flag-routes.js';
import { registerErasureRoutes, type ErasureRouteDeps } from './erasure/erasure-routes.js';
import { registerResultRoutes, type ResultRouteDeps } from './results/result-routes.js';
import { registerChallengeRoute, type ChallengeRouteDeps } from './sessions/challenge-routes.js';
import { registerRetryRoute, registerSessionRoutes, type SessionRouteDeps } from './sessions/session-routes.js';
import { registerTokenRoutes, type TokenRouteDeps } from './tokens/token-routes.js';
import { registerVerifyRoute, type VerifyRouteDeps } from './verify/verify-routes.js';

export type VerificationRouteDeps = SessionRouteDeps &
  ChallengeRouteDeps &
  VerifyRouteDeps &
  ResultRouteDeps &
  ActivityRouteDeps &
  TokenRouteDeps &
  AnalyticsRouteDeps &
  FlagRouteDeps &
  ErasureRouteDeps;

export function registerVerificationRoutes(app: FastifyInstance, deps: VerificationRouteDeps): void {
  void app.register(async (scope) => {
    registerStorableText(scope);
    registerSessionRoutes(scope, deps);
    registerRetryRoute(scope, deps);
    registerChallengeRoute(scope, deps);
    registerResultRoutes(scope, deps);
    registerAnalyticsRoute(scope, deps);
    registerFlagRoute(scope, deps);
    registerErasureRoutes(scope, deps);
  });
  registerActivityRoute(app, deps);
  registerVerifyRoute(app, deps);
  registerTokenRoutes(app, deps);
}
