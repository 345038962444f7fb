/** `npm run pack` where a part of the release is missing: it says what to run, and leaves the last release alone. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { temporaryDirectory } from '../helpers/directories.js';
import { repositoryPath, repositoryRoot } from '../helpers/repository.js';

/** A clone of links to this repository, without `without`; its Python fails. */
function prepareClone(without: readonly string[] = []): string {
  const clone = temporaryDirectory(t);
  for (const name of readdirSync(repositoryRoot))
    if (!['.ci', '.cache', 'scripts', ...without].includes(name)) symlinkSync(repositoryPath(name), join(clone, name));
  mkdirSync(join(clone, 'scripts'));
  for (const name of ['pack.mjs', 'built-in.mjs'])
    copyFileSync(repositoryPath(`scripts/${name}`), join(clone, 'scripts', name));
  mkdirSync(join(clone, '.ci'));
  for (const name of ['venv', 'requirements.txt']) cpSync(repositoryPath(`.ci/${name}`), join(clone, '.ci', name));
  mkdirSync(join(clone, 'bin'));
  writeFileSync(join(clone, 'bin/python3'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  return clone;
}

function pack(clone: string) {
  const out = join(clone, 'release');
  mkdirSync(out);
  writeFileSync(join(out, 'last.tgz'), '');
  const { status, stderr } = spawnSync(process.execPath, [join(clone, 'scripts/pack.mjs'), '--out', out], {
    env: { ...process.env, PATH: `${join(clone, 'bin')}:${process.env['PATH'] ?? ''}` },
    encoding: 'utf8',
  });
  t.ok(existsSync(join(out, 'last.tgz')));
  return { status, stderr };
}

t.test('before the build, it says to build', async (t) => {
  t.same(pack(prepareClone(['dist'])), {
    status: 1,
    stderr: 'dist/src is missing. Run `npm run build`, then `npm run pack` again.\n',
  });
});

t.test('without Python, it says what to install and how to leave the client out', async (t) => {
  const { status, stderr } = pack(prepareClone());
  t.equal(status, 1);
  t.match(stderr, /^The Python client could not be built\. Install Python .*--without-python-client`\.$/m);
});
