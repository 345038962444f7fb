/**
 * What happened to a session, as one part of the service reports it to the others: webhooks deliver it, analytics counts it. An event is
 * written in the transaction of its change (src/stores/outbox/outbox.ts) and arrives at least once; readers detect repetitions by `eventId`.
 *
 * The data of an event holds every fact that any payload shows, under the names of the payload. Which payload shows which of them, and when,
 * is decided in src/webhooks/payload.ts; `session_id`, `project_id` and `timestamp` follow from the envelope and stand there only.
 */
import { Type, type Static } from 'typebox';
import { Nullable, StringEnum, Timestamp } from './common.js';

export const verificationEventTypes = [
  'verification.completed',
  'verification.passed',
  'verification.failed',
  'verification.scored',
] as const;
export const eventTypes = [...verificationEventTypes, 'monitoring.flagged', 'question.flagged'] as const;
export type EventType = (typeof eventTypes)[number];

const unit = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

export const EventScores = Type.Object({
  liveness: Nullable(unit('Null where no camera produced a verdict.')),
  uniqueness: Nullable(unit('Null where no biometric comparison ran.')),
  authenticity: unit('Confidence that the capture came from a real camera.'),
  overall: unit('Weighted aggregate of the others.'),
});

export const EventFraudSignal = Type.Object({
  type: Type.String(),
  severity: StringEnum(['low', 'medium', 'high'] as const),
  category: StringEnum(['obvious', 'sophisticated'] as const),
  description: Type.String(),
  confidence: unit('How sure the detector is.'),
});

/** An earlier participation of the same person. The session and respondent of an old fingerprint may be unknown. */
const matchFields = {
  fingerprintId: Type.String(),
  similarity: unit('1 is identical.'),
  sessionId: Type.Optional(Type.String()),
  respondentId: Type.Optional(Type.String()),
};
export const EventDuplicateMatch = Type.Object(matchFields);
export const EventPriorParticipation = Type.Object({
  ...matchFields,
  lastSeenAt: Type.Integer({ minimum: 0, description: 'Unix seconds.' }),
});

export const EventDemographics = Type.Object({
  ageEstimate: Type.Number({ minimum: 0 }),
  ageRange: Type.Object({ min: Type.Number({ minimum: 0 }), max: Type.Number({ minimum: 0 }) }),
  gender: StringEnum(['male', 'female', 'unknown'] as const),
  genderConfidence: unit('Confidence in `gender`.'),
  fitzpatrickType: Type.Optional(Type.Integer({ minimum: 1, maximum: 6 })),
  skinLuminance: Type.Optional(unit('0 is darkest.')),
});

export const EventRisk = Type.Object({
  overall: unit('Higher is riskier.'),
  device: Nullable(unit('Null where it was not measured.')),
  biometric: Nullable(unit('Null where it was not measured.')),
  contributions: Type.Record(Type.String(), Type.Number(), { description: 'Share of each signal in `overall`.' }),
  droppedSignals: Type.Array(Type.String()),
  degradedSignals: Type.Array(Type.String()),
});

export const EventDuplication = Type.Object({
  overall: unit('1 is certainly a duplicate.'),
  deviceMatch: Nullable(unit('Null where it was not measured.')),
  biometricMatch: Nullable(unit('Null where it was not measured.')),
  matchedDeviceId: Type.Optional(Type.String()),
  matchedSessionId: Type.Optional(Type.String()),
  matchMethod: StringEnum(['exact', 'fuzzy', 'biometric', 'none'] as const),
});

export const failureCategories = ['duplicate', 'liveness', 'authenticity', 'fraud_signal', 'fingerprint'] as const;

/** Everything that is known of a completed session. */
export const VerificationFacts = Type.Object({
  status: StringEnum(['pass', 'fail', 'scored', 'score_blocked'] as const, {
    description: 'pass or fail; of verification.scored, scored or score_blocked.',
  }),
  scores: EventScores,
  respondent_id: Nullable(Type.String()),
  metadata: Type.Record(Type.String(), Type.Unknown(), {
    description: 'As the session was created with; empty if none.',
  }),
  fraud_signals: Type.Array(EventFraudSignal),
  failure_reasons: Type.Array(Type.String(), { description: 'Most important first; empty on a pass.' }),
  summary: Type.String(),
  failure_category: Nullable(
    StringEnum(failureCategories, { description: 'Null on a pass, and on a fail that belongs to none of them.' }),
  ),
  duplicate_match: Nullable(EventDuplicateMatch),
  demographics: Nullable(EventDemographics),
  is_duplicate: Type.Boolean({ description: 'True also of a returning participant who was let pass.' }),
  low_quality: Type.Boolean(),
  high_fraud_risk: Type.Boolean({ description: 'A fraud signal of high severity.' }),
  assuranceLevel: StringEnum(['biometric', 'device_only', 'none'] as const),
  verificationOutcome: StringEnum(['completed', 'unverified_technical', 'declined_by_user'] as const),
  risk: Nullable(EventRisk),
  duplication: Nullable(EventDuplication),
  data_collector: Nullable(Type.String()),
  prior_participation: Nullable(EventPriorParticipation),
  risk_score: Nullable(unit('Of verification.scored; null on other events.')),
  recommended_decision: Nullable(StringEnum(['allow', 'review', 'block'] as const)),
  durationMs: Nullable(
    Type.Number({ minimum: 0, description: 'From the session’s creation to its verdict; null if unknown.' }),
  ),
  device: Nullable(Type.String({ description: 'Class of the device, for analytics.' })),
  browser: Nullable(Type.String({ description: 'Family of the browser, for analytics.' })),
});
export type VerificationFacts = Static<typeof VerificationFacts>;

export const MonitoringFlag = Type.Object({
  respondent_id: Nullable(Type.String()),
  anomaly: Type.Object({
    type: Type.String(),
    score: Type.Number(),
    threshold: Type.Number({ description: 'The project’s, which the score is above.' }),
    detail: Type.String(),
  }),
});
export type MonitoringFlag = Static<typeof MonitoringFlag>;

export const QuestionFlag = Type.Object({
  respondent_id: Nullable(Type.String()),
  question: Type.Object({
    question_id: Type.String(),
    metric: Type.String({ description: 'Name of the limit in config.monitoring.question.' }),
    value: Type.Number(),
    threshold: Type.Number(),
  }),
});
export type QuestionFlag = Static<typeof QuestionFlag>;

const envelopeFields = {
  eventId: Type.String({ pattern: '^evt_[0-9a-f]{32}$', description: 'Unique; a repetition has the same.' }),
  organizationId: Type.String(),
  projectId: Type.String(),
  sessionId: Type.String(),
  isDemo: Type.Boolean({ description: 'Of test or demo mode.' }),
  occurredAt: Timestamp,
};

const VerificationEvent = Type.Object({
  ...envelopeFields,
  type: StringEnum(verificationEventTypes),
  data: VerificationFacts,
});
export type VerificationEvent = Static<typeof VerificationEvent>;

export const SessionEvent = Type.Union([
  VerificationEvent,
  Type.Object({ ...envelopeFields, type: StringEnum(['monitoring.flagged'] as const), data: MonitoringFlag }),
  Type.Object({ ...envelopeFields, type: StringEnum(['question.flagged'] as const), data: QuestionFlag }),
]);
export type SessionEvent = Static<typeof SessionEvent>;
