/** Tokens of a verification: what they claim, and what validating one answers. */
import { Type, type Static } from 'typebox';
import { Nullable, StringEnum } from './common.js';
import { unit } from './project-parts.js';
import { ShownScores, VerdictScores, verdictStatuses } from './verdict.js';

/** Longest token that is looked at, in characters; ours are about 900. */
export const tokenLengthMax = 8_192;
export const batchTokensMax = 100;

export const tokenErrors = ['EXPIRED', 'INVALID', 'WRONG_AUDIENCE', 'WRONG_PROJECT', 'MALFORMED'] as const;
export type TokenError = (typeof tokenErrors)[number];

/** Claims that both tokens share; times are Unix seconds. */
export const TokenClaims = Type.Object({
  iss: Type.String({ description: 'The API root.' }),
  aud: Type.String({ description: 'verificationToken: the organization. vh_token: the project.' }),
  sub: Type.String({ description: 'The session.' }),
  jti: Type.String(),
  iat: Type.Integer(),
  exp: Type.Integer(),
  project_id: Type.String(),
  status: StringEnum(verdictStatuses),
  scores: VerdictScores,
  study_id: Type.Optional(Type.String()),
  respondent_id: Type.Optional(Type.String()),
  risk_overall: Type.Optional(unit('Where the project shows risk.')),
  /** Of a session of test mode: no live key verifies it. */
  is_demo: Type.Optional(Type.Literal(true)),
});
export type TokenClaims = Static<typeof TokenClaims>;

const Token = Type.String({ description: 'verificationToken of a session.' });

/** A page that could not reach the service has null for a token, which is MALFORMED. */
export const TokenVerification = Type.Object({ token: Nullable(Token) });
export const TokenBatch = Type.Object({
  tokens: Type.Array(Nullable(Token), { minItems: 1, maxItems: batchTokensMax }),
});

export const TokenReply = Type.Object({
  success: Type.Boolean(),
  sessionId: Type.Optional(Type.String()),
  status: Type.Optional(StringEnum(verdictStatuses)),
  scores: Type.Optional(ShownScores),
  studyId: Type.Optional(Type.String()),
  respondentId: Type.Optional(Type.String()),
  issuedAt: Type.Optional(Type.Integer({ description: 'Unix seconds.' })),
  expiresAt: Type.Optional(Type.Integer({ description: 'Unix seconds.' })),
  isDemo: Type.Optional(Type.Literal(true, { description: 'Of a session of test mode.' })),
  error: Type.Optional(StringEnum(tokenErrors, { description: 'Where success is false, and then alone.' })),
});
export type TokenReply = Static<typeof TokenReply>;

export const TokenBatchReply = Type.Object({
  results: Type.Array(TokenReply, { description: 'In the order of the tokens.' }),
});

export const JsonWebKeySet = Type.Object({
  keys: Type.Array(
    Type.Object({
      kty: Type.Literal('OKP'),
      crv: Type.Literal('Ed25519'),
      x: Type.String(),
      kid: Type.String(),
      use: Type.Literal('sig'),
      alg: Type.Literal('EdDSA'),
    }),
  ),
});
export type JsonWebKeySet = Static<typeof JsonWebKeySet>;
