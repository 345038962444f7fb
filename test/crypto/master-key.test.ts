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
