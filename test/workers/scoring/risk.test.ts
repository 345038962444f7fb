import assert from 'node:assert/strict';
import t from 'tap';
import fc from 'fast-check';
import { riskAxes } from '../../../src/contract/axes.js';
import { fuseSignals } from '../../../workers/scoring/risk.js';
import { model, type Rule, type Signal } from '../../../workers/scoring/model.js';
import type { ScoreFacts } from '../../../src/contract/facts.js';
import type { ProbeBody } from '../../../src/contract/probe.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { anyFacts } from '../../helpers/any-facts.js';
import { cleanCounts, cleanFacts, humanBody, humanFacts } from '../../helpers/facts.js';

const signal = (weight: number, over: Partial<Rule> = {}): Signal => ({
  code: 'x',
  rule: {
    axis: 'device',
    class: weight < 0 ? 'exculpatory' : 'correlate',
    severity: 'low',
    weight,
    group: null,
    detail: '',
    ...over,
  },
  weight,
  value: null,
});

const anySignal = fc
  .record({
    weight: fc.double({ min: 0, max: 5, noNaN: true }),
    axis: fc.constantFrom(...riskAxes),
    group: fc.constantFrom(null, 'a', 'b'),
    severity: fc.constantFrom('low' as const, 'high' as const),
    class: fc.constantFrom('correlate' as const, 'bound' as const, 'record' as const, 'exculpatory' as const),
  })
  .map(({ weight, ...rule }) => signal(rule.class === 'exculpatory' ? -weight : weight, rule));

t.test('correlated findings count a half, then a quarter, the strongest in full', (t) => {
  const { weighed, weight } = fuseSignals(
    [signal(1, { group: 'g' }), signal(2, { group: 'g' }), signal(0.8, { group: 'g' }), signal(1)],
    1,
  );
  t.same(
    weighed.map(({ applied }) => applied),
    [0.5, 2, 0.2, 1],
  );
  t.equal(weight, 3.7);
  t.end();
});

t.test('an axis is capped, and its findings share the cap', (t) => {
  const { axes, weighed, agreeing } = fuseSignals([signal(4), signal(4), signal(0.5, { axis: 'network' })], 1);
  t.equal(axes.device, model.axisMax);
  t.same(
    weighed.map(({ applied }) => applied),
    [2.75, 2.75, 0.5],
  );
  t.same(
    weighed.map(({ discounted }) => discounted),
    [4, 4, 0.5],
    'what they were worth before the cap is kept',
  );
  t.equal(agreeing, 2);
  t.end();
});

t.test('what speaks in favour takes from correlates only, and at most two logits', (t) => {
  const record = { axis: 'history', class: 'exculpatory' } as const;
  t.equal(fuseSignals([signal(3), signal(-5, record)], 1).weight, 1);
  const bound = fuseSignals([signal(5, { class: 'bound' }), signal(-2, record)], 1);
  t.equal(bound.weight, 5);
  t.equal(bound.weighed[1]?.applied, 0, 'nothing to take from: it counted for nothing');
  t.equal(fuseSignals([signal(3, { class: 'record' }), signal(1), signal(-2, record)], 1).weight, 3);
  t.equal(fuseSignals([signal(-2)], 1).weight, 0);
  t.end();
});

t.test('what the probe says in favour takes from other axes only, and nothing takes from high severity', (t) => {
  const hand = signal(-1, { axis: 'behavior' });
  t.equal(fuseSignals([signal(3), hand], 1).weight, 3);
  t.equal(fuseSignals([signal(3, { axis: 'network' }), hand], 1).weight, 2);
  t.equal(fuseSignals([signal(3, { axis: 'network', source: 'probe' }), hand], 1).weight, 3);
  const record = signal(-2, { axis: 'history' });
  t.equal(fuseSignals([signal(3, { severity: 'high' }), record], 1).weight, 3);
  t.equal(fuseSignals([signal(3), signal(3, { axis: 'network' }), hand, record], 1).weight, 4, 'two logits in all');
  t.end();
});

t.test('adjudicated and impossible findings are never crowded out by correlates', (t) => {
  const { weighed } = fuseSignals([signal(5, { class: 'bound', group: 'g' }), signal(4, { group: 'g' }), signal(4)], 1);
  t.equal(weighed[0]?.applied, 5);
  t.end();
});

t.test('the country’s multiplier moves the network axis alone and stays within its range', (t) => {
  const both = [signal(1, { axis: 'network' }), signal(1)];
  t.same(fuseSignals(both, 9).axes, { network: 2, device: 1, velocity: 0, behavior: 0, history: 0 });
  t.equal(fuseSignals(both, 0).axes.network, 0.5);
  t.end();
});

t.test('more evidence against never lowers the weight, more in favour never raises it, and the parts add up', () => {
  fc.assert(
    fc.property(fc.array(anySignal, { maxLength: 12 }), anySignal, (signals, another) => {
      const before = fuseSignals(signals, 1);
      const after = fuseSignals([...signals, another], 1);
      const change = after.weight - before.weight;
      assert.ok(another.weight >= 0 ? change >= -1e-9 : change <= 1e-9);
      const sum = after.weighed.reduce((total, { applied }) => total + applied, 0);
      assert.ok(Math.abs(sum - after.weight) < 1e-9);
    }),
    { numRuns: 2_000 },
  );
  return Promise.resolve();
});

const codes = (list: readonly { readonly code: string }[]) => list.map(({ code }) => code);

t.test('a finding that contributed nothing to the applied score is never placed in against', (t) => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { score, evidence } = scoreFacts(facts).reply;
      if (score === 0) assert.deepEqual(evidence.against, []);
      else assert.ok(evidence.against.length > 0);
      assert.ok(evidence.against.length <= score, 'each raises the score by one at least');
    }),
    { numRuns: 600 },
  );
  t.end();
});

t.test('under a ceiling only what led up to it stands in against', (t) => {
  const { reply } = scoreFacts(
    humanFacts(
      {},
      { auto: { webdriver: true, globals: ['cdc_x'] }, lies: ['proxy.a', 'proxy.b', 'worker.gpu', 'own.x'] },
    ),
  );
  const many = codes(reply.evidence.against);
  t.ok(many.includes('webdriver'));
  const { reply: small } = scoreFacts(
    humanFacts(
      { calibration: { ...cleanFacts().calibration, reviewLow: 10, blockThreshold: 20 } },
      { auto: { webdriver: true, globals: ['cdc_x'] }, lies: ['proxy.a', 'own.x'] },
    ),
  );
  t.equal(small.score, 19);
  t.same(codes(small.evidence.against), ['webdriver']);
  t.same(codes(small.evidence.notes.filter(({ class: kind }) => kind === 'correlate')).sort(), [
    'automation_globals',
    'lies_own',
    'lies_proxy',
  ]);
  t.ok(small.evidence.notes.every(({ strength }) => strength === 'none'));
  t.end();
});

t.test('of findings that saturate the score, what declares itself stands first, then what cannot happen', (t) => {
  const keys: NonNullable<ProbeBody['beh']> = { ...humanBody().beh, keyDwell: [40, 0.5, 0.2, 0, 1] };
  const farm = { counts: cleanCounts({ deviceRespondentsDay: 40 }) };
  const program = { webdriver: true, globals: [], debugStack: false, debugGetter: false };
  const { reply } = scoreFacts(humanFacts(farm, { auto: program, beh: keys }));
  t.equal(reply.recommendation, 'block');
  t.equal(codes(reply.evidence.against)[0], 'webdriver');
  t.match(reply.evidence.summary, /Main finding: The browser reports that automation controls it/);
  t.match(reply.reasons[0], { code: 'webdriver', scored: true });
  const { reply: unnamed } = scoreFacts(humanFacts(farm, { beh: keys }));
  t.same(codes(unnamed.evidence.against).slice(0, 2), ['device_farm', 'key_without_press']);
  t.end();
});

t.test('of two findings that saturate the score one stands, not none', (t) => {
  const facts: ScoreFacts = cleanFacts({
    counts: cleanCounts({ deviceRespondentsDay: 9 }),
    history: { respondent: { n: 3, fraud: 3, confirmedClawbacks: 1 }, source: null, subSource: null },
    calibration: {
      ...cleanFacts().calibration,
      dispositiveSignals: ['device_farm', 'confirmed_clawback'],
      blockThreshold: 100,
    },
  });
  const { score, evidence } = scoreFacts(facts).reply;
  t.equal(score, 100);
  t.ok(evidence.against.length >= 1);
  t.end();
});

t.test('what speaks in favour stands in for only where it lowered the score', (t) => {
  const { evidence } = scoreFacts(humanFacts()).reply;
  t.same(evidence.for, []);
  t.ok(codes(evidence.notes).includes('pointer_humanlike'));
  const helped = scoreFacts(humanFacts({ address: { ...cleanFacts().address, network: 'hosting' } })).reply;
  t.ok(helped.evidence.for.length > 0 || helped.score === 0);
  t.end();
});
