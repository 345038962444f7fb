/** Refuses requests while the process is overloaded: before their key is looked up and their body is read, so that accepted requests complete. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { overloaded } from '../errors.js';
import { bodyBytesMax } from '../limits.js';
import type { Metrics } from '../telemetry/metrics.js';
import { createAdaptiveLimit, type AdaptiveLimit, type InFlightRequest } from './adaptive-limit.js';
import { sendFault, drainBody } from './error-answers.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Refused while the process is overloaded. */
    sheddable?: true;
  }
  interface FastifyRequest {
    /** Releases a request whose caller has left. */
    releaseAbandoned?: () => void;
  }
}

const fault = overloaded('shed');
/** Longer than the deadlines of the stores: a request that is still not answered then hangs, and must not keep others out. */
const abandonedMsMax = 5_000;

/** Register it before anything that costs time. */
export function registerLoadShedder(app: FastifyInstance, { requestsShed }: Pick<Metrics, 'requestsShed'>): void {
  const limit = createAdaptiveLimit();
  const known = new WeakSet<Socket>();
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.sheddable !== true) return done();
    const take = (): void => {
      const accepted = limit.acquire();
      if (accepted === null) {
        requestsShed.inc();
        return void refuse(request, reply);
      }
      track(limit, accepted, request, reply.raw);
      done();
    };
    const { socket } = request.raw;
    if (known.has(socket)) return take();
    known.add(socket);
    unlessGone(socket, take);
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.releaseAbandoned?.();
    done(null, payload);
  });
}

/**
 * Node.js accepts one connection per turn of the event loop, so under load callers leave before their first request is read. That they left is
 * read two turns later; work for them would keep the next ones waiting until they leave as well.
 */
function unlessGone(socket: Socket, work: () => void): void {
  setImmediate(() =>
    setImmediate(() => {
      if (!socket.destroyed && !socket.readableEnded) work();
    }),
  );
}

/**
 * Releases the request when its response ends, and while its body is still on the way: slow uploads must not keep others out. If the caller
 * leaves, the work goes on, and the request counts until then: callers with short deadlines would otherwise pile up work for nobody.
 */
function track(
  limit: AdaptiveLimit,
  accepted: InFlightRequest,
  incoming: FastifyRequest,
  response: Pick<ServerResponse, 'closed' | 'once' | 'writableEnded'>,
): void {
  const request = incoming.raw;
  let inFlight = accepted;
  const release = (): void => limit.release(inFlight);
  response.once('close', () => {
    if (response.writableEnded) return release();
    incoming.releaseAbandoned = release;
    setTimeout(release, abandonedMsMax).unref();
  });
  // A body that comes with the headers is read within the same turn of the event loop.
  setImmediate(() => {
    if (request.complete) return;
    release();
    request.once('end', () => {
      if (!response.closed) inFlight = limit.readmit();
    });
  });
}

async function refuse(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!isBounded(request.raw)) {
    await drainBody(request.raw);
    if (!request.raw.complete) void reply.header('connection', 'close');
  }
  void sendFault(fault, request, reply);
}

/** Whether Node.js can discard the rest of the body after the response, because no route accepts a longer one. */
const isBounded = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= bodyBytesMax;
