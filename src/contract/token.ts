/** Tokens of a verification: what they claim, and what validating one answers. */
import { Type, type Static } from 'typebox';
import { CallerId, Nullable, sessionModes, StringEnum, strict } from './common.js';
import { unit } from './project-parts.js';
import { demandedAssurances, widgetModes } from './project.js';
import {
  assuranceLevels,
  biometricEvidences,
  dispatchStatuses,
  ShownScores,
  Verdict,
  VerdictScores,
  verdictStatuses,
  verificationOutcomes,
} from './verdict.js';

/** Longest token that is looked at, in characters; ours are about 900. */
export const tokenLengthMax = 8_192;
export const batchTokensMax = 100;

export const tokenErrors = [
  'EXPIRED',
  'INVALID',
  'WRONG_AUDIENCE',
  'WRONG_PROJECT',
  'MALFORMED',
  'EXPECTATION_FAILED',
  'ALREADY_USED',
  'SESSION_ERASED',
] as const;
export const expectations = [
  'studyId',
  'respondentId',
  'dataCollector',
  'minimumAssurance',
  'stepUpFor',
  'use',
] as const;
export type TokenError = (typeof tokenErrors)[number];

const mode = StringEnum(sessionModes, { description: 'Mode of the session. Act only on live.' });
const dispatch = StringEnum(dispatchStatuses, {
  description: 'Score-mode dispatch. score_blocked is a refusal, independent of status; otherwise as in the result.',
});
const evidence = {
  assurance: StringEnum(assuranceLevels, { description: 'biometric: a camera capture was judged.' }),
  outcome: StringEnum(verificationOutcomes),
  biometric: Nullable(StringEnum(biometricEvidences)),
  widgetMode: StringEnum(widgetModes),
};

/** Claims that both tokens share; times are Unix seconds. */
export const TokenClaims = Type.Object({
  iss: Type.String({ description: 'The API root.' }),
  aud: Type.String({
    description:
      'verificationToken: the organization. vh_token: the project, with :test or :demo behind it for those modes.',
  }),
  sub: Type.String({ description: 'The session.' }),
  jti: Type.String(),
  iat: Type.Integer(),
  exp: Type.Integer(),
  purpose: Type.Literal('verification'),
  mode,
  project_id: Type.String(),
  status: StringEnum(verdictStatuses),
  dispatch,
  assurance_level: evidence.assurance,
  verification_outcome: evidence.outcome,
  biometric_evidence: evidence.biometric,
  widget_mode: evidence.widgetMode,
  scores: Type.Object(VerdictScores.properties, {
    description: 'Scores in steps of 0.1, because the page can read its token. POST /token/verify returns exact ones.',
  }),
  study_id: Type.Optional(Type.String()),
  respondent_id: Type.Optional(Type.String()),
  data_collector: Type.Optional(Type.String()),
  step_up_for: Type.Optional(
    Type.String({
      description: 'Receipt of the score that the session steps up. Such a token is no pass of a respondent.',
    }),
  ),
  risk_overall: Type.Optional(unit('Risk, if the project shows it.')),
});
export type TokenClaims = Static<typeof TokenClaims>;

const Token = Type.String({ description: 'verificationToken or vh_token of a session.' });

/** A page that could not reach the service has null for a token, which is MALFORMED. */
export const TokenVerification = Type.Object(
  {
    token: Nullable(Token),
    studyId: Type.Optional(CallerId('Expected study.')),
    respondentId: Type.Optional(CallerId('Expected respondent.')),
    dataCollector: Type.Optional(CallerId('Expected data collector. A page can name any.')),
    minimumAssurance: Type.Optional(
      StringEnum(demandedAssurances, {
        description: 'Required minimum assurance. biometric: a checked camera capture.',
      }),
    ),
    stepUpFor: Type.Optional(
      CallerId(
        'Receipt of the step-up that is expected. Without it, the token of a step-up meets no other expectation: EXPECTATION_FAILED.',
      ),
    ),
    use: Type.Optional(
      CallerId(
        'Your id of the use of this pass. The first one is kept; the same one succeeds again, another is ALREADY_USED. It needs no further scope.',
      ),
    ),
  },
  strict,
);
export type TokenVerification = Static<typeof TokenVerification>;
export type Expectations = Omit<TokenVerification, 'token' | 'use'>;

export const TokenBatch = Type.Object(
  {
    tokens: Type.Array(Type.Union([Token, TokenVerification, Type.Null()]), {
      description: 'Tokens, or objects of a token with expectations.',
      minItems: 1,
      maxItems: batchTokensMax,
    }),
  },
  strict,
);

export const TokenReply = Type.Object({
  success: Type.Boolean(),
  sessionId: Type.Optional(Type.String()),
  status: Type.Optional(StringEnum(verdictStatuses)),
  dispatch: Type.Optional(dispatch),
  mode: Type.Optional(mode),
  assuranceLevel: Type.Optional(evidence.assurance),
  verificationOutcome: Type.Optional(evidence.outcome),
  biometricEvidence: Type.Optional(evidence.biometric),
  widgetMode: Type.Optional(evidence.widgetMode),
  scores: Type.Optional(ShownScores),
  failureReasons: Type.Optional(Verdict.properties.failureReasons),
  failureCategory: Type.Optional(Verdict.properties.failureCategory),
  fraudSignals: Type.Optional(Verdict.properties.fraudSignals),
  isDuplicate: Type.Optional(Verdict.properties.isDuplicate),
  duplicateMatch: Type.Optional(Verdict.properties.duplicateMatch),
  priorParticipation: Type.Optional(Verdict.properties.priorParticipation),
  studyId: Type.Optional(Type.String()),
  respondentId: Type.Optional(Type.String()),
  dataCollector: Type.Optional(Type.String()),
  stepUpFor: Type.Optional(Type.String({ description: 'Receipt that the session stepped up.' })),
  issuedAt: Type.Optional(Type.Integer({ description: 'Unix seconds.' })),
  expiresAt: Type.Optional(Type.Integer({ description: 'Unix seconds.' })),
  error: Type.Optional(
    StringEnum(tokenErrors, { description: 'Error code if success is false, alone or with field or hint.' }),
  ),
  hint: Type.Optional(
    Type.Literal('mode', {
      description: 'With INVALID: the token is right, but of another mode than the key. Use a key of its mode.',
    }),
  ),
  field: Type.Optional(StringEnum(expectations, { description: 'The first expectation that does not hold.' })),
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
