import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { loadMasterKey } from '../../src/crypto/master-key.js';
import { temporaryDirectory } from '../helpers/directories.js';

t.test('a data directory that cannot be used is refused with the setting to change', async (t) => {
  const file = join(temporaryDirectory(t), 'file');
  writeFileSync(file, '');
  t.throws(() => loadMasterKey(join(file, 'data')), /master\.key cannot be read or written .*ENOTDIR.*VH_DATA_DIR/);
});

t.test('a folder that the system refuses ends in the same sentence, and does not hang', async (t) => {
  for (const folder of ['/proc/nowhere/data', '/sys/data', '/dev/null/data'])
    t.throws(() => loadMasterKey(folder), { message: /cannot be read or written .*VH_DATA_DIR/ }, folder);
});
