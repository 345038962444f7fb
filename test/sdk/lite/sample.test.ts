import fc from 'fast-check';
import t from 'tap';
import { createSample } from '../../../sdk/lite/sample.js';

const isNear = (a: number, b: number) => Math.abs(a - b) <= 0.002;

t.test('running statistics agree with those computed from all values', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -1e4, max: 1e4, noNaN: true }), { minLength: 1, maxLength: 200 }),
      (values) => {
        const sample = createSample();
        values.forEach((value) => sample(value));
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
        const [n, ...rest] = sample() ?? [];
        return (
          n === values.length &&
          [mean, deviation, Math.min(...values), Math.max(...values)].every((value, index) =>
            isNear(value, rest[index] ?? NaN),
          )
        );
      },
    ),
  );
  t.end();
});

t.test('an empty sample is not measured, and what is no finite number does not count', (t) => {
  const sample = createSample();
  sample(NaN);
  sample(Infinity);
  t.equal(sample(), null);
  t.strictSame(sample(3), [1, 3, 0, 3, 3]);
  t.end();
});
