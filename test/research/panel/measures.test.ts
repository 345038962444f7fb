import t from 'tap';
import { trainBoosting } from '../../../research/panel/boosting.js';
import { createDraw } from '../../../research/panel/draw.js';
import { fitLogistic } from '../../../research/panel/logistic.js';
import { aucOf, calibrationErrorOf, caughtAt, type Judged } from '../../../research/panel/measures.js';

const judged = (fraud: boolean, score: number, mayBlock = true): Judged => ({
  fraud,
  score,
  mayBlock,
  probability: score / 100,
});

t.test('the area under the curve counts ties half', (t) => {
  t.equal(aucOf([judged(true, 9), judged(false, 1)]), 1);
  t.equal(aucOf([judged(true, 5), judged(false, 5)]), 0.5);
  t.equal(aucOf([judged(true, 1), judged(true, 9), judged(false, 5)]), 0.5);
  t.end();
});

t.test('what a ceiling holds below the block band is never caught, nor blocked by mistake', (t) => {
  const honest = Array.from({ length: 200 }, (_, n) => judged(false, n === 0 ? 60 : 1));
  t.equal(caughtAt([...honest, judged(true, 50), judged(true, 70)], 0.005), 1, 'one honest session may be blocked');
  t.equal(caughtAt([...honest, judged(true, 50, false), judged(true, 70)], 0.005), 0.5);
  t.equal(caughtAt([...honest, judged(true, 50), judged(true, 70)], 0.001), 0.5);
  t.end();
});

t.test('probabilities that come true have no calibration error', (t) => {
  const draw = createDraw(1);
  const sessions = Array.from({ length: 20_000 }, () => {
    const probability = draw.random();
    return { ...judged(draw.chance(probability), 0), probability };
  });
  t.ok(calibrationErrorOf(sessions) < 0.015);
  t.ok(calibrationErrorOf(sessions.map((one) => ({ ...one, probability: one.probability / 2 }))) > 0.2);
  t.end();
});

t.test('boosted trees learn an interaction, and treat what was not measured as a value of its own', (t) => {
  const draw = createDraw(2);
  const rows = Array.from({ length: 4_000 }, () => [
    draw.random(),
    draw.random(),
    draw.chance(0.3) ? Number.NaN : draw.random(),
  ]);
  const labels = rows.map(([a = 0, b = 0, c = 0]) => (Number.isNaN(c) ? a > 0.5 : a > 0.5 !== b > 0.5));
  const model = trainBoosting(rows, labels, { trees: 30, depth: 4, rate: 0.3, leafMin: 2 });
  t.ok(model.predict([0.9, 0.9, 0.5]) < -1);
  t.ok(model.predict([0.9, 0.1, 0.5]) > 1);
  t.ok(model.predict([0.9, 0.9, Number.NaN]) > 1);
  t.end();
});

t.test(
  'the joint fit finds weights, shares what goes together, keeps signs, and leaves the unseen at its prior',
  (t) => {
    const draw = createDraw(3);
    const rows = Array.from({ length: 6_000 }, () => {
      const cause = draw.chance(0.3);
      const fraud = draw.chance(1 / (1 + Math.exp(3 - (cause ? 2 : 0))));
      const noise = draw.chance(0.2) ? ([[3, 1]] as const) : [];
      const both = [
        [0, 1],
        [1, 1],
      ] as const;
      const features = cause ? both : noise;
      return { fraud, emphasis: 1, group: 0, features };
    });
    const prior = { weight: 1, deviation: 1, min: 0.05, max: 5 };
    const { weights, intercepts } = fitLogistic(rows, [prior, prior, prior, prior], 1);
    t.ok(Math.abs((weights[0] ?? 0) + (weights[1] ?? 0) - 2) < 0.3, 'two names of one cause add up to it');
    t.equal(weights[2], 1);
    t.ok((weights[3] ?? 1) < 0.4, 'nothing in it');
    t.ok(Math.abs((intercepts[0] ?? 0) + 3) < 0.2);
    t.end();
  },
);
