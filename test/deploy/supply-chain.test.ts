/** The checks of what a release installs, and of what the repository holds, find what they are for. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { temporaryDirectory } from '../helpers/directories.js';
import { missingPackages } from '../helpers/other-packages.js';
import { repositoryPath } from '../helpers/repository.js';

const run = (script: string, ...files: readonly string[]) => {
  const { status, stdout } = spawnSync(process.execPath, [repositoryPath(`scripts/${script}`), ...files], {
    encoding: 'utf8',
  });
  return { status, stdout };
};

t.test('every package that a release installs has a permissive license', async (t) => {
  t.match(run('check-licenses.mjs'), { status: 0, stdout: /^\d+ of \d+ production packages/ });
});

t.test('a license outside the list, or none, is refused by the name of its package', async (t) => {
  const file = join(temporaryDirectory(t), 'lock.json');
  const licensed = {
    free: { license: 'MIT' },
    choice: { license: '(GPL-3.0-only OR MIT)' },
    strict: { license: 'AGPL-3.0-only' },
    both: { license: 'MIT AND GPL-3.0-only' },
    silent: {},
    tool: { license: 'GPL-3.0-only', dev: true },
  };
  const packages = Object.fromEntries(Object.entries(licensed).map(([name, of]) => [`node_modules/${name}`, of]));
  writeFileSync(file, JSON.stringify({ packages: { '': { license: 'Apache-2.0' }, ...packages } }));
  t.same(run('check-licenses.mjs', file), {
    status: 1,
    stdout: [
      'node_modules/strict: AGPL-3.0-only',
      'node_modules/both: MIT AND GPL-3.0-only',
      'node_modules/silent: no license',
      '2 of 5 production packages have an allowed license\n',
    ].join('\n'),
  });
});

const isOld = Number(process.versions.node.split('.')[0]) < 22;
const skip = isOld ? 'the scanner needs Node.js 22' : missingPackages('.ci');

t.test('the repository holds no secret, and one that is put into it is found', { skip }, async (t) => {
  const whole = run('scan-secrets.mjs');
  t.equal(whole.status, 0, whole.stdout);
  const file = join(temporaryDirectory(t), 'settings.ts');
  // In parts, so that the scan of this file finds nothing.
  writeFileSync(file, `const token = '${['ghp', 'x7Qm2LwZr9TfKc4VbN8sHdY1GaPe6JuXo3Ri'].join('_')}';\n`);
  const planted = run('scan-secrets.mjs', file);
  t.equal(planted.status, 1);
  t.match(planted.stdout, /GITHUB_TOKEN/);
  t.notMatch(planted.stdout, /x7Qm2LwZr9/, 'and not printed');
});
