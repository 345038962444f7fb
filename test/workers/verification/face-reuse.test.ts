/** Consequences of other respondents who passed with the same face. */
import t from 'tap';
import { nothingCompared } from '../../../src/contract/uniqueness.js';
import type { VerdictFacts } from '../../../src/contract/verdict.js';
import { judgeSession } from '../../../workers/verification/verdict.js';
import { biometricEnvelope, deviceEnvelope, factsOf } from '../../helpers/verdict-facts.js';

const judge = (others: number | null, over: Partial<VerdictFacts> = {}, envelope = biometricEnvelope()) =>
  judgeSession(factsOf(envelope, { uniqueness: { ...nothingCompared, otherRespondentsWithFace: others }, ...over }));

t.test('the second and third respondent of a face pass with a note, the fourth and later ones fail', (t) => {
  const rows = [null, 0, 1, 2, 3, 4, 40].map((others) => {
    const { status, failureCategory, highFraudRisk, fraudSignals } = judge(others).verdict;
    return [
      others,
      status,
      failureCategory,
      highFraudRisk,
      ...fraudSignals.map(({ type, severity }) => [type, severity]),
    ];
  });
  t.strictSame(rows, [
    [null, 'pass', null, false],
    [0, 'pass', null, false],
    [1, 'pass', null, false, ['face_reused', 'medium']],
    [2, 'pass', null, false, ['face_reused', 'medium']],
    [3, 'fail', 'fraud_signal', true, ['face_reused', 'high']],
    [4, 'fail', 'fraud_signal', true, ['face_reused', 'high']],
    [40, 'fail', 'fraud_signal', true, ['face_reused', 'high']],
  ]);
  t.end();
});

t.test('each further respondent makes the session look more like fraud, and no other score changes', (t) => {
  const scores = [0, 1, 2, 3].map((others) => judge(others).verdict.scores);
  for (const [index, { fraud, ...rest }] of scores.entries()) {
    const { fraud: before = -1, ...first } = { ...scores[0], fraud: scores[index - 1]?.fraud };
    t.ok(fraud > before, `${index} others`);
    t.strictSame(rest, first);
  }
  t.end();
});

t.test('without a capture nothing is said of a face', (t) => {
  t.strictSame(judge(3, {}, deviceEnvelope({ cameraFailureReason: 'NotFoundError' })).verdict.fraudSignals, []);
  t.end();
});

t.test('score mode reviews nobody for a note, and fails the fourth', (t) => {
  const statusOf = (others: number) => judge(others, { verificationMode: 'score' }).verdict.status;
  t.strictSame([1, 2, 3].map(statusOf), ['pass', 'pass', 'fail']);
  t.end();
});

t.test('a page does not learn whether somebody took part with the face', (t) => {
  const shown = (others: number) => judge(others, { riskAggregator: 'off' }).page;
  t.strictSame(shown(1).fraudSignals, []);
  const { fraudSignals, failureReasons, failureCategory } = shown(3);
  t.strictSame([fraudSignals, failureCategory], [[], 'fraud_signal']);
  t.strictSame(failureReasons, ['Something about the session was unusual.']);
  t.end();
});
