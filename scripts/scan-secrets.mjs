// Looks for keys, tokens and passwords in the files of the repository, with the rules of .secretlintrc.json. Needs Node.js 22.
// Usage: node scripts/scan-secrets.mjs [FILE ...]. Without files, all that git tracks. Exits with 1 if there are any.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** Pictures, hashes of packages, and recorded sessions. */
const skipped = [':!*.png', ':!package-lock.json', ':!*.jsonl'];
const tracked = () =>
  execFileSync('git', ['ls-files', '-z', '--', ...skipped], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter(Boolean);

const given = process.argv.slice(2);
const files = given.length > 0 ? given : tracked();
const { status } = spawnSync(
  process.execPath,
  [
    join(root, '.ci/node_modules/secretlint/bin/secretlint.js'),
    '--secretlintrc',
    join(root, '.secretlintrc.json'),
    ...files,
  ],
  { cwd: root, stdio: 'inherit' },
);
console.log(`${files.length} files searched for secrets`);
process.exitCode = status ?? 1;
