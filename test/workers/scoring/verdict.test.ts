import t from 'tap';
import { calibrationDefaults } from '../../../src/contract/calibration.js';
import type { AgentFacts } from '../../../src/contract/facts.js';
import { categoryOf, classify, mapToLegacyBands, recommend } from '../../../workers/scoring/verdict.js';

const verified: AgentFacts = { outcome: 'verified', agent: 'a', reason: null };

t.test('the bands lead to allow, review and block, each from its edge on', (t) => {
  t.same(
    [0, 39, 40, 74, 75, 100].map((score) => recommend(score, calibrationDefaults, null, false).recommendation),
    ['allow', 'allow', 'review', 'review', 'block', 'block'],
  );
  t.end();
});

t.test('step-up stands in for allow and review between its threshold and the block band, light and then heavy', (t) => {
  const calibration = { ...calibrationDefaults, stepUpEnabled: true, stepUpThreshold: 20 };
  t.same(
    [19, 20, 59, 60, 74, 75].map((score) => Object.values(recommend(score, calibration, null, false))),
    [
      ['allow', 'none'],
      ['step_up', 'light'],
      ['step_up', 'light'],
      ['step_up', 'heavy'],
      ['step_up', 'heavy'],
      ['block', 'none'],
    ],
  );
  t.end();
});

t.test('a verified agent is tagged, and treated as the project says', (t) => {
  for (const [verifiedAgentPolicy, expected] of [
    ['score_normally', 'block'],
    ['allow', 'allow'],
    ['review', 'block'],
  ] as const) {
    const calibration = { ...calibrationDefaults, verifiedAgentPolicy };
    t.equal(recommend(90, calibration, verified, false).recommendation, expected);
    t.equal(classify(90, calibrationDefaults, verified, true), 'verified_agent');
  }
  t.equal(
    recommend(90, { ...calibrationDefaults, verifiedAgentPolicy: 'allow' }, { ...verified, outcome: 'invalid' }, false)
      .recommendation,
    'block',
  );
  t.end();
});

t.test('a verified agent’s review never lowers a block, and its allow never overrides a dispositive signal', (t) => {
  const advice = (verifiedAgentPolicy: 'allow' | 'review', score: number, dispositive = false) =>
    recommend(score, { ...calibrationDefaults, stepUpEnabled: true, verifiedAgentPolicy }, verified, dispositive);
  for (const score of [0, 39, 40, 74]) {
    t.same(advice('review', score), { recommendation: 'review', stepUpIntensity: 'none' });
    t.same(advice('allow', score), { recommendation: 'allow', stepUpIntensity: 'none' });
  }
  for (const score of [75, 100]) t.equal(advice('review', score).recommendation, 'block');
  t.equal(advice('allow', 75, true).recommendation, 'block');
  t.equal(advice('allow', 75).recommendation, 'allow');
  t.end();
});

t.test('human is said only of what was measured, fraud of what is blocked', (t) => {
  t.same(
    [
      classify(0, calibrationDefaults, null, true),
      classify(0, calibrationDefaults, null, false),
      classify(40, calibrationDefaults, null, true),
      classify(75, calibrationDefaults, null, false),
    ],
    ['human', 'unknown', 'unknown', 'fraud'],
  );
  t.end();
});

t.test('categories span 0 to 100, and the legacy bands take the highest risk axis', (t) => {
  t.same([0, 2.75, 5.5, 9].map(categoryOf), [0, 50, 100, 100]);
  t.same(mapToLegacyBands({ network: 49, device: 50, velocity: 75, behavior: 100, history: 0 }), {
    forensicMaxScore: 100,
    categories: { network: 0, device: 50, velocity: 75, behavior: 100, history: 0 },
  });
  t.equal(mapToLegacyBands({ network: 49, device: 0, velocity: 0, behavior: 0, history: 0 }).forensicMaxScore, 0);
  t.end();
});
