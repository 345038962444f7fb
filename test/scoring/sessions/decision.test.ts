import assert from 'node:assert/strict';
import t from 'tap';
import fc from 'fast-check';
import { calibrationDefaults } from '../../../src/contract/calibration.js';
import type { ScoreFacts } from '../../../src/contract/facts.js';
import { describeDecision } from '../../../src/scoring/sessions/decision.js';
import { recordVerdict, scoreFacts } from '../../../workers/scoring/score.js';
import { anyFacts } from '../../helpers/any-facts.js';
import { cleanFacts } from '../../helpers/facts.js';

const decide = (facts: ScoreFacts) => {
  const verdict = recordVerdict(scoreFacts(facts));
  return { verdict, decision: describeDecision(verdict, facts) };
};

t.test('a decision names a comparison that holds, or the rule that replaced the score', (t) => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { verdict, decision } = decide(facts);
      const { reviewLow, blockThreshold } = facts.calibration;
      assert.deepEqual([decision.reviewLow, decision.blockThreshold], [reviewLow, blockThreshold]);
      const compared = [...decision.text.matchAll(/(?:because |and )(\d+)? ?([≥<]) ([\d.]+)/g)];
      if (decision.by !== 'thresholds') assert.equal(compared.length, 0, decision.text);
      for (const [, , sign, threshold] of compared)
        assert.equal(verdict.score >= Number(threshold), sign === '≥', decision.text);
      if (decision.by === 'thresholds')
        assert.ok(compared.length > 0 || (verdict.score === 0 && verdict.recommendation === 'allow'), decision.text);
      if (decision.by === 'agent_policy') assert.equal(facts.agent?.outcome, 'verified');
      if (decision.by === 'failed_step_up') assert.ok((facts.stepUps ?? []).some(({ passed }) => !passed));
      if (decision.by === 'dispositive_signal') assert.ok(facts.calibration.dispositiveSignals.length > 0);
    }),
  );
  t.end();
});

t.test('the thresholds are those at the score, and a verified agent is decided by its policy', (t) => {
  const calibration = { ...calibrationDefaults, reviewLow: 0, blockThreshold: 1 };
  t.match(decide(cleanFacts({ calibration })).decision, { by: 'thresholds', reviewLow: 0, blockThreshold: 1 });
  const agent = { outcome: 'verified', agent: 'shopper', reason: null } as const;
  const policy = { ...calibrationDefaults, verifiedAgentPolicy: 'review' } as const;
  t.match(decide(cleanFacts({ agent, calibration: policy })).decision, {
    by: 'agent_policy',
    text: /verifiedAgentPolicy \(review\)/,
  });
  t.end();
});
