/**
 * The door of a server, before the framework: what would wait too long is refused by the listener of requests itself, from a reply that is
 * prepared but for its id. Fastify’s request, reply and log of a call cost as much as all the rest of a refusal, and refusals come by the
 * thousand, at the cost of those inside.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { overloaded } from '../errors.js';
import { bodyBytesMax } from '../limits.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import { createAdmission } from './admission.js';
import { createLateBodies } from './late-bodies.js';
import type { Stay } from './queueing.js';
import { readOn } from './read-on.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Refused while requests of such routes wait too long. Their path has no parameters. */
    sheds?: true;
  }
}

export interface DoorDeps {
  readonly metrics: Pick<Metrics, 'requestsShed' | 'httpRequests'>;
  /** Gets a line for each refusal, as for each other request; null where none is wanted. */
  readonly accessLog: Logger | null;
  readonly requestIdOf: (request: IncomingMessage) => string;
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether an answer is the last of its connection. */
  readonly isLeaving: () => boolean;
}

export interface Door {
  /** A server that asks here before it hands a request on; timeouts in milliseconds. */
  serve(
    handler: RequestListener,
    timeouts: { readonly keepAliveTimeout: number; readonly requestTimeout: number },
  ): Server;
  /** Learns the routes that shed, and refuses what came to them by another way, or under another spelling of their address. */
  register(app: FastifyInstance): void;
}

const fault = overloaded('refused at the door');
const bodyStart = JSON.stringify({ code: fault.code, message: fault.message }).slice(0, -1);

export function createDoor({ metrics, accessLog, requestIdOf, headers, isLeaving }: DoorDeps): Door {
  const admission = createAdmission(() => performance.now());
  const lateBodies = createLateBodies(admission);
  /** Methods by path. */
  const shedding = new Map<string, string[]>();
  const entered = new WeakMap<IncomingMessage, Stay>();
  const headersOfAll = Object.entries({
    ...headers,
    ...fault.details.headers,
    'content-type': 'application/json; charset=utf-8',
  }).flat();

  /** Whether it was let in. */
  const enter = (request: IncomingMessage, response: ServerResponse): boolean => {
    const stay = admission.enter();
    if (stay === null) {
      metrics.requestsShed.inc();
      return false;
    }
    entered.set(request, stay);
    // Also where the caller goes away before the answer.
    response.once('close', () => admission.leave(entered.get(request) ?? stay));
    return true;
  };
  const refuse = (request: IncomingMessage, response: ServerResponse, requestId: string): void => {
    const body = `${bodyStart},"requestId":${JSON.stringify(requestId)}}`;
    const answer = (isLast: boolean): void => {
      const own = ['x-request-id', requestId, 'content-length', String(Buffer.byteLength(body))];
      if (isLast) own.push('connection', 'close');
      response.writeHead(fault.status, own.concat(headersOfAll)).end(body);
    };
    // What is left of a body of known length is let pass after the answer, which says nothing of it.
    if (isBounded(request)) return answer(isLeaving());
    void readOn(request).then(() => answer(isLeaving() || !request.complete));
  };
  const listen =
    (handler: RequestListener): RequestListener =>
    (request, response) => {
      const { method = '', url: route = '' } = request;
      if (shedding.get(route)?.includes(method) !== true) return handler(request, response);
      const sinceMs = performance.now();
      if (enter(request, response)) return handler(request, response);
      const requestId = requestIdOf(request);
      refuse(request, response, requestId);
      const ms = performance.now() - sinceMs;
      metrics.httpRequests.observe({ route, status: String(fault.status) }, ms / 1_000);
      accessLog?.info({ requestId, method, route, status: fault.status, keyId: null, ms: Math.round(ms) }, 'request');
    };
  return {
    serve: (handler, timeouts) => createServer(timeouts, listen(handler)),
    register(app) {
      app.addHook('onRoute', ({ config, method, url }) => {
        if (config?.sheds === true) shedding.set(url, [...(shedding.get(url) ?? []), method].flat());
      });
      app.addHook('onRequest', (request, reply, done) => {
        if (request.routeOptions.config.sheds !== true || entered.has(request.raw)) return done();
        if (enter(request.raw, reply.raw)) return done();
        reply.hijack();
        refuse(request.raw, reply.raw, request.id);
      });
      // Whose body is still on its way takes no place as long as that lasts: a few callers that send slowly would otherwise shut the door to all.
      app.addHook('preParsing', (request, _reply, _payload, done) => {
        const stay = entered.get(request.raw);
        if (stay !== undefined && !request.raw.complete) lateBodies.watch(request.raw, stay);
        done();
      });
      app.addHook('preValidation', (request, reply, done) => {
        // Where the connection has ended, nobody would give the place up again.
        if (entered.get(request.raw)?.hasLeft === true && !reply.raw.destroyed)
          entered.set(request.raw, admission.stepIn());
        done();
      });
    },
  };
}

/** Whether its body, or what is left of it, is no more than any route takes. */
const isBounded = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= bodyBytesMax;
