import fc from 'fast-check';
import t from 'tap';
import { decay, decayFurther, shiftDays, type HistoryDays } from '../../../src/scoring/outcomes/history-days.js';

const dayMs = 86_400_000;
const adjudication = fc.record({
  fraud: fc.boolean(),
  clawback: fc.boolean(),
  atMs: fc.integer({ min: 0, max: 400 }).map((day) => day * dayMs),
});

t.test('an outcome that is taken back leaves the history exactly as if it had never come', (t) => {
  fc.assert(
    fc.property(fc.array(adjudication, { maxLength: 30 }), adjudication, fc.nat(29), (others, undone, position) => {
      const build = (all: readonly (typeof undone)[]): HistoryDays =>
        all.reduce<HistoryDays>((days, one) => shiftDays(days, one, 1), {});
      const withIt = shiftDays(build([...others.slice(0, position), undone, ...others.slice(position)]), undone, -1);
      const without = build(others);
      t.same(withIt, without);
      return JSON.stringify(decay(withIt, 500 * dayMs)) === JSON.stringify(decay(without, 500 * dayMs));
    }),
  );
  t.end();
});

t.test('a record halves in 90 days; a day in the future weighs as today', (t) => {
  const days: HistoryDays = { 100: [4, 2, 1] };
  t.same(decay(days, 100 * dayMs), { n: 4, fraud: 2, clawbacks: 1, asOfDay: 100 });
  t.same(decay(days, 190 * dayMs), { n: 2, fraud: 1, clawbacks: 1, asOfDay: 190 });
  t.same(decay(days, 40 * dayMs), { n: 4, fraud: 2, clawbacks: 1, asOfDay: 40 });
  t.same(decayFurther(decay(days, 100 * dayMs), 190 * dayMs), decay(days, 190 * dayMs));
  t.same(decay(days, 5_000 * dayMs), { n: 0, fraud: 0, clawbacks: 0, asOfDay: 5_000 });
  t.end();
});
