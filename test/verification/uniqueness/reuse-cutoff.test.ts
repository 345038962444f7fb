import t from 'tap';
import { reuseCutoff, reusedShare, sphereCutoff } from '../../../src/verification/uniqueness/reuse-cutoff.js';
import { shippedFaceModel } from '../../../src/verification/uniqueness/shipped-face-model.js';
import { createRandom } from '../../../workers/seeded-random.js';
import { dot } from '../../../src/verification/uniqueness/embedding.js';
import { randomDirection, testModel } from '../../helpers/faces.js';

t.test('on the sphere of three dimensions the cosine is uniform', (t) => {
  const deviation = 1 / Math.sqrt(3);
  for (const share of [0.25, 0.1, 0.01, 0.001])
    t.ok(Math.abs(sphereCutoff(deviation, share) - (1 - 2 * share)) < 1e-6, `${share}`);
  t.end();
});

t.test('as many pairs of random directions exceed the cutoff as it says', (t) => {
  const random = createRandom(11);
  const [pairs, dimension, share] = [40_000, 17, 0.01];
  const cutoff = sphereCutoff(1 / Math.sqrt(dimension), share);
  let above = 0;
  for (let pair = 0; pair < pairs; pair += 1)
    above += Number(dot(randomDirection(random, dimension), randomDirection(random, dimension)) > cutoff);
  t.ok(Math.abs(above / pairs / share - 1) < 0.2, `${above} of ${pairs}`);
  t.end();
});

t.test(
  'strangers reach the cutoff less than once in a million pairs, even if they are more alike than was measured',
  (t) => {
    t.ok(reusedShare < 1e-6);
    const cutoff = reuseCutoff(shippedFaceModel);
    t.ok(Math.abs(cutoff - 0.908) < 0.001, String(cutoff));
    t.ok(cutoff > sphereCutoff(0.26, 1e-6), 'at a deviation of 0.26 as well');
    t.equal(reuseCutoff(testModel), 0.9, 'and nothing less than nearly identical counts');
    t.ok(reuseCutoff({ ...testModel, impostor: { mean: 0.9, deviation: 0.025 } }) > 0.98, 'without a center');
    t.end();
  },
);
