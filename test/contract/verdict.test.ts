import t from 'tap';
import {
  assuranceLevels,
  failureCategories,
  unifiedAssuranceLevels,
  Verdict,
  VerdictScores,
  type VerdictOutcome,
} from '../../src/contract/verdict.js';
import { createAjv } from '../../src/kernel/validation.js';

const verdict: VerdictOutcome['verdict'] = {
  modelVersion: '0123456789abcdef',
  status: 'pass',
  scores: { liveness: null, uniqueness: null, authenticity: 0.9, overall: 0.9, quality: 0.8, fraud: 0 },
  failureReasons: [],
  failureCodes: [],
  failureCategory: null,
  fraudSignals: [],
  risk: { overall: 0.1, device: 0, biometric: null, contributions: [], droppedSignals: [], degradedSignals: [] },
  isDuplicate: false,
  lowQuality: false,
  highFraudRisk: false,
  duplicateMatch: null,
  priorParticipation: null,
  duplication: { overall: null, deviceMatch: null, biometricMatch: null, matchMethod: 'none' },
  demographics: null,
  glassesDetected: null,
  assuranceLevel: 'device_only',
  verificationOutcome: 'completed',
  biometricEvidence: null,
  unifiedVerdict: { verdict: 'allow', assuranceLevel: 'behavioral' },
  cameraFailureReason: null,
  summary: 'Passed.',
};

t.test('liveness and uniqueness may be null, the other scores may not, and none leaves 0-1', (t) => {
  const validate = createAjv(false).compile(VerdictScores);
  t.ok(validate(verdict.scores));
  for (const name of Object.keys(VerdictScores.properties)) {
    t.equal(validate({ ...verdict.scores, [name]: null }), name === 'liveness' || name === 'uniqueness', name);
    for (const value of [-0.01, 1.01, '1']) t.notOk(validate({ ...verdict.scores, [name]: value }), name);
  }
  t.end();
});

t.test('two taxonomies of assurance: behavioral is a level of the unified verdict only', (t) => {
  const validate = createAjv(false).compile(Verdict);
  t.ok(validate(verdict));
  t.notOk(validate({ ...verdict, assuranceLevel: 'behavioral' }));
  t.same(assuranceLevels, ['biometric', 'device_only', 'none']);
  t.same(unifiedAssuranceLevels, ['none', 'device_only', 'behavioral', 'biometric']);
  t.end();
});

t.test('failure categories stand in order of priority', (t) => {
  t.same(failureCategories, ['duplicate', 'liveness', 'authenticity', 'fraud_signal', 'fingerprint']);
  t.end();
});
