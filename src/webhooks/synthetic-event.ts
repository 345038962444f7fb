/** The event of a test delivery: a pass that nobody took part in, in full, so that a receiver sees every field it will meet. */
import type { VerificationEvent } from '../contract/session-event.js';
import { idPrefixes, makeId } from '../crypto/ids.js';
import type { WebhookOwner } from './webhook-store.js';

export function syntheticEvent({ organizationId, projectId }: WebhookOwner, nowMs: number): VerificationEvent {
  const eventId = makeId('event');
  return {
    eventId,
    type: 'verification.completed',
    organizationId,
    projectId,
    sessionId: `sess_test_${eventId.slice(idPrefixes.event.length)}`,
    isDemo: true,
    occurredAt: new Date(nowMs).toISOString(),
    data: {
      status: 'pass',
      scores: { liveness: 0.94, uniqueness: 0.98, authenticity: 0.92, overall: 0.95 },
      respondent_id: 'test-respondent',
      metadata: { test: true },
      fraud_signals: [],
      failure_reasons: [],
      summary: 'A test delivery: nobody was verified.',
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
      durationMs: null,
      device: null,
      browser: null,
    },
  };
}
