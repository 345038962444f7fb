/**
 * Session events, by which one part of the service informs the others: webhooks deliver them, analytics counts them. An event is
 * written in the transaction of its change (src/stores/outbox/outbox.ts) and arrives at least once; readers detect repetitions by `eventId`.
 *
 * The data of an event holds every fact that any payload shows, under the names of the payload. The choice of facts for each payload
 * is decided in src/webhooks/payload.ts; `session_id`, `project_id` and `timestamp` follow from the envelope and stand there only.
 */
import type { Static, TSchema } from 'typebox';
import type { SessionMode } from './common.js';
import type { Demographics } from './envelope.js';
import type { Metadata } from './session.js';
import type {
  DuplicateMatch,
  Duplication,
  FraudSignal,
  PriorParticipation,
  Verdict,
  VerdictDispatch,
  VerdictRisk,
  VerdictScores,
} from './verdict.js';
import type { MonitoringPayload, QuestionPayload, VerdictPayload } from './webhook-payload.js';

export const verificationEventTypes = [
  'verification.completed',
  'verification.passed',
  'verification.failed',
  'verification.scored',
] as const;
export const flagEventTypes = ['monitoring.flagged', 'question.flagged'] as const;
export const verdictEventType = 'verdict.changed';
export const eventTypes = [...verificationEventTypes, ...flagEventTypes, verdictEventType] as const;
export type EventType = (typeof eventTypes)[number];

/** Everything that is known of a completed session. */
export interface VerificationFacts {
  /** pass or fail; of verification.scored, scored or score_blocked. */
  readonly status: VerdictDispatch['status'];
  readonly scores: Pick<VerdictScores, 'liveness' | 'uniqueness' | 'authenticity' | 'overall'>;
  readonly respondent_id: string | null;
  readonly study_id: string | null;
  /** The hosted page’s link that the session came through. */
  readonly link_id: string | null;
  readonly mode: SessionMode;
  /** The metadata of the session’s creation; empty if none. */
  readonly metadata: Metadata;
  readonly fraud_signals: readonly FraudSignal[];
  /** Most important first; empty on a pass. */
  readonly failure_reasons: readonly string[];
  readonly summary: string;
  /** null while the verdict is clean. */
  readonly failure_category: Verdict['failureCategory'];
  readonly duplicate_match: DuplicateMatch | null;
  readonly demographics: Demographics | null;
  /** True also of a returning participant who was let pass. */
  readonly is_duplicate: boolean;
  readonly low_quality: boolean;
  /** A fraud signal of high severity. */
  readonly high_fraud_risk: boolean;
  readonly assuranceLevel: Verdict['assuranceLevel'];
  readonly verificationOutcome: Verdict['verificationOutcome'];
  readonly biometricEvidence: Verdict['biometricEvidence'];
  readonly risk: VerdictRisk | null;
  /** null if the project does not show risk; if nothing was compared, its scores are null. */
  readonly duplication: Duplication | null;
  readonly data_collector: string | null;
  /** Receipt of the score that the session steps up. */
  readonly step_up_for: string | null;
  readonly prior_participation: PriorParticipation | null;
  /** Set on verification.scored, like recommended_decision; null on other events. */
  readonly risk_score: number | null;
  readonly recommended_decision: VerdictDispatch['decision'] | null;
  /** From the session’s creation to its verdict; null if unknown. */
  readonly durationMs: number | null;
  /** Class of the device and family of the browser, for analytics. */
  readonly device: string | null;
  readonly browser: string | null;
}

/** The payload, but for what follows from the envelope. */
type DataOf<Payload extends TSchema> = Omit<Static<Payload>, 'session_id' | 'project_id' | 'timestamp' | 'is_demo'>;

export interface EventOf<Type extends string, Data> {
  /** evt_ and 32 hex digits; a repetition has the same. */
  readonly eventId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly sessionId: string;
  /** True in test and demo mode. */
  readonly isDemo: boolean;
  /** ISO 8601, UTC. */
  readonly occurredAt: string;
  readonly type: Type;
  readonly data: Data;
}

export type VerificationEvent = EventOf<(typeof verificationEventTypes)[number], VerificationFacts>;
export type FlagEvent =
  | EventOf<'monitoring.flagged', DataOf<typeof MonitoringPayload>>
  | EventOf<'question.flagged', DataOf<typeof QuestionPayload>>;
export type VerdictEvent = EventOf<typeof verdictEventType, DataOf<typeof VerdictPayload>>;
export type SessionEvent = VerificationEvent | FlagEvent | VerdictEvent;

/** A pass of which nothing is known but that it passed: what the facts of made-up sessions begin with. */
export const blankPass = {
  status: 'pass',
  study_id: null,
  link_id: null,
  mode: 'live',
  fraud_signals: [],
  failure_reasons: [],
  failure_category: null,
  duplicate_match: null,
  demographics: null,
  is_duplicate: false,
  low_quality: false,
  high_fraud_risk: false,
  assuranceLevel: 'biometric',
  verificationOutcome: 'completed',
  biometricEvidence: 'claimed',
  risk: null,
  duplication: null,
  data_collector: null,
  step_up_for: null,
  prior_participation: null,
  risk_score: null,
  recommended_decision: null,
  durationMs: null,
  device: null,
  browser: null,
} as const satisfies Partial<VerificationFacts>;
