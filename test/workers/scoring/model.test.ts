import t from 'tap';
import fc from 'fast-check';
import {
  clamp,
  createRaise,
  describeSignal,
  model,
  recordWeight,
  scoreOf,
  weightOf,
  type Rule,
  type Signal,
} from '../../../workers/scoring/model.js';

t.test('no evidence scores 0, and the curve passes through its published points', (t) => {
  t.same(
    [0, 2, 3, 4, 4.21, 4.62, 5.5, 5.71, 6.8, 1_000].map((weight) => scoreOf(weight)),
    [0, 6, 16, 35, 40, 50, 71, 75, 90, 100],
  );
  t.end();
});

t.test('a score’s weight leads back to that score', (t) => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 99 }), (score) => scoreOf(weightOf(score)) === score));
  t.end();
});

t.test('records weigh as adjudicated: fraud raises, acceptance lowers, both within bounds', (t) => {
  const rounded = (fraud: number, n: number) => Math.round(recordWeight(fraud, n) * 100) / 100;
  t.same([rounded(0, 10), rounded(1, 5), rounded(1, 1), rounded(2, 2), rounded(0, 0)], [-2, 2.56, 3.26, 3.93, 0]);
  t.same([rounded(0, 0.05), rounded(0, 0.2), rounded(0.03, 3)], [-0.7, -1.62, 0], 'soon, and without a step');
  t.equal(recordWeight(500, 500), model.recordMax);
  t.equal(recordWeight(0, 1e6), model.recordMin);
  t.end();
});

t.test('a raised signal carries its rule, a graded weight and a value for its sentence', (t) => {
  const signals: Signal[] = [];
  const odd: Rule = {
    ...{ axis: 'device', class: 'correlate', severity: 'low', weight: 2, group: null },
    detail: '{value} odd things.',
  };
  const raise = createRaise({ odd });
  raise(signals, 'odd');
  raise(signals, 'odd', 1, 3);
  t.match(signals, [{ code: 'odd', weight: 2 }, { weight: 1 }]);
  t.same(signals.map(describeSignal), ['{value} odd things.', '3 odd things.']);
  const counted = { ...odd, detail: '{value} odd {thing was|things were} seen.' };
  const say = (value: number | string) => describeSignal({ code: 'odd', rule: counted, weight: 1, value });
  t.same([1, 2, '{a|b} $&'].map(say), [
    '1 odd thing was seen.',
    '2 odd things were seen.',
    '{a|b} $& odd things were seen.',
  ]);
  t.same([clamp(-1, 0, 1), clamp(0.5, 0, 1), clamp(2, 0, 1)], [0, 0.5, 1]);
  t.end();
});
