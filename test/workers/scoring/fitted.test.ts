import { readFileSync } from 'node:fs';
import t from 'tap';
import {
  applyFit,
  cleanProbabilityOf,
  fullWeightOf,
  hashFit,
  honestBelow,
  probabilityOf,
  type Fit,
} from '../../../workers/scoring/fitted.js';
import { rules } from '../../../workers/scoring/rule-set.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { scoreOf, type Signal } from '../../../workers/scoring/model.js';
import { calibrationDefaults } from '../../../src/contract/calibration.js';
import { humanBody, humanFacts } from '../../helpers/facts.js';

const fit = JSON.parse(readFileSync('workers/scoring/model.json', 'utf8')) as Fit & { readonly hash: string };

t.test(
  'every fitted weight belongs to a rule, keeps its side, and leaves impossible, adjudicated and policy alone',
  (t) => {
    t.match(fit.provenance, /npm run bench -- fit/);
    for (const [code, weight] of Object.entries(fit.weights)) {
      t.ok(weight * (rules[code]?.weight ?? 0) > 0, code);
      t.match(rules[code]?.class, /^(correlate|exculpatory)$/, code);
      t.equal(fullWeightOf(code), weight);
    }
    t.end();
  },
);

t.test('the file holds the hash of what it says, so that a weight changed by hand is found at start', (t) => {
  t.equal(hashFit(fit), fit.hash);
  t.not(hashFit({ ...fit, weights: { ...fit.weights, webdriver: 1 } }), fit.hash);
  t.not(hashFit({ ...fit, provenance: 'elsewhere' }), fit.hash);
  t.not(hashFit({ ...fit, calibration: { ...fit.calibration, probed: [] } }), fit.hash);
  t.not(hashFit({ ...fit, honestBelow: { ...fit.honestBelow, probed: [] } }), fit.hash);
  t.end();
});

t.test('one finding of low severity alone never leads to review, with a probe or without', (t) => {
  for (const [code, weight] of Object.entries(fit.weights))
    if (rules[code]?.severity === 'low')
      for (const isProbed of [true, false])
        t.ok(scoreOf(weight, cleanProbabilityOf(isProbed)) < calibrationDefaults.reviewLow, code);
  t.end();
});

t.test('a graded signal keeps its share of the fitted weight; one that no fit has seen keeps the expert’s', (t) => {
  const signal = (code: string, weight: number): Signal => ({ code, rule: rules[code]!, weight, value: null });
  const full = rules['lies_worker']?.weight ?? 0;
  const [half, unseen] = applyFit([signal('lies_worker', full / 2), signal('declared_bot', 4.3)]);
  t.equal(half?.weight, fullWeightOf('lies_worker') / 2);
  t.equal(unseen?.weight, 4.3);
  t.end();
});

t.test('weak signs of a machine’s hand that agree are strong together', (t) => {
  const beh = {
    ...humanBody().beh,
    moves: 30,
    fineTimes: 0,
    interval: [30, 20, 9, 4, 60] as const,
    coalesced: [30, 1, 0, 1, 1] as const,
    straight: 0.9999,
    turn: [30, 0.001, 0.001, 0, 0.01] as const,
    clicks: 10,
    clickSettle: [10, 2, 1, 1, 4] as const,
    inputNoKey: 5,
    keys: 0,
    keyDwell: null,
    keyFlight: null,
  };
  const { reply } = scoreFacts(humanFacts({}, { beh }));
  t.ok(reply.evidence.against.length >= 3);
  t.equal(reply.recommendation, 'review', `five weak signs end at ${reply.score}`);
  t.same(reply.ceilings, reply.score === 74 ? ['uncorroborated'] : []);
  t.end();
});

t.test('the probability of fraud rises with the balance of evidence and lies within its interval', (t) => {
  for (const isProbed of [true, false]) {
    let before = 0;
    for (let balance = -9; balance <= 16; balance += 0.25) {
      const { value, low, high } = probabilityOf(balance, isProbed);
      t.ok(value >= before && low <= value && value <= high && low >= 0 && high <= 1, String(balance));
      before = value;
    }
    t.ok(before > 0.9 && probabilityOf(-9, isProbed).value < 0.03);
  }
  const calibration = {
    probed: [
      [0, 0.02, 0.01, 0.04],
      [2, 0.1, 0.05, 0.2],
    ],
    unprobed: [],
  };
  t.same(probabilityOf(-1, true, calibration), { value: 0.02, low: 0.01, high: 0.04 });
  t.ok(Math.abs(probabilityOf(1, true, calibration).value - 0.06) < 1e-9);
  t.same(probabilityOf(3, true, calibration), { value: 0.1, low: 0.05, high: 0.2 });
  t.end();
});

t.test('the percentage of honest sessions below a score rises from none at 0 to nearly all at the block band', (t) => {
  for (const isProbed of [true, false]) {
    t.equal(honestBelow(0, isProbed), 0);
    for (let score = 1; score <= 100; score += 1)
      t.ok(honestBelow(score, isProbed) >= honestBelow(score - 1, isProbed), String(score));
    t.ok(honestBelow(1, isProbed) > 25 && honestBelow(calibrationDefaults.reviewLow, isProbed) > 97);
    t.ok(honestBelow(calibrationDefaults.blockThreshold, isProbed) > 99.5 && honestBelow(100, isProbed) <= 100);
  }
  t.end();
});
