import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

t.test('no bench loads the test runner, whose deadline would end it', async (t) => {
  const seen = new Set<string>();
  const loading: string[] = [];
  const walk = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|\} from|export .* from)\b.*'([^']+)';$/gm,
    )) {
      if (name === 'tap') loading.push(file);
      if (name.startsWith('.') && name.endsWith('.js')) walk(join(dirname(file), name));
    }
  };
  walk(join(packageRoot, 'dist', 'bench', 'run.js'));
  t.ok(seen.size > 100, `${seen.size} files`);
  t.same(loading, []);
});
