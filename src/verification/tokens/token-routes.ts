/**
 * Routes of tokens: validating one, validating many, and the public keys of vh_token.
 */
import type { FastifyInstance } from 'fastify';
import type { Access } from '../../http/access-declaration.js';
import { sessionModes } from '../../contract/common.js';
import { JsonWebKeySet, TokenBatch, TokenBatchReply, TokenReply, TokenVerification } from '../../contract/token.js';
import { modeOf, type KeyCaller } from '../../kernel/caller.js';
import { keyCaller } from '../../http/access.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { TokenKeys } from './token-keys.js';
import type { CheckToken } from './token-expectations.js';

export interface TokenRouteDeps {
  readonly checkToken: CheckToken;
  readonly tokenKeys: TokenKeys;
  readonly metrics: Pick<Metrics, 'tokenVerifications'>;
}

const route = routesOf('Tokens');
const cacheSeconds = 3_600;
const expected = { studyId: 'study-7', respondentId: 'a3f1c0de', minimumAssurance: 'device_only' } as const;
/** Example token; always INVALID, because an example has no session. */
const tokenExample = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IjEifQ.eyJhdWQiOiJvcmdfMCJ9.AAAA';

const access: Access = {
  ...{ credential: 'api-key', scope: 'verifications:read', oauth: ['verifications:read'] },
  modes: sessionModes,
};

export function registerTokenRoutes(app: FastifyInstance, { checkToken, tokenKeys, metrics }: TokenRouteDeps): void {
  const counted = async (caller: KeyCaller, asked: TokenVerification | string | null): Promise<TokenReply> => {
    const verification = typeof asked === 'string' || asked === null ? { token: asked } : asked;
    const reply = await checkToken({ ...caller, mode: modeOf(caller) }, verification);
    metrics.tokenVerifications.inc({ result: reply.error ?? 'ok' });
    return reply;
  };

  app.post(
    '/token/verify',
    route(access, {
      operationId: 'verifyToken',
      summary: 'Validate a token of a session, and what you expect of it',
      description:
        'Takes a verificationToken or a vh_token. One that does not validate is an answer, not an error: 200 with success false, and null is MALFORMED. So is one that does not meet an expectation: EXPECTATION_FAILED with the field. An organization key validates tokens of all its projects.',
      body: { ...TokenVerification, examples: [{ token: tokenExample, ...expected }] },
      response: { 200: TokenReply, ...errorReplies([400, 401, 402, 403, 413, 415, 429]) },
    }),
    async (request) => counted(keyCaller(request), request.body),
  );

  app.post(
    '/token/verify-batch',
    route(access, {
      operationId: 'verifyTokens',
      summary: 'Validate up to 100 tokens',
      description:
        'Each by itself and in order: one that does not validate fails alone, null among them. An item may be an object with expectations.',
      body: {
        ...TokenBatch,
        examples: [{ tokens: [tokenExample, { token: tokenExample, respondentId: 'a3f1c0de' }] }],
      },
      response: { 200: TokenBatchReply, ...errorReplies([400, 401, 402, 403, 413, 415, 429]) },
    }),
    async (request) => {
      const caller = keyCaller(request);
      return { results: await Promise.all(request.body.tokens.map((token) => counted(caller, token))) };
    },
  );

  app.get(
    '/.well-known/jwks.json',
    route(
      { credential: 'none' },
      {
        operationId: 'getKeySet',
        summary: 'Public keys of vh_token',
        description: 'Cache for an hour, and read again when a signature names a key that you do not know.',
        response: { 200: JsonWebKeySet, ...errorReplies([400]) },
      },
    ),
    async (_request, reply) => {
      void reply.headers({
        'cache-control': `public, max-age=${cacheSeconds}`,
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
      });
      return tokenKeys.keySet();
    },
  );
}
