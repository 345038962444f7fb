// `npm test`: the compiled tests in three goes. What shares the machine well, two files at a time; what mostly waits for stores that it stops and
// starts, two at a time as well; then, one after the other, what keeps both cores busy or measures by the clock of a browser.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = 'dist/test';
const isBusy = (name) =>
  /^(bench|cli)\/|^integrity\/(webhooks-)?kill\.|\.browser\.test|^service\/(process|roles)\./.test(name);
const isWaiting = (name) => !isBusy(name) && /^(integrity|stores)\//.test(name);

const files = readdirSync(root, { recursive: true })
  .filter((name) => name.endsWith('.test.js'))
  .sort();
const goes = [
  { jobs: 2, names: files.filter((name) => !isBusy(name) && !isWaiting(name)) },
  { jobs: 2, names: files.filter(isWaiting) },
  { jobs: 1, names: files.filter(isBusy) },
];
const statuses = goes.map(
  ({ jobs, names }) =>
    spawnSync('npx', ['tap', `--jobs=${jobs}`, ...names.map((name) => join(root, name))], { stdio: 'inherit' }).status,
);
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;
