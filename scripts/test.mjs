// `npm test`: the compiled tests in three goes. What shares the machine well, two files at a time; what mostly waits for stores that it stops and
// starts, two at a time as well; then, one after the other, what keeps both cores busy or measures by the clock of a browser.
// `node scripts/test.mjs FILE...` runs these files alone, one after the other.
//
// A file is started by plain node: the loaders that `tap` puts before each file, and before each process that a file starts, cost more than most
// files take, and nothing here needs them. Prints TAP, a subtest for each file; the exit code is 1 where one failed.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = 'dist/test';
/** Longer than the longest limit that a file sets itself; the limit of all others is `secondsOfATest`. */
const fileMsMax = 600_000;
const secondsOfATest = 120;

const isBusy = (name) =>
  /^(bench|cli)\/|^integrity\/(webhooks-)?kill\.|\.browser\.test|^service\/(process|roles)\./.test(name);
const isWaiting = (name) => !isBusy(name) && /^(integrity|stores)\//.test(name);

function plan(named) {
  if (named.length > 0) return [{ jobs: 1, files: named }];
  const names = readdirSync(root, { recursive: true })
    .filter((name) => name.endsWith('.test.js'))
    .sort();
  const under = (filter) => names.filter(filter).map((name) => join(root, name));
  return [
    { jobs: 2, files: under((name) => !isBusy(name) && !isWaiting(name)) },
    { jobs: 2, files: under(isWaiting) },
    { jobs: 1, files: under(isBusy) },
  ];
}

/** Runs one file to its end; its output comes whole, so that files side by side do not mix. */
function run(file) {
  const startedAt = Date.now();
  const child = spawn(process.execPath, ['--enable-source-maps', file], {
    env: { TAP_TIMEOUT: String(secondsOfATest), ...process.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), fileMsMax);
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, output: Buffer.concat(chunks).toString(), ms: Date.now() - startedAt });
    });
  });
}

const sums = { files: 0, failedFiles: 0, total: 0, pass: 0, fail: 0, skip: 0 };

/** Adds the numbers of the file's last line, `# { total: 4, pass: 4 }`. A file that ended without one has failed. */
function add(output) {
  const line = /^# \{ (total: \d+.*) \}$/m.exec(output)?.[1];
  for (const pair of line?.split(', ') ?? []) {
    const [name, count] = pair.split(': ');
    if (name in sums) sums[name] += Number(count);
  }
  return line !== undefined;
}

function report(file, { code, signal, output, ms }) {
  const isComplete = add(output);
  const isPassed = code === 0 && isComplete;
  sums.files += 1;
  if (!isPassed) sums.failedFiles += 1;
  // A file that broke off, or failed without a failed assertion, counts as one.
  if (!isPassed && (!isComplete || !/^# \{ .*fail: /m.test(output))) sums.fail += 1;
  const lines = output.split('\n').filter((line) => line !== 'TAP version 14' && line !== '');
  const end = isPassed ? '' : ` exit code ${code ?? signal}`;
  console.log(
    [`# Subtest: ${file}`, ...lines.map((line) => `    ${line}`)].join('\n') +
      `\n${isPassed ? 'ok' : 'not ok'} ${sums.files} - ${file} # time=${ms}ms${end}\n`,
  );
}

console.log('TAP version 14');
for (const { jobs, files } of plan(process.argv.slice(2))) {
  const waiting = [...files];
  const work = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) report(file, await run(file));
  };
  await Promise.all(Array.from({ length: jobs }, work));
}
const { files, failedFiles, ...counts } = sums;
console.log(`1..${files}`);
console.log(
  `# { ${Object.entries(counts)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ')} }`,
);
process.exitCode = failedFiles > 0 ? 1 : 0;
