import assert from 'node:assert/strict';
import t from 'tap';
import fc from 'fast-check';
import { pack, unpack } from 'msgpackr';
import type { ScoreFacts } from '../../../src/contract/facts.js';
import { explainFacts, renderEvidence } from '../../../workers/evidence/explain.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { cleanProbabilityOf } from '../../../workers/scoring/fitted.js';
import { scoreOf } from '../../../workers/scoring/model.js';
import { anyFacts } from '../../helpers/any-facts.js';

t.test('an explanation holds every finding once, and its logits add up to the score before caps', (t) => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { reply, uncapped } = scoreFacts(facts);
      const { findings, axes, favour, verdict, axisMax } = explainFacts(facts);
      assert.equal(verdict.score, reply.score);
      const { against, for: favourable, notes } = reply.evidence;
      assert.deepEqual(
        findings.map(({ code, list }) => `${list}/${code}`),
        [
          ...against.map(({ code }) => `against/${code}`),
          ...favourable.map(({ code }) => `for/${code}`),
          ...notes.map(({ code }) => `notes/${code}`),
        ],
      );
      const policy = findings.filter(({ class: kind, weight }) => kind === 'diagnostic' && weight > 0);
      const counted = axes.reduce((sum, axis) => sum + axis.counted, 0) + favour;
      // Added up in another order, what is offset to nothing may be a rounding below it.
      assert.ok(counted > -1e-9);
      if (policy.length === 0)
        assert.equal(scoreOf(Math.max(counted, 0), cleanProbabilityOf(facts.probe !== null)), uncapped);
      for (const axis of axes) {
        assert.ok(axis.counted <= axis.discounted + 1e-9, 'a cap never adds');
        if (policy.length === 0) assert.ok(axis.counted <= axisMax + 1e-9);
      }
      for (const { weight, applied } of findings) assert.ok(weight * applied >= 0, 'nothing changes sides');
    }),
  );
  t.end();
});

t.test('the decision names the threshold that decided, and each cap says what it does', (t) => {
  fc.assert(
    fc.property(anyFacts, (facts: ScoreFacts) => {
      const { decision, caps, verdict } = explainFacts(facts);
      assert.match(
        decision,
        new RegExp(`^Score ${verdict.score}\\b.*: ${verdict.recommendation}, class ${verdict.verdictClass}\\.$`),
      );
      const { reviewLow, blockThreshold, stepUpThreshold } = facts.calibration;
      if (decision.includes(' below reviewLow')) assert.ok(verdict.score < reviewLow);
      if (decision.includes('above blockThreshold')) assert.ok(verdict.score >= blockThreshold);
      if (decision.includes('above reviewLow')) assert.ok(verdict.score >= reviewLow && verdict.score < blockThreshold);
      if (decision.includes('above stepUpThreshold')) assert.ok(verdict.score >= stepUpThreshold);
      assert.equal(caps.length, verdict.caps.length);
      for (const [index, cap] of verdict.caps.entries()) {
        assert.match(caps[index] ?? '', new RegExp(`^${cap.split(':')[0]}: .*\\.$`));
      }
    }),
  );
  t.end();
});

t.test('evidence rendered again from recorded facts is the evidence that was answered', (t) => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { reply, classification, modelVersion } = scoreFacts(facts);
      const { verdict, ...rendered } = renderEvidence(unpack(pack(facts)) as ScoreFacts, 'en');
      assert.deepEqual(rendered, { evidence: reply.evidence, classification, modelVersion });
      for (const [name, value] of Object.entries(verdict))
        assert.deepEqual(value, reply[name as keyof typeof verdict], name);
      assert.ok('score' in verdict && 'recommendation' in verdict && 'duplicate' in verdict);
    }),
  );
  t.end();
});
