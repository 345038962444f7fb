import t from 'tap';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
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
