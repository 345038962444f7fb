// `npm test`: the compiled tests in two goes. First those that share the machine well, two files at a time. Then, one after the other, those
// that start browsers, processes or stores of their own: side by side on two cores they would starve each other.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = 'dist/test';
const alone = /^(bench|cli|integrity|stores)\/|\.browser\.test|^service\/(process|roles)\./;

const files = readdirSync(root, { recursive: true }).filter((name) => name.endsWith('.test.js')).sort();
const goes = [
  { jobs: 2, names: files.filter((name) => !alone.test(name)) },
  { jobs: 1, names: files.filter((name) => alone.test(name)) },
];
const statuses = goes.map(({ jobs, names }) => spawnSync('npx', ['tap', `--jobs=${jobs}`, ...names.map((name) => join(root, name))], { stdio: 'inherit' }).status);
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;
