/** The table of VH_FACE_MODELS, from a customer’s own faces. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { measureFaces } from '../../src/cli/faces.js';
import { packageRoot } from '../../src/package-root.js';
import { readFaceModels } from '../../src/verification/uniqueness/face-models.js';
import { createRandom } from '../../workers/seeded-random.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { directionNear, randomDirection } from '../helpers/faces.js';

const random = createRandom(17);
const faces = Array.from({ length: 60 }, (_, person) => {
  const own = randomDirection(random);
  return [0, 1].map(() => ({ person: `p-${person}`, values: [...directionNear(own, 0.95, random)] }));
}).flat();

t.test('the entry comes out of the pairs, and says for how large a gallery it holds', async (t) => {
  const { entry, strangerPairs, samePairs, ...rest } = measureFaces('own-model', faces);
  t.same([strangerPairs, samePairs], [(120 * 119) / 2 - 60, 60]);
  t.ok(Math.abs(entry.impostor.mean) < 0.05 && Math.abs(entry.impostor.deviation - 1 / Math.sqrt(128)) < 0.05);
  t.ok(rest.lowestSame > 0.7 && rest.tail < 0.02);
  t.ok(rest.galleryFound >= 1_000, `${rest.galleryFound}`);
  t.equal(rest.galleryVouched, 2, 'and 7,080 pairs vouch for two');
  t.throws(() => measureFaces('own-model', faces.slice(0, 2)), /two people/);
  t.throws(() => measureFaces('own-model', [{ person: 'p', values: [] }]), /finite/);
});

t.test('the command writes a file that the service reads', async (t) => {
  const directory = temporaryDirectory(t);
  const pairs = join(directory, 'faces.ndjson');
  writeFileSync(pairs, faces.map((face) => JSON.stringify(face)).join('\n'));
  const command = join(packageRoot, 'dist', 'src', 'cli', 'faces.js');
  const table = execFileSync(process.execPath, [command, 'measure', '--pairs', pairs, '--model', 'own-model'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const path = join(directory, 'models.json');
  writeFileSync(path, table);
  t.equal((await readFaceModels(path))('own-model', 128)?.dimension, 128);
});
