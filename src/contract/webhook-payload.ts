/** Bodies of webhook deliveries with payloadVersion v2. src/webhooks/payload.ts fills them; a test holds both together. */
import { Type, type TSchema } from 'typebox';
import { Nullable, sessionModes, StringEnum, Timestamp } from './common.js';
import { recommendations } from './score.js';
import { Metadata } from './session.js';
import { dispatchStatuses, Duplication, Verdict, VerdictDispatch, VerdictRisk, VerdictScores } from './verdict.js';

const ids = { session_id: Type.String(), project_id: Type.String() };
const respondentId = Nullable(Type.String({ description: 'The respondentId that the session was created with.' }));
const occurrence = {
  timestamp: { ...Timestamp, description: 'Time of the event. Order events by it.' },
  is_demo: Type.Optional(Type.Literal(true, { description: 'Present on events of test and demo sessions.' })),
};
const { liveness, uniqueness, authenticity, overall } = VerdictScores.properties;
const verdict = Verdict.properties;

export const VerificationPayload = Type.Object({
  ...ids,
  status: StringEnum(dispatchStatuses, {
    description: 'pass or fail; on verification.scored, scored or score_blocked.',
  }),
  scores: Type.Object({ liveness, uniqueness, authenticity, overall }),
  respondent_id: respondentId,
  study_id: Nullable(Type.String()),
  link_id: Nullable(Type.String({ description: 'Hosted link of the session.' })),
  mode: StringEnum(sessionModes, { description: 'Act only on live.' }),
  metadata: Metadata,
  ...occurrence,
  fraud_signals: verdict.fraudSignals,
  failure_reasons: verdict.failureReasons,
  summary: verdict.summary,
  failure_category: Type.Optional(verdict.failureCategory),
  duplicate_match: Type.Optional(verdict.duplicateMatch),
  demographics: verdict.demographics,
  is_duplicate: verdict.isDuplicate,
  low_quality: verdict.lowQuality,
  high_fraud_risk: verdict.highFraudRisk,
  assuranceLevel: verdict.assuranceLevel,
  verificationOutcome: verdict.verificationOutcome,
  biometricEvidence: verdict.biometricEvidence,
  risk: Type.Optional(VerdictRisk),
  duplication: Type.Optional(Duplication),
  data_collector: Type.Optional(Type.String()),
  step_up_for: Type.Optional(
    Type.String({ description: 'Receipt of the score that the session steps up. It is no participation.' }),
  ),
  prior_participation: Type.Optional(verdict.priorParticipation),
  risk_score: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'On verification.scored only.' })),
  recommended_decision: Type.Optional(VerdictDispatch.properties.decision),
});

export const MonitoringPayload = Type.Object({
  ...ids,
  respondent_id: respondentId,
  anomaly: Type.Object({
    type: Type.String(),
    score: Type.Number(),
    threshold: Type.Number({ description: 'Threshold of the project, which the score exceeds.' }),
    detail: Type.String(),
  }),
  ...occurrence,
});

export const QuestionPayload = Type.Object({
  ...ids,
  respondent_id: respondentId,
  question: Type.Object({
    question_id: Type.String(),
    metric: Type.String({ description: 'Name of the limit in config.monitoring.question.' }),
    value: Type.Number(),
    threshold: Type.Number(),
  }),
  ...occurrence,
});

const KnownVerdict = Type.Object({
  score: Type.Integer({ minimum: 0, maximum: 100 }),
  recommendation: StringEnum(recommendations),
});

export const VerdictPayload = Type.Object({
  ...ids,
  receipt_id: Type.String({ description: 'Receipt of the new verdict.' }),
  supersedes: Type.String({ description: 'Receipt of the verdict that you knew.' }),
  from: KnownVerdict,
  to: KnownVerdict,
  reasons: Type.Array(Type.String(), {
    description: 'Codes of findings that are new, gone or of another strength, new ones first.',
  }),
  ...occurrence,
});

interface WebhookEvent {
  /** When it is sent. */
  readonly summary: string;
  readonly data: TSchema;
}

export const webhookEvents = {
  'verification.completed': { summary: 'A session has ended, with a pass or a fail', data: VerificationPayload },
  'verification.passed': { summary: 'A session has passed', data: VerificationPayload },
  'verification.failed': { summary: 'A session has failed', data: VerificationPayload },
  'verification.scored': { summary: 'A session of a score-mode project has ended', data: VerificationPayload },
  'monitoring.flagged': { summary: 'Behavior in a session exceeded the threshold', data: MonitoringPayload },
  'verdict.changed': { summary: 'Later outcomes or scores changed the verdict of a session', data: VerdictPayload },
  'question.flagged': { summary: 'A question exceeded a quality threshold', data: QuestionPayload },
} as const satisfies Readonly<Record<string, WebhookEvent>>;
