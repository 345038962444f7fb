/** The Fastify application: request ids, security headers, errors, validation, access. Capabilities register their routes on it. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { LogController, type FastifyInstance } from 'fastify';
import type { AccessDeps } from '../kernel/caller.js';
import { Fault } from '../errors.js';
import { bodyBytesMax } from '../limits.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import { registerAccess, takeOutstandingRate, takeRefusedRate, type RefusedCallDeps } from './access.js';
import { registerClientAddress, type ClientAddressDeps } from './client-address.js';
import {
  answerFault,
  registerErrorAnswers,
  createRouteTable,
  answerUnreadable,
  type ErrorAnswerDeps,
} from './error-answers.js';
import { registerHeavyWork } from './heavy-work.js';
import { registerJsonBody, registerNesting } from './json-body.js';
import { registerLoadShedder } from './load-shedder.js';
import { registerSchemas } from '../kernel/validation.js';

export interface AppDeps
  extends AccessDeps, RefusedCallDeps, Pick<ClientAddressDeps, 'trustedProxies'>, Pick<ErrorAnswerDeps, 'elsewhere'> {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Logs a line per request: route, status, key, duration; nothing of its content. */
  readonly accessLog?: boolean;
  /** Path of the page that lists this listener’s operations. Default: that of the API. */
  readonly docsPath?: string;
  /** Whether the process is shutting down: each response then closes its connection. */
  readonly isLeaving?: () => boolean;
}

/** Milliseconds. */
const timeouts = { requestTimeout: 30_000, keepAliveTimeout: 72_000 } as const;

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller’s own id if it is well-formed. */
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
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request costs more than the few lines that are written; a line names its request instead.
    childLoggerFactory: (logger) => logger,
    bodyLimit: bodyBytesMax,
    ...timeouts,
    // The schema of a path limits its parts; the router must not.
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: true },
    frameworkErrors: (_error, request, reply) => {
      answerFault(
        new Fault('VALIDATION_FAILED', 'The URL is malformed. Correct its percent-encoding.'),
        request,
        reply,
      );
    },
    clientErrorHandler: answerUnreadable,
    forceCloseConnections: 'idle',
    // Requests on open connections are still served; each response closes its connection.
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
    metrics.primeFailures(route);
    metrics.httpRequests.observe({ route, status: String(reply.statusCode) }, reply.elapsedTime / 1_000);
    const { method, caller } = request;
    const keyId = caller?.kind === 'key' ? caller.keyId : null;
    if (reply.statusCode === 429) metrics.rateLimited.inc({ key: keyId === null ? 'none' : metrics.keyLabel(keyId) });
    if (deps.accessLog === true) {
      request.log.info(
        { requestId: request.id, method, route, status: reply.statusCode, keyId, ms: Math.round(reply.elapsedTime) },
        'request',
      );
    }
    done();
  });
  registerClientAddress(app, deps);
  registerLoadShedder(app, metrics);
  // Fastify parses text/plain, which fetch sends by default. Without its parser the error names the missing content type.
  app.removeContentTypeParser('text/plain');
  registerJsonBody(app, 'application/json');
  registerSchemas(app);
  registerErrorAnswers(app, {
    methodsOf: routes.methodsOf,
    docsPath: deps.docsPath ?? '/api/v1/docs',
    elsewhere: deps.elsewhere,
    async settle(request, fault) {
      await takeOutstandingRate(request, deps);
      await takeRefusedRate(request, fault, deps);
    },
  });
  registerNesting(app);
  registerAccess(app, deps);
  registerHeavyWork(app, metrics);
  return app;
}

/** Length of the queue; the default of Node.js is 511. Linux caps it at `net.core.somaxconn`, 4,096 by default. */
const backlog = 4_096;

/** Starts listening; resolves to the port. Connections beyond the kernel’s queue are dropped without a response. */
export async function listen(
  app: FastifyInstance,
  at: { readonly host: string; readonly port: number },
): Promise<number> {
  await app.listen({ ...at, backlog });
  return (app.server.address() as AddressInfo | null)?.port ?? at.port;
}
