/** Errors of the token endpoint (RFC 6749, 5.2), of limits and stores too: `{ error, error_description }`, never cached. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../errors.js';

const statuses = {
  invalid_request: 400,
  invalid_client: 401,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
  slow_down: 429,
  temporarily_unavailable: 503,
  server_error: 500,
} as const;
type OAuthErrorCode = keyof typeof statuses;

export class OAuthError extends Error {
  readonly error: OAuthErrorCode;

  constructor(error: OAuthErrorCode, description: string) {
    super(description);
    this.name = 'OAuthError';
    this.error = error;
  }
}

/** Refusals for the form of a request, before any client is known. */
const malformed: readonly OAuthErrorCode[] = ['invalid_request', 'unsupported_grant_type', 'unsupported_response_type'];

/** For the routes of this scope. Those that are refused for their form count against their address. */
export function registerOAuthErrors(
  scope: FastifyInstance,
  takeRefused: (request: FastifyRequest) => Promise<void>,
): void {
  scope.setErrorHandler(async (cause: Error & { statusCode?: number }, request, reply) => {
    const error = asOAuthError(cause, request);
    if (malformed.includes(error.error)) {
      const limit = await takeRefused(request).catch((refusal: Error) => refusal);
      if (limit instanceof Error) return answer(asOAuthError(limit, request), limit, reply);
    }
    return answer(error, cause, reply);
  });
}

function asOAuthError(error: Error & { statusCode?: number }, request: FastifyRequest): OAuthError {
  if (error instanceof OAuthError) return error;
  if (error instanceof Fault && error.code === 'RATE_LIMIT_EXCEEDED') return new OAuthError('slow_down', error.message);
  if (error instanceof Fault && error.status === 503) return new OAuthError('temporarily_unavailable', error.message);
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return new OAuthError(
      'invalid_request',
      'The request is malformed. Send at most 16 KiB as `application/x-www-form-urlencoded`.',
    );
  request.log.error({ requestId: request.id, err: error }, 'the token endpoint failed');
  return new OAuthError(
    'server_error',
    `The service failed on this request. Report request id ${request.id} to the operator.`,
  );
}

function answer({ error, message }: OAuthError, cause: Error, reply: FastifyReply): FastifyReply {
  if (error === 'invalid_client') void reply.header('www-authenticate', 'Basic realm="verifyhuman", charset="UTF-8"');
  if (cause instanceof Fault && cause.details.headers !== undefined) void reply.headers({ ...cause.details.headers });
  return reply
    .code(statuses[error])
    .headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
    .type('application/json')
    .send(JSON.stringify({ error, error_description: message }));
}
