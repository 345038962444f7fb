import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import {
  cutoffsFor,
  falseMatchShare,
  readFaceModels,
  sigmasFor,
  tailAbove,
} from '../../../src/verification/uniqueness/face-models.js';
import { temporaryDirectory } from '../../helpers/directories.js';
import { testModel } from '../../helpers/faces.js';

t.test('tails of the normal distribution are those of the tables', async (t) => {
  const known: readonly [number, number][] = [
    [0, 0.5],
    [1, 0.158655254],
    [1.959964, 0.025],
    [3.090232, 0.001],
    [4.753424, 1e-6],
    [5.997807, 1e-9],
  ];
  for (const [sigmas, share] of known) {
    t.ok(Math.abs(tailAbove(sigmas) / share - 1) < 1e-5, `${sigmas}`);
    t.ok(Math.abs(sigmasFor(share) - sigmas) < 1e-5, `${share}`);
  }
  t.throws(() => sigmasFor(0), RangeError);
});

t.test(
  'the cutoff rises with the gallery, so that all of its strangers together pass it once in a thousand times',
  async (t) => {
    let before = 0;
    for (const size of [1, 100, 10_000, 1_000_000]) {
      const { same, near } = cutoffsFor(testModel, size);
      t.ok(same > before && near < same, `${size}`);
      before = same;
      const { mean, deviation } = testModel.impostor;
      t.ok(size * tailAbove((same - mean) / deviation) <= falseMatchShare * 1.000001, `${size}`);
    }
    t.equal(cutoffsFor(testModel, 0).same, cutoffsFor(testModel, 1).same);
    t.ok(cutoffsFor({ ...testModel, impostor: { mean: 0.9, deviation: 0.1 } }, 1e6).same < 1, 'never out of reach');
  },
);

t.test('a list of models that cannot be used is refused with the entry that is wrong', async (t) => {
  const path = join(temporaryDirectory(t), 'models.json');
  const impostor = { mean: 0.1, deviation: 0.1 };
  const read = async (list: unknown) => {
    await writeFile(path, JSON.stringify(list));
    return readFaceModels(path);
  };
  const models = await read([{ model: 'mine', dimension: 64, impostor, center: Array(64).fill(0.01) }]);
  t.match(models('mine', 64), { impostor });
  t.equal(models('mine', 128), null, 'of another dimension is another model');
  const wrong: readonly [unknown, RegExp][] = [
    [{}, /not a list/],
    [[{ dimension: 64, impostor }], /entry 0 needs a model/],
    [[{ model: 'm', dimension: 3, impostor }], /entry 0 needs a dimension/],
    [[{ model: 'm', dimension: 64 }], /impostor.mean/],
    [[{ model: 'm', dimension: 64, impostor: { mean: 0, deviation: 0 } }], /impostor.deviation/],
    [[{ model: 'm', dimension: 64, impostor, center: [1] }], /center/],
    [[null], /entry 0/],
  ];
  for (const [list, message] of wrong) await t.rejects(read(list), message);
  await t.rejects(readFaceModels(join(path, 'absent')), /VH_FACE_MODELS names/);
});
