import t from 'tap';
import { clamp, createRaise, describeSignal, type Signal } from '../../../workers/scoring/rule.js';

t.test('a raised signal carries its rule, a graded weight and a value for its sentence', (t) => {
  const signals: Signal[] = [];
  const raise = createRaise({
    odd: { axis: 'device', class: 'correlate', severity: 'low', weight: 2, group: null, detail: '{value} odd things.' },
  });
  raise(signals, 'odd');
  raise(signals, 'odd', 1, 3);
  t.match(signals, [{ code: 'odd', weight: 2 }, { weight: 1 }]);
  t.same(signals.map(describeSignal), ['{value} odd things.', '3 odd things.']);
  t.same([clamp(-1, 0, 1), clamp(0.5, 0, 1), clamp(2, 0, 1)], [0, 0.5, 1]);
  t.end();
});
