// `npm run check [-- --base REV]`: types, lint, words and prose of everything, format of what changed since REV (default: HEAD), in under a minute.
// Run it before each commit. `npm run lint` does the same for every file.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { base: { type: 'string', default: 'HEAD' } } });
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
const changed = [
  ...git('diff', '--name-only', '--diff-filter=d', values.base),
  ...git('ls-files', '--others', '--exclude-standard'),
].filter((file) => existsSync(file));
const compiler = 'node_modules/typescript7/bin/tsc';
const bin = (name) => `node_modules/.bin/${name}`;

/** Runs a command and prints what it says if it fails. */
function check(name, file, args) {
  const startedAt = Date.now();
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
      console.log(`${code === 0 ? 'ok' : 'not ok'} ${name} (${seconds} s)`);
      if (code !== 0) process.stdout.write(Buffer.concat(chunks));
      resolve(code === 0);
    });
  });
}

const types = async () => {
  const passed = [];
  for (const project of ['tsconfig.json', 'sdk/tsconfig.json', 'console/tsconfig.json'])
    passed.push(await check(`types of ${project}`, process.execPath, [compiler, '--noEmit', '-p', project]));
  return passed.every(Boolean);
};
// A change of the contract changes them.
execFileSync(process.execPath, ['scripts/write-client-types.mjs']);
const results = await Promise.all([
  types(),
  check('words', process.execPath, ['scripts/check-words.mjs']),
  check('prose', process.execPath, ['scripts/check-prose.mjs']),
  ...(changed.length === 0
    ? []
    : [check('format', bin('oxfmt'), ['--check', '--no-error-on-unmatched-pattern', ...changed])]),
  check('lint', bin('oxlint'), []),
]);
process.exitCode = results.every(Boolean) ? 0 : 1;
