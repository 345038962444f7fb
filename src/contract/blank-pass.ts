/** A pass of which nothing is known but that it passed: what the facts of made-up sessions begin with. */
import type { VerificationFacts } from './session-event.js';

export const blankPass = {
  status: 'pass',
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
  risk: null,
  duplication: null,
  data_collector: null,
  prior_participation: null,
  risk_score: null,
  recommended_decision: null,
  durationMs: null,
  device: null,
  browser: null,
} as const satisfies Partial<VerificationFacts>;
