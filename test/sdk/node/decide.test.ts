import fc from 'fast-check';
import t from 'tap';
import { decide, type Recommendation } from '../../../sdk/node/index.js';
import { duplicateBands, recommendations } from '../../../src/contract/score.js';
import { scoreReply } from '../../helpers/score-reply.js';

type Band = (typeof duplicateBands)[number];

function scored(score: number, recommendation: Recommendation, band: Band, measured = true) {
  const reply = scoreReply({ score, recommendation });
  return { ...reply, duplicate: { ...reply.duplicate, band, measured } };
}

t.test('risk and a duplicate together block where the recommendation alone would not', (t) => {
  const table: readonly [number, Recommendation, Band, Recommendation, Recommendation][] = [
    // risk, recommendation, band: by the recommended rule, by the tighter one
    [49, 'review', 'confirmed', 'review', 'review'],
    [50, 'review', 'confirmed', 'block', 'review'],
    [50, 'review', 'likely', 'block', 'review'],
    [50, 'review', 'possible', 'review', 'review'],
    [60, 'review', 'likely', 'block', 'block'],
    [60, 'step_up', 'likely', 'block', 'block'],
    [0, 'allow', 'confirmed', 'allow', 'allow'],
    [80, 'block', 'none', 'block', 'block'],
  ];
  for (const [score, recommendation, band, recommended, tighter] of table) {
    const reply = scored(score, recommendation, band);
    t.equal(decide(reply).action, recommended, `${score} ${recommendation} ${band}`);
    t.equal(decide(reply, { rule: 'tighter' }).action, tighter, `${score} ${recommendation} ${band}, tighter`);
  }
  t.match(decide(scored(50, 'review', 'likely')), {
    because: 'risk_and_duplicate',
    duplicateBand: 'likely',
    sweep: false,
  });
  t.match(decide(scored(80, 'block', 'likely')), { because: 'recommendation' });
  t.end();
});

t.test('a band that was not measured decides nothing and is looked at again', (t) => {
  t.match(decide(scored(70, 'review', 'confirmed', false)), {
    action: 'review',
    because: 'recommendation',
    duplicateBand: null,
    sweep: true,
  });
  t.end();
});

t.test('no duplicate makes a decision milder, and none below its risk changes it', (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 100 }),
      fc.constantFrom(...recommendations),
      fc.constantFrom(...duplicateBands),
      (score, recommendation, band) => {
        const { action } = decide(scored(score, recommendation, band));
        return action === recommendation || (action === 'block' && score >= 50);
      },
    ),
  );
  t.end();
});

t.test('a recommendation of a later service is reviewed; an unknown rule is refused', (t) => {
  t.equal(decide(scored(0, 'hold' as Recommendation, 'none')).action, 'review');
  t.throws(() => decide(scoreReply(), { rule: 'toString' as 'tighter' }), { code: 'INVALID_OPTION' });
  t.end();
});
