import { statfsSync } from 'node:fs';
import t from 'tap';
import { watchDiskSpace } from '../../src/stores/disk-space.js';
import { temporaryDirectory } from '../helpers/directories.js';

t.test('the free bytes of the directory are measured at once', async (t) => {
  const directory = temporaryDirectory(t);
  const free = await new Promise<number>((resolve) => {
    const rounds = watchDiskSpace(directory, resolve);
    t.teardown(() => rounds.stop());
  });
  const { blocks, bsize } = statfsSync(directory);
  t.ok(free > 0 && free <= blocks * bsize, `${free} bytes`);
});

t.test('a directory that cannot be read gives no figure, and stopping ends the rounds', async (t) => {
  const rounds = watchDiskSpace('/no/such/directory', () => t.fail('there is none'));
  await rounds.stop();
});
