import fc from 'fast-check';
import t from 'tap';
import { decisionInputsOf } from '../../../workers/scoring/verdict.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { blockLevelOf, decide } from '../../../workers/thresholds/levels.js';
import { anyFacts } from '../../helpers/any-facts.js';

t.test(
  'the edges that a session was scored with give back its recorded recommendation and score, whatever the facts',
  async () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const outcome = scoreFacts(facts);
        const { reviewLow, blockThreshold } = facts.calibration;
        const decided = decide(decisionInputsOf(outcome), { reviewLow, blockThreshold, stepUpThreshold: null });
        return decided.recommendation === outcome.reply.recommendation && decided.score === outcome.reply.score;
      }),
      { numRuns: 1_000 },
    );
  },
);

t.test('a threshold at or below the block level blocks, one above it does not', async () => {
  fc.assert(
    fc.property(anyFacts, fc.integer({ min: 1, max: 100 }), (facts, blockThreshold) => {
      const inputs = decisionInputsOf(scoreFacts(facts));
      const { recommendation } = decide(inputs, { reviewLow: 0, blockThreshold, stepUpThreshold: null });
      return (recommendation === 'block') === blockThreshold <= blockLevelOf(inputs);
    }),
    { numRuns: 500 },
  );
});

t.test(
  'a score of 0 is neither blocked nor, without a policy, reviewed, whatever the thresholds and the facts',
  async () => {
    const zero = fc.constantFrom(0, 0.5, 40);
    fc.assert(
      fc.property(anyFacts, zero, zero, (facts, a, b) => {
        const calibration = { ...facts.calibration, reviewLow: Math.min(a, b), blockThreshold: Math.max(a, b) };
        const { reply, policy } = scoreFacts({ ...facts, calibration });
        if (reply.score > 0) return true;
        return (
          (policy === 'review' || !['block', 'review'].includes(reply.recommendation)) && reply.verdictClass !== 'fraud'
        );
      }),
      { numRuns: 1_000 },
    );
  },
);

t.test('a session with only one kind of evidence is held just below every threshold that its evidence reaches', (t) => {
  const held = { uncapped: 90, caps: ['uncorroborated'], agentPolicy: null, stepUpThreshold: null };
  const at = (inputs: typeof held, blockThreshold: number) =>
    decide(inputs, { reviewLow: 0, blockThreshold, stepUpThreshold: null });
  t.match(at(held, 60), { isHeld: true, recommendation: 'review', score: 59 });
  t.match(at(held, 80), { isHeld: true, score: 79 });
  t.match(at(held, 95), { isHeld: false, score: 90 }, 'its evidence does not reach this threshold');
  t.match(at({ ...held, caps: [] }, 60), { isHeld: false, recommendation: 'block' });
  t.end();
});

t.test('step-up stays off for sessions that were scored without it', async (t) => {
  const plain = { uncapped: 60, caps: [], agentPolicy: null, stepUpThreshold: null };
  const edges = { reviewLow: 40, blockThreshold: 75, stepUpThreshold: 30 };
  t.equal(decide(plain, edges).recommendation, 'review');
  t.equal(decide({ ...plain, stepUpThreshold: 70 }, edges).recommendation, 'step_up');
  t.equal(decide({ ...plain, stepUpThreshold: 70 }, { ...edges, stepUpThreshold: null }).recommendation, 'review');
});
