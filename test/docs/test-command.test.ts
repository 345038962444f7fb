import t from 'tap';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../helpers/directories.js';
import { repositoryPath, repositoryRoot } from '../helpers/repository.js';

const run = promisify(execFile);
const test = async (...files: readonly string[]) =>
  run(process.execPath, [repositoryPath('scripts/test.mjs'), ...files], { cwd: repositoryRoot }).then(
    ({ stdout, stderr }) => ({ code: 0, printed: stdout + stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, printed: stdout + stderr }),
  );

t.test('a source in place of a compiled test, or a missing file, is refused with the command that helps', async (t) => {
  t.same(await test('test/errors.test.ts'), {
    code: 1,
    printed: 'test/errors.test.ts is not compiled. Name dist/test/errors.test.js\n',
  });
  t.same(await test('dist/test/nowhere.test.js'), {
    code: 1,
    printed: 'There is no dist/test/nowhere.test.js. Compile first: npm run compile tsconfig.json\n',
  });
});

t.test('a folder stands for the tests in it', async (t) => {
  const { code, printed } = await test('dist/test/kernel');
  t.equal(code, 0);
  t.match(printed, /^ {2}\d+ dist\/test\/kernel\/validation\.test\.js$/m);
});

t.test('an error that is caught nowhere fails its file, and is shown', async (t) => {
  // Packages are found from there.
  const cache = repositoryPath('node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const directory = temporaryDirectory(t, cache);
  const wait = 'await new Promise((resolve) => setTimeout(resolve, 200));';
  const faults = {
    'a timer': `setTimeout(() => { throw new Error('thrown by a timer'); }, 10); ${wait}`,
    'a promise': `void Promise.reject(new Error('thrown by a promise')); ${wait}`,
  };
  for (const [name, code] of Object.entries(faults)) {
    const file = join(directory, `${name.replace(' ', '-')}.test.js`);
    writeFileSync(file, `import t from 'tap';\nt.test('passes', async (t) => { t.pass('so far'); ${code} });\n`);
    const { code: exit, printed } = await test(file);
    t.equal(exit, 1, name);
    t.match(printed, `thrown by ${name}`);
    t.match(printed, '1 passed, 1 failed');
  }
});
