/**
 * Turns errors into the error body: { code, message, requestId, issues?, ...context }.
 * Known faults keep their code. Schema violations become VALIDATION_FAILED with JSON pointers. Anything else is
 * a bug: logged in full, answered as INTERNAL without details.
 */
import type { Readable } from 'node:stream';
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault, type ErrorCode } from '../errors.js';
import { invalid } from '../kernel/faults.js';
import { describeViolation } from '../kernel/validation.js';

export interface ErrorAnswerDeps {
  readonly methodsOf: (path: string) => readonly string[];
  /** Path of the page that lists the operations. */
  readonly docsPath: string;
  /** Paths that another listener serves, and its address. */
  readonly elsewhere?: { readonly paths: RegExp; readonly url: () => string } | undefined;
  /** Runs before a failed call is answered. If it throws, that fault is the answer. */
  readonly settle: (request: FastifyRequest, fault: Fault) => Promise<void>;
}

export function registerErrorAnswers(
  app: FastifyInstance,
  { methodsOf, docsPath, elsewhere, settle }: ErrorAnswerDeps,
): void {
  /** The fault for a path or method that no route serves. */
  function unserved({ url, method }: FastifyRequest): Fault {
    const methods = methodsOf(url.split('?', 1)[0] ?? '/');
    if (methods.length === 0 && elsewhere?.paths.test(url) === true)
      return new Fault('NOT_FOUND', `This path is served at ${elsewhere.url()}. Send the request there.`);
    return methods.length > 0 && !methods.includes(method)
      ? new Fault('METHOD_NOT_ALLOWED', `The method is not allowed here. Use ${methods.join(' or ')}.`, {
          headers: { allow: methods.join(', ') },
        })
      : new Fault('NOT_FOUND', `This path does not exist. See the operations at ${docsPath}.`);
  }
  // An unreadable body sent to an unknown path is a 404.
  app.setErrorHandler(async (error: FastifyError | Fault, request, reply) => {
    // Fastify closes the connection if it did not read the whole body.
    if (reply.getHeader('connection') === 'close' && !request.raw.complete) await drainBody(request.raw);
    const fault = request.is404 ? unserved(request) : asFault(error, request);
    const unsettled = await settle(request, fault).then(
      () => null,
      (refusal: Fault) => asFault(refusal, request),
    );
    return answerFault(request.is404 ? fault : (unsettled ?? fault), request, reply);
  });
  app.setNotFoundHandler((request, reply) => answerFault(unserved(request), request, reply));
}

/** Logs and sends a fault; also for handlers outside the routes, such as a refused protocol upgrade. */
export function answerFault(fault: Fault, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { internal } = fault.details;
  if (fault.status >= 500)
    request.log.error({ requestId: request.id, code: fault.code, internal, err: fault.cause }, fault.message);
  return sendFault(fault, request, reply);
}

/** Sends a fault and does not log it. */
export function sendFault(fault: Fault, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { issues, context, headers } = fault.details;
  if (headers !== undefined) void reply.headers({ ...headers });
  return reply
    .code(fault.status)
    .type('application/json')
    .send(
      JSON.stringify({
        code: fault.code,
        message: fault.message,
        requestId: request.id,
        ...(issues ? { issues } : {}),
        ...context,
      }),
    );
}

function asFault(error: FastifyError | Fault, request: FastifyRequest): Fault {
  if (error instanceof Fault) return error;
  if (error.validation !== undefined) return validationFault(error);
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Fault(
        'BODY_TOO_LARGE',
        `The body is too large. Send at most ${request.routeOptions.bodyLimit ?? 0} bytes.`,
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Fault(
        'UNSUPPORTED_MEDIA_TYPE',
        'The content type is not supported. Send JSON with `Content-Type: application/json`.',
      );
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new Fault('MALFORMED_JSON', 'The body is empty. Send JSON.');
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new Fault('MALFORMED_JSON', 'The body is not valid JSON. Correct it and send it again.');
    default:
  }
  if (error instanceof SyntaxError || error.name === 'SyntaxError')
    return new Fault('MALFORMED_JSON', 'The body is not valid JSON. Correct it and send it again.');
  if (typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500) {
    return new Fault('VALIDATION_FAILED', 'The request could not be read. Check its headers and body.', {
      internal: error.message,
    });
  }
  return new Fault('INTERNAL', 'The service failed on this request. Report the request id to the operator.', {
    cause: error,
  });
}

function validationFault(error: FastifyError): Fault {
  const issues = (error.validation ?? []).map((violation) =>
    describeViolation(violation, error.validationContext ?? 'body'),
  );
  return invalid(issues);
}

const bytesMax = 16_777_216;
const waitMsMax = 5_000;

/**
 * Reads the rest of a refused body: a client that still writes when its connection closes would not see the response. Resolves at the end,
 * at either bound, or if reading fails.
 */
export function drainBody(body: Readable): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const finish = (): void => {
      clearTimeout(timer);
      body.off('data', count).off('end', finish).off('close', finish).off('error', finish);
      resolve();
    };
    const count = (chunk: Uint8Array): void => {
      bytes += chunk.length;
      if (bytes > bytesMax) finish();
    };
    const timer = setTimeout(finish, waitMsMax);
    if (body.readableEnded || body.destroyed) return finish();
    body.on('data', count).on('end', finish).on('close', finish).on('error', finish);
    body.resume();
  });
}

/** Methods of a path, so that a wrong method is a 405 with Allow rather than a 404. Only used for requests that no route serves. */
export function createRouteTable() {
  const routes: { readonly method: string; readonly pattern: RegExp; readonly parameters: number }[] = [];
  return {
    add(method: string | readonly string[], pattern: string): void {
      const segments = pattern.split('/');
      const parameters = segments.filter((segment) => segment === '*' || segment.startsWith(':')).length;
      const source = segments.map(segmentSource).join('/');
      for (const name of typeof method === 'string' ? [method] : method)
        routes.push({ method: name, pattern: new RegExp(`^${source}/?$`), parameters });
    },
    /** Methods of the routes that match a path; empty if none does. */
    methodsOf(path: string): readonly string[] {
      const matching = routes.filter(({ pattern }) => pattern.test(path));
      // A fixed path takes precedence over one with parameters, as in the router.
      const fewest = Math.min(...matching.map(({ parameters }) => parameters));
      return [...new Set(matching.filter(({ parameters }) => parameters === fewest).map(({ method }) => method))];
    },
  };
}

function segmentSource(segment: string): string {
  if (segment === '*') return '.*';
  return segment.startsWith(':') ? '[^/]+' : segment.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

const code: ErrorCode = 'VALIDATION_FAILED';

interface Refusal {
  readonly status: 400 | 408 | 431;
  readonly message: string;
}

const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    message: 'The headers are larger than 16 KB. Send fewer or shorter ones.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time. Send it again.' },
};
const malformed: Refusal = {
  status: 400,
  message: 'The request is malformed HTTP. Remove line breaks and control characters from its headers.',
};

/**
 * Answers requests that the HTTP parser rejects, in the form of other errors, and closes the connection. One that was reset gets no
 * response.
 */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { status, message } = refusals[error.code ?? ''] ?? malformed;
  const requestId = randomUUID();
  const body = JSON.stringify({ code, message, requestId });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      'x-content-type-options: nosniff',
      'cache-control: no-store',
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
