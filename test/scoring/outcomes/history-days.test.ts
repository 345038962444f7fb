import fc from 'fast-check';
import t from 'tap';
import { readHistory } from '../../../src/record/assemble-facts.js';
import { decay, type HistoryDays, shiftDays } from '../../../src/scoring/outcomes/history-shifts.js';

const dayMs = 86_400_000;
const adjudication = fc.record({
  fraud: fc.boolean(),
  clawback: fc.boolean(),
  atMs: fc.integer({ min: 0, max: 400 }).map((day) => day * dayMs),
});
const read = (days: HistoryDays, toldDay: number, readDay = toldDay) =>
  readHistory(decay(days, toldDay * dayMs), readDay * dayMs);

t.test('an outcome that is taken back leaves the history exactly as if it had never come', (t) => {
  fc.assert(
    fc.property(fc.array(adjudication, { maxLength: 30 }), adjudication, fc.nat(29), (others, undone, position) => {
      const build = (all: readonly (typeof undone)[]): HistoryDays =>
        shiftDays(
          {},
          all.map((one) => ({ adjudication: one, sign: 1 })),
        );
      const withIt = shiftDays(build([...others.slice(0, position), undone, ...others.slice(position)]), [
        { adjudication: undone, sign: -1 },
      ]);
      const without = build(others);
      t.same(withIt, without);
      return JSON.stringify(decay(withIt, 500 * dayMs)) === JSON.stringify(decay(without, 500 * dayMs));
    }),
  );
  t.end();
});

t.test('fraud and clawbacks halve in 90 days; a day in the future weighs as today', (t) => {
  const days: HistoryDays = { 100: [2, 2, 1] };
  t.same(read(days, 100), { n: 2, fraud: 2, clawbacks: 1, pending: 0 });
  t.same(read(days, 190), { n: 1, fraud: 1, clawbacks: 0.5, pending: 0 });
  t.same(read(days, 40), { n: 2, fraud: 2, clawbacks: 1, pending: 0 });
  t.same(read(days, 5_000), { n: 0, fraud: 0, clawbacks: 0, pending: 0 });
  t.end();
});

t.test('what was accepted is credited as the time passes in which it may be reversed', (t) => {
  const days: HistoryDays = { 100: [12, 0, 0] };
  t.equal(read(days, 100).n, 0, 'a completion of today says nothing yet');
  t.ok(Math.abs(read(days, 130).n - 6 * 2 ** (-30 / 90)) < 1e-9, 'half of it after half of the window');
  t.ok(Math.abs(read(days, 160).n - 12 * 2 ** (-60 / 90)) < 1e-9, 'all of it at the end');
  const credits = Array.from({ length: 61 }, (_, i) => read(days, 100 + i).n);
  t.same(
    credits,
    [...credits].sort((a, b) => a - b),
    'and it never shrinks on the way',
  );
  for (const day of [100, 117, 160, 170]) {
    const { n, pending } = read(days, day);
    t.ok(Math.abs(n + pending - 12 * 2 ** (-(day - 100) / 90)) < 1e-9, 'the rest is pending');
  }
  t.end();
});

t.test('a record that was told on an earlier day reads as one that is told today', (t) => {
  const anyDays = fc.dictionary(
    fc.integer({ min: 0, max: 300 }).map(String),
    fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9)).map(([a, b, c]): [number, number, number] => [a + b + c, b + c, c]),
  );
  fc.assert(
    fc.property(anyDays, fc.integer({ min: 300, max: 400 }), fc.nat(200), (days, told, later) => {
      const [one, other] = [read(days, told, told + later), read(days, told + later)];
      return (['n', 'fraud', 'clawbacks', 'pending'] as const).every(
        (name) => Math.abs(one[name] - other[name]) < 1e-6,
      );
    }),
  );
  t.end();
});
