/** The page’s part of a finished verification, and the signed envelope of score mode. Absent: not shown or not measured. */
import { Type, type Static } from 'typebox';
import { Nullable, StringEnum } from './common.js';
import { unit } from './project-parts.js';
import { ChallengeConfig, Metadata, SessionReply } from './session.js';
import {
  dispatchStatuses,
  Duplication,
  RiskContribution,
  ShownScores,
  Verdict,
  VerdictRisk,
  VerdictScores,
  verdictStatuses,
} from './verdict.js';

const { modelVersion: _modelVersion, risk: _risk, duplication: _duplication, ...shown } = Verdict.properties;

export const VerifyReply = Type.Object({
  verificationToken: Type.String({ description: 'For your backend, which validates it with POST /token/verify.' }),
  sessionId: Type.String(),
  ...shown,
  scores: ShownScores,
  risk: Type.Optional(Nullable(VerdictRisk)),
  duplication: Type.Optional(Nullable(Duplication)),
});
export type VerifyReply = Static<typeof VerifyReply>;

export const CameraCheckReply = Type.Object(
  {
    sessionId: Type.String(),
    cameraCheck: Type.Object({
      challengeConfig: ChallengeConfig,
      livenessModels: SessionReply.properties.studyConfig.properties.livenessModels,
    }),
  },
  { description: 'No verdict: the session stays open for an envelope with the camera’s part.' },
);
export type CameraCheckReply = Static<typeof CameraCheckReply>;
export type VerifyAnswer = VerifyReply | CameraCheckReply;

export const Dispatch = Type.Object({
  status: StringEnum(dispatchStatuses),
  redirectUrl: Nullable(
    Type.String({ description: 'URL that the page opens next, valid once and for five minutes. null for a backend.' }),
  ),
  reason: Nullable(
    Type.String({
      description:
        'Fence that blocked or reason for a failure. not_live: a test or demo session does not redirect. null if there is none.',
    }),
  ),
});
export type Dispatch = Static<typeof Dispatch>;

const { status: _status, scores: _scores, failureReasons: _failureReasons, ...unnamed } = shown;
const { failureCodes: _failureCodes, biometricEvidence, ...more } = unnamed;

export const ScoreEnvelope = Type.Object({
  sessionId: Type.String(),
  status: StringEnum(verdictStatuses),
  scores: Type.Object({
    ...VerdictScores.properties,
    risk_overall: Type.Optional(Nullable(unit('Risk, if the project shows it.'))),
  }),
  studyId: Nullable(Type.String()),
  respondentId: Nullable(Type.String()),
  stepUpFor: Type.Optional(Type.String({ description: 'Receipt of the score that the session steps up.' })),
  metadata: Metadata,
  failureReasons: Type.Array(Type.String()),
  failureCodes: Type.Array(Type.String()),
  biometricEvidence,
  token: Type.String({ description: 'The verificationToken.' }),
  contributions: Type.Optional(
    Type.Array(RiskContribution, { description: 'Contributions, if scoreModeConfig.exposeBreakdown is on.' }),
  ),
  dispatch: Dispatch,
});
export type ScoreEnvelope = Static<typeof ScoreEnvelope>;

/** The envelope, and for a key everything that the verdict holds. */
export const SessionResult = Type.Object({
  ...ScoreEnvelope.properties,
  ...Type.Partial(Type.Object({ ...more, risk: Nullable(VerdictRisk), duplication: Nullable(Duplication) })).properties,
});
export type SessionResult = Static<typeof SessionResult>;
