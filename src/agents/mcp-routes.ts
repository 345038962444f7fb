/**
 * `POST /mcp`: one message of the Model Context Protocol in, its answer as JSON out, without a session. Takes access tokens only, and
 * refuses pages of other origins (DNS rebinding). Errors are JSON-RPC’s.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../http/access-declaration.js';
import type { AccessDeps } from '../kernel/caller.js';
import { Fault } from '../errors.js';
import { keyCaller, takeOutstandingRate } from '../http/access.js';
import type { McpDeps } from './mcp-server.js';

export interface McpRouteDeps extends McpDeps {
  readonly siteUrl: () => string;
  readonly takeKeyRate: AccessDeps['takeKeyRate'];
}

const bodyBytesMax = 65_536;
/** Any scope lets in: each tool asks for its own. An operation takes its calls off the limits; other messages are taken off here. */
const access: Access = { credential: 'access-token', modes: ['live'], oauth: [], relays: true, afterTrial: true };

/** In a scope of its own: its errors have another form. */
export function registerMcp(scope: FastifyInstance, deps: McpRouteDeps): void {
  scope.setErrorHandler(async (error: Error, request, reply) => {
    try {
      await takeOutstandingRate(request, deps);
    } catch (limit) {
      return answerError(deps, limit as Error, request, reply);
    }
    return answerError(deps, error, request, reply);
  });
  scope.addHook('onRequest', async ({ headers: { origin } }) => {
    if (origin !== undefined && origin !== new URL(deps.siteUrl()).origin)
      throw new Fault('ORIGIN_NOT_ALLOWED', 'Pages of other origins cannot call this endpoint. Call it from a server.');
  });
  scope.post('/mcp', { config: { access }, bodyLimit: bodyBytesMax }, async (request, reply) => {
    const { body } = request;
    // Batches would let one call be many; the protocol has given them up.
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new Fault('VALIDATION_FAILED', 'The body is not a single JSON-RPC message. Send one message per call.');
    // A tool's call may be refused before its operation, which would count it, is called.
    if ((body as { readonly method?: unknown }).method !== 'tools/call') await takeOutstandingRate(request, deps);
    // The protocol’s library is loaded with the first message: it is a tenth of a start.
    const { answerMessage, findWrongParameter } = await import('./mcp-server.js');
    const wrong = findWrongParameter(body);
    if (wrong !== null) {
      await takeOutstandingRate(request, deps);
      const { id = null } = body as { readonly id?: unknown };
      return reply.send({ jsonrpc: '2.0', id, error: { code: wrongParameters, message: wrong } });
    }
    const response = await answerMessage(deps, keyCaller(request), {
      request: asWebRequest(request, deps.siteUrl()),
      body,
      authorization: request.headers.authorization ?? '',
      requestId: request.id,
      onCall: () => {
        request.rateTaken = true;
      },
      onFailure: (error) => request.log.error({ requestId: request.id, err: error }, 'a tool failed'),
    });
    await takeOutstandingRate(request, deps);
    return send(reply, response);
  });
  scope.route({
    method: ['GET', 'DELETE', 'PUT', 'PATCH'],
    url: '/mcp',
    config: { access: { credential: 'none' } },
    handler: async (_request, reply) => {
      void reply.header('allow', 'POST');
      throw new Fault('METHOD_NOT_ALLOWED', 'This endpoint has no sessions or streams. Send each message with POST.');
    },
  });
}

function asWebRequest({ headers }: FastifyRequest, siteUrl: string): Request {
  const kept = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-session-id'].flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as [string, string]] : [];
  });
  return new Request(`${siteUrl}/mcp`, { method: 'POST', headers: kept });
}

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const text = await response.text();
  const type = response.headers.get('content-type');
  if (type !== null) void reply.type(type);
  return reply.code(response.status).send(text);
}

/** Codes of JSON-RPC 2.0, section 5.1. */
const rpcCodes: Readonly<Record<string, number>> = {
  MALFORMED_JSON: -32_700,
  VALIDATION_FAILED: -32_600,
  INTERNAL: -32_603,
};
const wrongParameters = -32_602;
/** JSON-RPC leaves the range of this code to servers. */
const refusedCode = -32_001;

function answerError(
  { siteUrl }: McpRouteDeps,
  error: Error & { statusCode?: number; code?: string },
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const fault = asFault(error);
  if (fault.status >= 500) request.log.error({ requestId: request.id, err: error }, 'an MCP message failed');
  if (fault.details.headers !== undefined) void reply.headers({ ...fault.details.headers });
  if (fault.status === 401) {
    const metadata = `resource_metadata="${siteUrl()}/.well-known/oauth-protected-resource/mcp"`;
    const isWrong = request.headers.authorization !== undefined;
    void reply.header('www-authenticate', `Bearer ${isWrong ? 'error="invalid_token", ' : ''}${metadata}`);
  }
  return reply
    .code(fault.status)
    .type('application/json')
    .send(
      JSON.stringify({
        jsonrpc: '2.0',
        error: {
          code: rpcCodes[fault.code] ?? refusedCode,
          message: fault.message,
          data: { code: fault.code, requestId: request.id },
        },
        id: null,
      }),
    );
}

function asFault(error: Error & { statusCode?: number; code?: string }): Fault {
  if (error instanceof Fault) return error;
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Fault('BODY_TOO_LARGE', `The message is too large. Send at most ${bodyBytesMax} bytes.`);
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new Fault(
      'UNSUPPORTED_MEDIA_TYPE',
      'The content type is not supported. Send the message as `application/json`.',
    );
  if (error instanceof SyntaxError || error.statusCode === 400)
    return new Fault('MALFORMED_JSON', 'The message is not valid JSON. Correct it and send it again.');
  return new Fault('INTERNAL', 'The service failed on this message. Report the request id to the operator.', {
    cause: error,
  });
}
