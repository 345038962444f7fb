/**
 * Turns errors into the error body: { code, message, requestId, issues?, ...context }.
 * Known faults keep their code. Schema violations become VALIDATION_FAILED with JSON pointers. Anything else is
 * a bug: logged in full, answered as INTERNAL without details.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../errors.js';
import { invalid } from '../kernel/faults.js';
import { drainBody } from './drain-body.js';
import { describeViolation } from '../kernel/validation.js';

export interface ErrorAnswerDeps {
  readonly methodsOf: (path: string) => readonly string[];
  /** Path of the page that lists the operations. */
  readonly docsPath: string;
  /** Runs before a failed call is answered. If it throws, that fault is the answer. */
  readonly settle: (request: FastifyRequest) => Promise<void>;
}

export function registerErrorAnswers(app: FastifyInstance, { methodsOf, docsPath, settle }: ErrorAnswerDeps): void {
  /** The fault for a path or method that no route serves. */
  function unserved({ url, method }: FastifyRequest): Fault {
    const methods = methodsOf(url.split('?', 1)[0] ?? '/');
    return methods.length > 0 && !methods.includes(method)
      ? new Fault('METHOD_NOT_ALLOWED', `This address takes ${methods.join(', ')}.`, {
          headers: { allow: methods.join(', ') },
        })
      : new Fault('NOT_FOUND', `There is nothing at this address. The operations are listed at ${docsPath}.`);
  }
  // An unreadable body sent to an unknown path is a 404.
  app.setErrorHandler(async (error: FastifyError | Fault, request, reply) => {
    // Fastify closes the connection if it did not read the whole body.
    if (reply.getHeader('connection') === 'close' && !request.raw.complete) await drainBody(request.raw);
    const unsettled = await settle(request).then(
      () => null,
      (fault: Fault) => fault,
    );
    const fault = unsettled ?? error;
    return answerFault(request.is404 ? unserved(request) : asFault(fault, request), request, reply);
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
        `The body is larger than the ${request.routeOptions.bodyLimit ?? 0} bytes that this endpoint takes.`,
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Fault('UNSUPPORTED_MEDIA_TYPE', 'Send the body as JSON with "Content-Type: application/json".');
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new Fault('MALFORMED_JSON', 'The body is empty; send JSON.');
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new Fault('MALFORMED_JSON', 'The body is not valid JSON.');
    default:
  }
  if (error instanceof SyntaxError || error.name === 'SyntaxError')
    return new Fault('MALFORMED_JSON', 'The body is not valid JSON.');
  if (typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500) {
    return new Fault('VALIDATION_FAILED', 'The request could not be read.', { internal: error.message });
  }
  return new Fault('INTERNAL', 'The service failed on this request. Quote the request id to support.', {
    cause: error,
  });
}

function validationFault(error: FastifyError): Fault {
  const issues = (error.validation ?? []).map((violation) =>
    describeViolation(violation, error.validationContext ?? 'body'),
  );
  return invalid(issues);
}
