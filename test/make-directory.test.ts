import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { makeDirectory } from '../src/make-directory.js';
import { temporaryDirectory } from './helpers/directories.js';

t.test('makes a directory and its parents for their owner alone, and may be repeated', async (t) => {
  const folder = temporaryDirectory(t);
  const directory = join(folder, 'a/b/c');
  makeDirectory(directory);
  makeDirectory(directory);
  for (const path of ['a', 'a/b', 'a/b/c']) t.equal(statSync(join(folder, path)).mode & 0o777, 0o700, path);
});

t.test('a relative directory is made below the working directory', async (t) => {
  const folder = temporaryDirectory(t);
  const before = process.cwd();
  process.chdir(folder);
  t.teardown(() => process.chdir(before));
  makeDirectory('a/b');
  t.ok(existsSync(join(folder, 'a/b')));
});

t.test('a file in the way is refused, as the directory and as a parent', async (t) => {
  const file = join(temporaryDirectory(t), 'file');
  writeFileSync(file, '');
  t.throws(() => makeDirectory(file), { code: 'EEXIST' });
  t.throws(() => makeDirectory(join(file, 'a')), { code: 'ENOTDIR' });
});

t.test('a parent that holds no folders is refused, and does not hang', async (t) => {
  t.throws(() => makeDirectory('/proc/nowhere/a'), { code: 'ENOENT' });
});
