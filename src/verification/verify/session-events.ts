/**
 * The events of a completed session: always verification.completed, and also passed or failed in block mode, scored in score mode.
 * A session to be reviewed is reported as failed if only pass and fail exist, so that no reader takes it for a pass.
 */
import type { SessionEvent, VerificationEvent, VerificationFacts } from '../../contract/session-event.js';
import type { VerdictOutcome } from '../../contract/verdict.js';
import { makeId } from '../../crypto/ids.js';
import type { StoredSession } from '../sessions/session-store.js';
import type { VerifyReply } from '../../contract/score-envelope.js';

export interface CompletedSession {
  readonly session: Pick<
    StoredSession,
    | 'organizationId'
    | 'projectId'
    | 'sessionId'
    | 'mode'
    | 'respondentId'
    | 'studyId'
    | 'linkId'
    | 'metadata'
    | 'dataCollector'
    | 'stepUp'
    | 'createdAt'
  >;
  readonly outcome: VerdictOutcome;
  readonly verificationMode: 'block' | 'score';
  readonly completedAt: Date;
  readonly device: string;
  readonly browser: string;
}

export function eventsOf(completed: CompletedSession): readonly SessionEvent[] {
  const { session, outcome, verificationMode, completedAt } = completed;
  const facts = factsOf(completed);
  const event = (type: VerificationEvent['type'], data: VerificationFacts): SessionEvent => ({
    eventId: makeId('event'),
    type,
    organizationId: session.organizationId,
    projectId: session.projectId,
    sessionId: session.sessionId,
    isDemo: session.mode !== 'live',
    occurredAt: completedAt.toISOString(),
    data,
  });
  const second =
    verificationMode === 'score'
      ? event('verification.scored', {
          ...facts,
          status: outcome.dispatch.status === 'score_blocked' ? 'score_blocked' : 'scored',
          risk_score: outcome.verdict.risk.overall,
          recommended_decision: outcome.dispatch.decision,
          failure_category: outcome.dispatch.failureCategory,
        })
      : event(facts.status === 'pass' ? 'verification.passed' : 'verification.failed', facts);
  return [event('verification.completed', facts), second];
}

function factsOf({ session, outcome, completedAt, device, browser }: CompletedSession): VerificationFacts {
  const { verdict, shown } = outcome;
  const { liveness, uniqueness, authenticity, overall } = verdict.scores;
  return {
    status: verdict.status === 'pass' ? 'pass' : 'fail',
    scores: { liveness, uniqueness, authenticity, overall },
    respondent_id: session.respondentId,
    study_id: session.studyId,
    link_id: session.linkId,
    mode: session.mode,
    metadata: session.metadata,
    fraud_signals: verdict.fraudSignals,
    failure_reasons: verdict.failureReasons,
    summary: verdict.summary,
    failure_category: verdict.failureCategory,
    duplicate_match: verdict.duplicateMatch,
    demographics: verdict.demographics,
    is_duplicate: verdict.isDuplicate,
    low_quality: verdict.lowQuality,
    high_fraud_risk: verdict.highFraudRisk,
    assuranceLevel: verdict.assuranceLevel,
    verificationOutcome: verdict.verificationOutcome,
    biometricEvidence: verdict.biometricEvidence,
    risk: shown.risk ?? null,
    duplication: shown.duplication ?? null,
    data_collector: session.dataCollector,
    step_up_for: session.stepUp?.receiptId ?? null,
    prior_participation: verdict.priorParticipation,
    risk_score: null,
    recommended_decision: null,
    durationMs: Math.max(0, completedAt.getTime() - session.createdAt.getTime()),
    device,
    browser,
  };
}

export function verifyReplyOf(
  sessionId: string,
  verificationToken: string,
  { verdict, page }: VerdictOutcome,
  diagnostics: boolean,
): VerifyReply {
  const { modelVersion: _modelVersion, risk: _risk, duplication: _duplication, ...rest } = verdict;
  const { shown, scores, reason: _reason, ...view } = page;
  const risk = shown.risk;
  return {
    verificationToken,
    sessionId,
    ...rest,
    ...view,
    scores: { ...scores, ...(shown.riskOverall === undefined ? {} : { riskOverall: shown.riskOverall }) },
    ...(risk === undefined ? {} : { risk: risk === null || diagnostics ? risk : { ...risk, contributions: [] } }),
    ...(shown.duplication === undefined ? {} : { duplication: shown.duplication }),
  };
}
