import assert from 'node:assert/strict';
import t from 'tap';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { calibrationDefaults } from '../../../src/contract/calibration.js';
import type { ScoreFacts } from '../../../src/contract/facts.js';
import { ScoreReply } from '../../../src/contract/score.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { anyFacts } from '../../helpers/any-facts.js';
import { cleanCounts, cleanFacts, humanFacts } from '../../helpers/facts.js';

t.test('every reply is one that the contract allows', (t) => {
  const reply = Compile(ScoreReply);
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const outcome = scoreFacts(facts);
      assert.ok(reply.Check(outcome.reply), JSON.stringify([...reply.Errors(outcome.reply)].slice(0, 3)));
      assert.ok(outcome.reply.evidence.summary.length > 10);
      assert.equal(outcome.reply.categories.duplicate, outcome.reply.duplicateScore);
      assert.equal(outcome.reply.duplicate.score, outcome.reply.duplicateScore);
      assert.equal(new Set(outcome.reply.degradedSignals).size, outcome.reply.degradedSignals.length);
    }),
    { numRuns: 400 },
  );
  t.end();
});

const farm: Partial<ScoreFacts> = { counts: cleanCounts({ deviceRespondentsDay: 8 }) };
const clawback: Partial<ScoreFacts> = {
  history: { respondent: { n: 1, fraud: 1, confirmedClawbacks: 1 }, source: null, subSource: null },
};

t.test('one axis alone never blocks, two that agree do', (t) => {
  t.match(scoreFacts(cleanFacts(farm)).reply, {
    recommendation: 'review',
    evidence: { against: [{ code: 'device_farm', class: 'bound', strength: 'strong' }] },
  });
  t.match(scoreFacts(cleanFacts({ ...farm, ...clawback })).reply, { recommendation: 'block', verdictClass: 'fraud' });
  t.end();
});

t.test('a signal that the project lets decide blocks alone, and only that one', (t) => {
  for (const [signal, facts] of [
    ['device_farm', farm],
    ['confirmed_clawback', clawback],
  ] as const) {
    const calibration = { ...calibrationDefaults, dispositiveSignals: [signal] };
    t.match(scoreFacts(cleanFacts({ ...facts, calibration })).reply, {
      recommendation: 'block',
      verdictClass: 'fraud',
    });
    t.equal(scoreFacts(cleanFacts({ calibration })).reply.score, 0);
    t.equal(
      scoreFacts(cleanFacts({ ...(facts === farm ? clawback : farm), calibration })).reply.recommendation,
      'review',
    );
  }
  t.end();
});

t.test('a farm is not excused by a person-like visit', (t) => {
  t.equal(scoreFacts(humanFacts(farm)).reply.score, scoreFacts(cleanFacts(farm)).reply.score);
  t.end();
});

t.test('a new respondent is nudged, where the project asked for it, and listed with what moved the score', (t) => {
  const { reply, caps } = scoreFacts(
    humanFacts({ calibration: { ...calibrationDefaults, newUserPosture: 'review_lean' } }),
  );
  t.ok(reply.score > 0 && reply.score < calibrationDefaults.reviewLow);
  t.match(reply.evidence.against, [{ code: 'respondent_new' }]);
  t.same(caps, ['policy:0']);
  t.end();
});

t.test('the country’s multiplier applies to the country of the address', (t) => {
  const address = { ...cleanFacts().address, network: 'hosting' as const };
  const network = (geoRiskWeights: Record<string, number>) =>
    scoreFacts(cleanFacts({ address, calibration: { ...calibrationDefaults, geoRiskWeights } })).reply.categories
      .network;
  t.ok(network({ DE: 2 }) > network({}));
  t.ok(network({ DE: 0.5 }) < network({}));
  t.equal(network({ FR: 2 }), network({}));
  t.end();
});

t.test('sessionId, receiptId and what the project can step up to are passed through', (t) => {
  t.match(scoreFacts(cleanFacts({ sessionId: 's"\u{1f600}', receiptId: 'rcpt_9', assuranceAvailable: 'none' })).reply, {
    sessionId: 's"\u{1f600}',
    receiptId: 'rcpt_9',
    assuranceAvailable: 'none',
  });
  t.end();
});

t.test('what the sessions of the fit cannot say is null, and nothing else takes the probability away', (t) => {
  const agent = { outcome: 'verified' as const, agent: 'shopper', reason: null };
  const cases: readonly (readonly [facts: ScoreFacts, isKnown: boolean])[] = [
    [cleanFacts(), true],
    [humanFacts(), true],
    [humanFacts(farm), true],
    [cleanFacts({ address: { ...cleanFacts().address, network: null, asn: null, country: null } }), true],
    [cleanFacts({ agent: { ...agent, outcome: 'invalid' } }), true],
    [cleanFacts({ agent }), false],
    [cleanFacts({ counts: null }), false],
    [cleanFacts({ history: null }), false],
    [cleanFacts({ probeRead: false }), false],
    [cleanFacts({ measured: false, counts: null, history: null }), false],
  ];
  for (const [facts, isKnown] of cases) {
    const { probability, falseBlockPercentile, degradedSignals } = scoreFacts(facts).reply;
    t.equal(probability !== null, isKnown, degradedSignals.join());
    t.equal(falseBlockPercentile !== null, isKnown, degradedSignals.join());
  }
  t.end();
});

t.test('no setting but the multiplier of a country moves the model’s probability or the percentile', (t) => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { geoRiskWeights } = facts.calibration;
      const meaningOf = (calibration: ScoreFacts['calibration']) => {
        const { probability, falseBlockPercentile } = scoreFacts({ ...facts, calibration, stepUps: [] }).reply;
        return { probability, falseBlockPercentile };
      };
      assert.deepEqual(meaningOf(facts.calibration), meaningOf({ ...calibrationDefaults, geoRiskWeights }));
    }),
    { numRuns: 400 },
  );
  t.end();
});

t.test('a dispositive signal, which lifts the cap of lone evidence, leaves the percentile', (t) => {
  const percentileOf = (dispositiveSignals: ScoreFacts['calibration']['dispositiveSignals']) =>
    scoreFacts(cleanFacts({ ...farm, calibration: { ...calibrationDefaults, dispositiveSignals } })).reply
      .falseBlockPercentile;
  t.equal(percentileOf(['device_farm']), percentileOf(['confirmed_clawback']));
  t.end();
});

t.test('a project’s own probabilities move nothing else, and are null where the model’s are', (t) => {
  const recalibration = [
    [0, 0.3, 0.2, 0.4],
    [1, 0.8, 0.7, 0.9],
  ];
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { probability: model, ...rest } = scoreFacts(facts).reply;
      const own = scoreFacts({ ...facts, calibration: { ...facts.calibration, recalibration } }).reply;
      const { probability, ...others } = own;
      assert.deepEqual(others, rest);
      assert.equal(probability === null, model === null);
      if (probability === null || model === null) return;
      assert.ok(Math.abs(probability.value - (0.3 + 0.5 * model.value)) < 1e-4);
      assert.ok(probability.low <= probability.value && probability.value <= probability.high);
    }),
    { numRuns: 400 },
  );
  t.end();
});
