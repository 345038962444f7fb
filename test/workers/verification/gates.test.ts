/** The gates of a verdict: each threshold by itself, at its edge, and the presets that a dashboard writes. */
import t from 'tap';
import { securityLevels } from '../../../src/contract/project-parts.js';
import { nothingCompared } from '../../../src/contract/uniqueness.js';
import { judgeSession } from '../../../workers/verification/verdict.js';
import { biometricEnvelope, factsOf, freshComparison } from '../../helpers/verdict-facts.js';

t.test('the presets are those of the contract', (t) => {
  t.same(Object.fromEntries(Object.entries(securityLevels).map(([level, gates]) => [level, Object.values(gates)])), {
    relaxed: [0.4, 0.7, 0.55, 0.45],
    balanced: [0.65, 0.85, 0.7, 0.6],
    strict: [0.75, 0.9, 0.8, 0.7],
    maximum: [0.85, 0.95, 0.9, 0.8],
  });
  t.same(Object.keys(securityLevels.balanced), ['liveness', 'uniqueness', 'authenticity', 'screenDetection']);
  t.end();
});

t.test('the gate of uniqueness passes a score from its own value on', (t) => {
  const match = {
    ...{ fingerprintId: 'fp_1', similarity: 0.62, sessionId: 's', respondentId: null },
    completedAtMs: factsOf(biometricEnvelope()).issuedAtMs - 86_400_000,
  };
  const facts = factsOf(biometricEnvelope(), {
    uniqueness: { ...nothingCompared, biometric: freshComparison({ match }) },
  });
  const judge = (uniqueness: number) =>
    judgeSession({ ...facts, thresholds: { ...facts.thresholds, uniqueness } }).verdict;
  const score = judge(0.85).scores.uniqueness ?? NaN;
  t.ok(score > 0 && score < 0.85, `${score}`);
  t.match(judge(score + 1e-9), { status: 'fail', failureCategory: 'duplicate', isDuplicate: true });
  t.equal(judge(score).status, 'pass', 'a score equal to its threshold passes');
  t.end();
});
