import t from 'tap';
import fc from 'fast-check';
import { calibrationDefaults, ceilingOf } from '../../../src/contract/calibration.js';
import type { AgentFacts } from '../../../src/contract/facts.js';
import {
  agentPolicyOf,
  applyCaps,
  categoryOf,
  classify,
  mapToLegacyBands,
  recommend,
} from '../../../workers/scoring/verdict.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { anyFacts } from '../../helpers/any-facts.js';

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
    t.equal(recommend(90, calibration, agentPolicyOf(calibration, verified), false).recommendation, expected);
    t.equal(classify(90, calibrationDefaults, verified, true), 'verified_agent');
  }
  t.equal(
    agentPolicyOf({ ...calibrationDefaults, verifiedAgentPolicy: 'allow' }, { ...verified, outcome: 'invalid' }),
    null,
  );
  t.end();
});

t.test('a verified agent’s review never lowers a block, and its allow never overrides a dispositive signal', (t) => {
  const advice = (policy: 'allow' | 'review', score: number, dispositive = false) =>
    recommend(score, { ...calibrationDefaults, stepUpEnabled: true }, policy, dispositive);
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

t.test('the ceiling is the highest whole score below the block band', (t) => {
  t.same([75, 74.5, 1, 0].map(ceilingOf), [74, 74, 0, 0]);
  t.end();
});

t.test('each cap does what its name says', (t) => {
  t.equal(applyCaps(90, [], 75), 90);
  t.equal(applyCaps(90, ['uncorroborated'], 75), 74);
  t.equal(applyCaps(60, ['dispositive'], 75), 75);
  t.equal(applyCaps(99, ['policy:30'], 75), 74, 'policy leads below the block band');
  t.equal(applyCaps(99, ['policy:80'], 75), 80, 'and hides no evidence');
  t.equal(applyCaps(99, ['uncorroborated', 'policy:80'], 75), 74);
  t.equal(applyCaps(50, ['a name of tomorrow'], 75), 50);
  t.end();
});

t.test('the recorded score before caps leads to the score that was answered', (t) => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { reply, uncapped, caps } = scoreFacts(facts);
      return applyCaps(uncapped, caps, facts.calibration.blockThreshold) === reply.score;
    }),
  );
  t.end();
});
