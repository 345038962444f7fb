import fc from 'fast-check';
import t from 'tap';
import {
  bytesOf,
  decodeEmbedding,
  directionOf,
  dot,
  fullScale,
  rawOf,
} from '../../../src/verification/uniqueness/embedding.js';
import { embeddingOf, randomDirection, testModel } from '../../helpers/faces.js';
import { createRandom } from '../../../workers/seeded-random.js';

const raw = (values: readonly number[]) => Int16Array.from(values, (value) => Math.round(value * fullScale));

t.test('an embedding comes back from its bytes, and its direction from the integers', (t) => {
  fc.assert(
    fc.property(fc.int16Array({ minLength: 64, maxLength: 256 }), (values) => {
      const back = rawOf(bytesOf(values));
      return back.length === values.length && back.every((value, index) => value === values[index]);
    }),
  );
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const direction = randomDirection(createRandom(seed));
      const decoded = decodeEmbedding(embeddingOf(direction));
      const read = typeof decoded === 'string' ? decoded : directionOf(decoded, testModel);
      return read instanceof Float32Array && dot(read, direction) > 0.99999 && Math.abs(dot(read, read) - 1) < 1e-5;
    }),
  );
  t.pass();
  t.end();
});

t.test('vectors that no model makes are refused', async (t) => {
  const zeros = Array<number>(128).fill(0);
  const cases: readonly [string, readonly number[]][] = [
    ['norm', zeros],
    ['norm', Array<number>(128).fill(1)],
    ['norm', Array<number>(128).fill(-1)],
    ['norm', [...zeros.slice(0, 127), 1e-4]],
    ['peak', [...zeros.slice(0, 127), 1]],
    ['peak', [...zeros.slice(0, 126), 0.6, 0.8]],
    ['flat', Array<number>(128).fill(1 / Math.sqrt(128))],
    ['flat', Array<number>(128).fill(-1 / Math.sqrt(128))],
  ];
  for (const [reason, values] of cases) t.equal(directionOf(raw(values), testModel), reason, values.slice(-2).join());
  t.equal(decodeEmbedding({ model: 'm', dimension: 128, values: 'AAAA' }), 'length');
});

t.test(
  'where a model has a center, what is left without it is compared, and the center itself is refused',
  async (t) => {
    const random = createRandom(3);
    const center = randomDirection(random).map((value) => value * 0.9);
    const model = { ...testModel, center };
    const people = [randomDirection(random), randomDirection(random)].map((own) => {
      const sum = own.map((value, index) => value * 0.4 + (center[index] ?? 0));
      const length = Math.sqrt(dot(sum, sum));
      return raw([...sum.map((value) => value / length)]);
    });
    const [a, b] = people.map((person) => directionOf(person, model));
    const [c, d] = people.map((person) => directionOf(person, testModel));
    if (
      !(
        a instanceof Float32Array &&
        b instanceof Float32Array &&
        c instanceof Float32Array &&
        d instanceof Float32Array
      )
    )
      throw new Error('refused');
    t.ok(dot(c, d) > 0.7, 'with the center everybody is alike');
    t.ok(dot(a, b) < 0.5, 'without it they are not');
    const unit = center.map((value) => value / 0.9);
    t.equal(directionOf(raw([...unit]), { ...model, center: unit }), 'center');
  },
);
