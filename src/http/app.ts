/**
 * The Fastify application: request ids, security headers, errors, validation, access. Capabilities register their
 * own routes on it; it knows none of them.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Fastify, { LogController, type FastifyInstance } from 'fastify';
import type { AccessDeps } from '../kernel/caller.js';
import { Fault } from '../errors.js';
import { bodyBytesMax } from '../limits.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import { registerAccess, takeOutstandingRate } from './access.js';
import { answerFault, registerErrorAnswers } from './error-answers.js';
import { registerJsonBody } from './json-body.js';
import { registerLoadShedder } from './load-shedder.js';
import { registerNesting } from './nesting.js';
import { createRouteTable } from './route-table.js';
import { answerUnreadable } from './unreadable.js';
import { registerValidation } from '../kernel/validation.js';

export interface AppDeps extends AccessDeps {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Writes a line for each request: which route, what it answered, for which key, how long it took. Nothing of what it said. */
  readonly accessLog?: boolean;
  /** Path of the page that lists this listener’s operations; default that of the API. */
  readonly docsPath?: string;
  /** Whether the process is about to end: an answer is then the last of its connection. */
  readonly isLeaving?: () => boolean;
}

/** Milliseconds. */
const timeouts = { requestTimeout: 30_000, keepAliveTimeout: 72_000 } as const;

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller’s own where it is well-formed. */
function requestIdOf({ headers }: IncomingMessage): string {
  const own = headers['x-request-id'];
  return typeof own === 'string' && requestIdPattern.test(own) ? own : randomUUID();
}

const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const;

export function createApp(deps: AppDeps): FastifyInstance {
  const { metrics } = deps;
  const isLeaving = deps.isLeaving ?? (() => false);
  const app = Fastify({
    loggerInstance: deps.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    bodyLimit: bodyBytesMax,
    ...timeouts,
    // The schema of a path says how long its parts may be; the router only has to let them through to it.
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: true },
    frameworkErrors: (_error, request, reply) => {
      answerFault(
        new Fault('VALIDATION_FAILED', 'The address is not well-formed: check its percent-encoding.'),
        request,
        reply,
      );
    },
    clientErrorHandler: answerUnreadable,
    forceCloseConnections: 'idle',
    // What comes on a connection that is still open is answered like any other call; the connection ends with it.
    return503OnClosing: false,
    genReqId: requestIdOf,
  }) as unknown as FastifyInstance;
  const routes = createRouteTable();
  app.addHook('onRoute', (route) => routes.add(route.method, route.url));
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    if (isLeaving()) reply.header('connection', 'close');
    reply.headers(securityHeaders);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.httpRequests.observe({ route, status: String(reply.statusCode) }, reply.elapsedTime / 1_000);
    const { method, caller } = request;
    const keyId = caller?.kind === 'key' ? caller.keyId : null;
    if (reply.statusCode === 429) metrics.rateLimited.inc({ key: keyId === null ? 'none' : metrics.keyLabel(keyId) });
    if (deps.accessLog === true) {
      request.log.info(
        { method, route, status: reply.statusCode, keyId, ms: Math.round(reply.elapsedTime) },
        'request',
      );
    }
    done();
  });
  registerLoadShedder(app, metrics);
  // The framework reads text/plain by itself, and a program that forgot the header, as fetch lets it, would be told that its body is no object.
  app.removeContentTypeParser('text/plain');
  registerJsonBody(app, 'application/json');
  registerValidation(app);
  registerErrorAnswers(app, {
    methodsOf: routes.methodsOf,
    docsPath: deps.docsPath ?? '/api/v1/docs',
    settle: (request) => takeOutstandingRate(request, deps),
  });
  registerNesting(app);
  registerAccess(app, deps);
  return app;
}
