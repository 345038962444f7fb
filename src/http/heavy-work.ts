/**
 * Heavy operations: few of each at a time, for an organization and in all, so that what one of them starts never keeps the others waiting. A call
 * waits shortly for its place, then gets 429 with Retry-After. It holds the place until its response and its work have ended, whoever has left; then
 * the place rests.
 */
import type { DoneFuncWithErrOrRes, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createFairLimiter, type FairLimiter, type Release } from '../fair-limiter.js';
import type { Metrics } from '../telemetry/metrics.js';
import { organizationOf } from './access.js';

/** Places: of an instance, and of one organization. */
const heavyOperations = {
  export: { places: 4, each: 1 },
  recount: { places: 4, each: 1 },
  simulate: { places: 2, each: 1 },
  shadow: { places: 2, each: 1 },
  recommendations: { places: 2, each: 1 },
  reports: { places: 2, each: 1 },
  analytics: { places: 4, each: 2 },
  recover: { places: 2, each: 1 },
  resend: { places: 4, each: 1 },
  erasure: { places: 4, each: 1 },
} as const;

export type HeavyOperation = keyof typeof heavyOperations;

declare module 'fastify' {
  interface FastifyContextConfig {
    heavy?: HeavyOperation;
  }
  interface FastifyRequest {
    /** Ends the work of a heavy operation, whose response may still be under way. */
    heavyWorkEnded: (() => void) | null;
  }
}

/** Longer than most of these operations take, and shorter than callers wait. */
const waitMsMax = 5_000;

export function registerHeavyWork(app: FastifyInstance, { noteShare }: Pick<Metrics, 'noteShare'>): void {
  const limiters = new Map<HeavyOperation, FairLimiter>();
  const limiterOf = (operation: HeavyOperation): FairLimiter => {
    const limiter =
      limiters.get(operation) ??
      createFairLimiter({ operation, ...heavyOperations[operation], rests: true, waitMsMax, observer: noteShare });
    limiters.set(operation, limiter);
    return limiter;
  };
  app.decorateRequest('heavyWorkEnded', null);
  // Hooks of these routes alone: no other request passes here.
  app.addHook('onRoute', (route) => {
    const heavy = route.config?.heavy;
    if (heavy === undefined) return;
    route.preHandler = [
      ...[route.preHandler ?? []].flat(),
      async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
        const gone = new AbortController();
        const leave = (): void => gone.abort();
        reply.raw.once('close', leave);
        const release = await limiterOf(heavy).acquire(organizationOf(request), gone.signal);
        reply.raw.off('close', leave);
        request.heavyWorkEnded = releaseAfterBoth(release, reply.raw);
      },
    ];
    route.onSend = [
      ...[route.onSend ?? []].flat(),
      (request: FastifyRequest, _reply: FastifyReply, payload: unknown, done: DoneFuncWithErrOrRes): void => {
        request.heavyWorkEnded?.();
        done(null, payload);
      },
    ];
  });
}

/** Calls `release` once the response has closed and the returned function was called. */
function releaseAfterBoth(
  release: Release,
  response: { readonly closed: boolean; once(event: 'close', listener: () => void): unknown },
): () => void {
  let isEnded = false;
  response.once('close', () => {
    if (isEnded) release();
  });
  return () => {
    isEnded = true;
    if (response.closed) release();
  };
}
