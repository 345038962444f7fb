/** Events of sessions for tests: a person who passed, and whatever a test needs to differ. */
import type { VerificationEvent, VerificationFacts } from '../../src/contract/session-event.js';
import { makeId } from '../../src/crypto/ids.js';

export const passedFacts: VerificationFacts = {
  status: 'pass',
  scores: { liveness: 0.93, uniqueness: 0.99, authenticity: 0.91, overall: 0.94 },
  respondent_id: 'resp-1',
  metadata: { wave: 3 },
  fraud_signals: [],
  failure_reasons: [],
  summary: 'A live, unique person.',
  failure_category: null,
  duplicate_match: null,
  demographics: null,
  is_duplicate: false,
  low_quality: false,
  high_fraud_risk: false,
  assuranceLevel: 'biometric',
  verificationOutcome: 'completed',
  risk: null,
  duplication: null,
  data_collector: null,
  prior_participation: null,
  risk_score: null,
  recommended_decision: null,
  durationMs: 8_200,
  device: 'desktop',
  browser: 'Chrome',
};

/** An event of a completed session; `facts` replaces what differs from a pass. */
export function verificationEvent(
  owner: { readonly organizationId: string; readonly projectId: string },
  facts: Partial<VerificationFacts> = {},
  envelope: Partial<Omit<VerificationEvent, 'data'>> = {},
): VerificationEvent {
  return {
    eventId: makeId('event'),
    type: 'verification.completed',
    organizationId: owner.organizationId,
    projectId: owner.projectId,
    sessionId: `sess_${makeId('event').slice(4)}`,
    isDemo: false,
    occurredAt: new Date().toISOString(),
    ...envelope,
    data: { ...passedFacts, ...facts },
  };
}
