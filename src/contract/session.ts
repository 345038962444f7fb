/**
 * Verification sessions: how one is created, by a page or by a backend, and what its creator gets back.
 *
 * `metadata` is the caller’s own and is echoed with the result. Names that begin with `vh_` are the service’s: it writes them on
 * retries, and takes those of a caller out.
 */
import { Type, type Static } from 'typebox';
import { callerIdLengthMax, challengeCountMax, evidenceFramesMax, frameCountMax } from '../limits.js';
import { CallerId, Nullable, StringEnum, Timestamp } from './common.js';
import { SolvedProof } from './session-proof.js';
import { evidenceFramesModes } from './evidence-frames.js';
import { demandedAssurances, verificationModes, widgetModes } from './project.js';
import { IssuedChallenge } from './verdict.js';

/** Metadata as JSON: most bytes, and most levels of objects and lists. */
export const metadataBytesMax = 8_192;
export const metadataDepthMax = 5;

/** The names under which a retry’s metadata describes its chain. */
export const chainNames = { root: 'vh_original_session_id', count: 'vh_retry_count' } as const;

export const Metadata = Type.Record(Type.String(), Type.Unknown(), {
  description: `Your metadata, echoed with the result: at most ${metadataBytesMax} bytes of JSON and ${metadataDepthMax} levels. Names that begin with vh_ are reserved.`,
});
export type Metadata = Static<typeof Metadata>;

export const SessionId = Type.String({ minLength: 1, maxLength: 128, description: 'Id of the session.' });

const creation = Type.Partial(
  Type.Object({
    studyId: CallerId('Your id of the study; echoed with the result.'),
    respondentId: CallerId(
      `Your id of the respondent, preferably a salted hash, at most ${callerIdLengthMax} characters; echoed.`,
    ),
    metadata: Metadata,
    linkId: CallerId('Id of the hosted link that created the session.'),
    dataCollector: CallerId('Label of the collector, wave or field site.'),
    previousSessionId: Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'Failed session that this one retries, for the same respondent and study. It uses one retry of the project’s budget.',
    }),
    widgetMode: StringEnum(widgetModes, { description: 'Default: the project’s.' }),
    consent: Type.Object(
      { biometric: Type.Boolean(), at: Timestamp },
      {
        description:
          'Consent that the integrator obtained before the widget started, at most 10 years ago; recorded with the session.',
      },
    ),
  }),
).properties;

export const PublicSessionCreation = Type.Object({
  siteKey: Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'The project’s public key; with :test behind it, of test mode.',
  }),
  ...creation,
  previousClientSecret: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'clientSecret of the failed session. A retry needs it, or the deviceToken of that session.',
    }),
  ),
  deviceToken: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Random token kept in the browser’s storage.' }),
  ),
  proof: Type.Optional(SolvedProof),
});
export type PublicSessionCreation = Static<typeof PublicSessionCreation>;

/** By a backend: a project key says which project it is. */
export const SessionCreation = Type.Object({
  siteKey: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'The project; needed with an organization key, and otherwise the key’s own.',
    }),
  ),
  ...creation,
  stepUpFor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'Receipt of a score that recommended step_up. light: the session has widgetMode captcha. heavy: standard, and passes with a capture alone. The next score of the same session takes the outcome in.',
    }),
  ),
});
export type SessionCreation = Static<typeof SessionCreation>;

export const ChallengeConfig = Type.Object({
  nonce: Type.String({ description: 'Nonce to send with the envelope.' }),
  sequential: Type.Literal(true, { description: 'Whether challenges are requested one at a time.' }),
  count: Type.Integer({ minimum: 0, description: 'Number of challenges.' }),
  challenges: Type.Array(IssuedChallenge, {
    maxItems: 0,
    description: 'Empty, because each challenge is revealed on request.',
  }),
});
export type ChallengeConfig = Static<typeof ChallengeConfig>;

/** The call that asks for a challenge and fixes what was captured up to it. */
export const ChallengeRequest = Type.Object({
  index: Type.Integer({
    minimum: 0,
    maximum: challengeCountMax,
    description: 'Index from 0; challengeConfig.count after the last challenge.',
  }),
  commitment: Nullable(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{43}$',
      description: 'Base64url SHA-256 over the commitment before it and the frames since. null: no frame yet.',
    }),
  ),
  frameCount: Type.Integer({
    minimum: 0,
    maximum: frameCountMax,
    description: 'How many frames of the envelope are committed so far.',
  }),
  peakFrame: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 0,
        maximum: frameCountMax - 1,
        description:
          'Index of the frame with the peak of the previous challenge; null if no frame shows it. Required from index 1 if evidenceFrames is sampled.',
      }),
    ),
  ),
});
export type ChallengeRequest = Static<typeof ChallengeRequest>;

export const RevealedChallenge = Type.Object({
  ...IssuedChallenge.properties,
  index: Type.Integer({ minimum: 0 }),
  startAfterMs: Type.Integer({ minimum: 0, description: 'Show it this long after the answer came, not sooner.' }),
});
export type RevealedChallenge = Static<typeof RevealedChallenge>;

export const CaptureDone = Type.Object({
  done: Type.Literal(true),
  frameIndices: Type.Array(Type.Integer({ minimum: 0, maximum: frameCountMax - 1 }), {
    maxItems: evidenceFramesMax,
    description: 'Frames whose pictures the envelope has to bring; empty unless the project asks for some.',
  }),
});

export const ChallengeReply = Type.Union([RevealedChallenge, CaptureDone]);
export type ChallengeReply = Static<typeof ChallengeReply>;

/** One such call, as the service keeps it. */
export interface ChallengeCall extends ChallengeRequest {
  /** The service's clock. */
  readonly atMs: number;
  readonly reply: ChallengeReply;
}

export const SessionReply = Type.Object({
  sessionId: Type.String(),
  clientSecret: Type.String({ description: 'Secret for X-Client-Secret, valid for this session only.' }),
  expiresAt: Type.Integer({ description: 'Unix seconds.' }),
  challengeConfig: ChallengeConfig,
  studyConfig: Type.Object({
    studyId: Nullable(Type.String()),
    widgetMode: StringEnum(widgetModes),
    verificationMode: StringEnum(verificationModes),
    maxRetries: Type.Integer(),
    minimumAssurance: StringEnum(demandedAssurances, {
      description: 'biometric: without the camera it fails. The project’s, and biometric for a heavy step-up.',
    }),
    evidenceFrames: StringEnum(evidenceFramesModes, { description: 'sampled: pictures are asked for.' }),
    livenessModels: Type.Array(Type.String(), {
      description: 'Kinds of models that the widget needs; empty without a camera.',
    }),
  }),
  metadata: Metadata,
});
export type SessionReply = Static<typeof SessionReply>;
