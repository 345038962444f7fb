import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { packageRoot } from '../../src/package-root.js';

const run = async (...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)('node', [...args], { cwd: packageRoot })).stdout;

t.test('the benches say what each measures, and which options there are', async (t) => {
  const text = await run(join('dist', 'bench', 'run.js'), '--help');
  for (const name of ['score', 'compare', 'session-bytes', 'webhooks'])
    t.match(text, new RegExp(`^  ${name} +\\w`, 'm'));
  for (const option of ['--seconds VALUE', '--embedded', '--bench VALUE']) t.match(text, `\n  ${option}`);
});

t.test('the stack says what each command does, and starts nothing', async (t) => {
  const text = await run(join('scripts', 'stack.mjs'), '--help');
  for (const command of ['start', 'stop', 'kill', 'pause', 'resume', 'remove', 'status'])
    t.match(text, new RegExp(`^  ${command} +\\w`, 'm'));
  t.equal(
    await promisify(execFile)('node', [join('scripts', 'stack.mjs'), 'toString'], { cwd: packageRoot }).catch(
      ({ code }: { code: number }) => code,
    ),
    1,
    'only commands are taken',
  );
});
