// `npm test [-- --all | --only unit|rest|fast] [--parallel N] [FILE...]`: runs compiled tests, each file in a process of its own or some small ones in
// one, and prints what failed.
//
//   node scripts/test.mjs                            all but the long ones, see `isLong`
//   node scripts/test.mjs --all                      all of them
//   node scripts/test.mjs --only unit                all outside service, stores, integrity, cli, bench, research and browser tests; `--only rest` those
//   node scripts/test.mjs --only fast                those of them that start nothing, see `fast-tests.mjs`
//   node scripts/test.mjs dist/test/errors.test.js   these files, one after the other, with everything that they print
//   node scripts/test.mjs dist/test/kernel           the files of this folder
//   node scripts/test.mjs --times 10 FILE...         the same ten times: a file that waits on time instead of an event shows itself
//
// Three files run at once, or as many as `--parallel` says, some counting for more than one, see `weights`; while the processors are idle because files
// wait, and none measures the machine, up to twice as many. A line each minute says how far the run is and how busy the processors were; the end says what was left out and why,
// which files took most of the processors, and "N passed, N failed".
// The exit code is 1 if a file failed. Files are started by plain node: the loaders of `tap` cost more than most files take.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createIsFast } from './fast-tests.mjs';

const root = 'dist/test';
/** Longer than the longest limit that a file sets itself; the limit of all others is `secondsOfATest`. */
const fileMsMax = 600_000;
const secondsOfATest = 120;
const busiestShown = 30;
/** Processors that are less busy than this have room for another file. */
const idleBelow = 0.88;
/**
 * Most files live for seconds: compiling all of the WebAssembly of a database or a model, or optimizing it, costs them more than it gives, and so
 * does collecting garbage often. A service starts with half of the processor.
 */
const nodeFlags = [
  '--enable-source-maps',
  '--liftoff-only',
  '--wasm-lazy-compilation',
  '--max-semi-space-size=64',
  `--import=${new URL('without-hooks.mjs', import.meta.url).href}`,
];
/** From Node 22 on, what one process compiled of a module serves the next. */
const compileCache = resolve('node_modules/.cache/compiled');

const memory = '/dev/shm';
const memoryBytesMin = 6 * 2 ** 30;

/**
 * Files of tests are kept in memory if the machine has the room: each service copies a database of a thousand files and deletes it, which costs a
 * disk's file system a second of processor.
 */
function makeTemporary() {
  const free = existsSync(memory) ? statfsSync(memory) : { bavail: 0, bsize: 0 };
  const parent = free.bavail * free.bsize >= memoryBytesMin ? memory : tmpdir();
  const directory = mkdtempSync(join(parent, 'verifyhuman-tests-'));
  // Stores that run as users of their own read what a test writes for them.
  chmodSync(directory, 0o755);
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
const temporary = process.env.TMPDIR ?? makeTemporary();

/**
 * For how many a file counts, and in which phase it runs; the first match holds. Heavy files go first, so that light ones fill the end. Rows of one
 * phase are mixed: what waits for stores or for its turn lies between what keeps a browser busy.
 */
const weights = [
  // Measures memory or CPU of the whole machine.
  { weight: 2, measures: true, phase: 0, matches: /^bench\/(load|neighbours|compare)\./ },
  // A person is filmed by a browser, drawn and judged by the processors: one at once.
  { weight: 2, phase: 0, matches: /^sdk\/(capture|widget)\/person\./ },
  // Several processes, which mostly wait for each other.
  { weight: 2, phase: 0, matches: /^integrity\/(webhooks-)?kill\.|^service\/(process|roles)\./ },
  { weight: 1, phase: 1, matches: /^service\// },
  { weight: 1, phase: 1, matches: /^(integrity|stores)\// },
  { weight: 1, phase: 1, matches: /\.browser\.test|^cli\// },
  { weight: 1, phase: 2, matches: /./ },
];
const rankOf = (name) => weights.findIndex(({ matches }) => matches.test(name));
/** Benches, killed processes, packaged examples, and captures: a third of the time, for what changes seldom. */
const isLong = (name) =>
  /^(bench|research|cli|integrity)\/|^service\/process\.|^examples\/next\.|^sdk\/capture\/(person|failures)\.|^sdk\/lite\/set-ups\./.test(
    name,
  );
const isUnit = (name) => !/\.browser\.test|^(bench|research|cli|integrity|service|stores)\//.test(name);
/** They take longer than a process of their own costs, or change more of it than they put back. */
const isAlone = (name) =>
  /^sdk\/widget\/package\.|^verification\/uniqueness\/(embedded|postgres)\.|^service\/(process|roles|fuzz|(large-)?disputes)\./.test(
    name,
  );
/** A hook of a file would run before the tests of all later ones in its process. */
const hasHooks = (name) => /^ *t\.(before|after)Each\(/m.test(readFileSync(join(root, name), 'utf8'));

/**
 * How many files like this one share a process. Most unit tests end within a second, of which a process of their own takes half; loading the service
 * takes a second.
 */
function sharesOf(name) {
  if (isAlone(name) || hasHooks(name)) return 1;
  if (isUnit(name)) return 12;
  return /^(service|stores)\/(?!log\/kafka)[^.]*\.test/.test(name) ? 10 : 1;
}

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      all: { type: 'boolean', default: false },
      only: { type: 'string' },
      times: { type: 'string', default: '1' },
      parallel: { type: 'string', default: '3' },
    },
  });
  const [times, parallel] = [values.times, values.parallel].map(Number);
  if (
    !['unit', 'rest', 'fast', undefined].includes(values.only) ||
    ![times, parallel].every((n) => Number.isInteger(n) && n > 0)
  )
    throw new Error(
      'Usage: node scripts/test.mjs [--all | --only unit|rest|fast] [--times N] [--parallel N] [FILE...]',
    );
  return { ...values, times, parallel, named: positionals };
}

/** Divides files into those of one process each. */
function groupFiles(names) {
  const groups = [];
  for (const name of names) {
    const size = sharesOf(name);
    const open = size > 1 && groups.find((group) => group.size === size && group.names.length < size);
    if (open) open.names.push(name);
    else groups.push({ size, names: [name] });
  }
  return groups.map((group) => group.names);
}

/** The compiled tests that an argument names: one, or all of a folder. Refuses what is not there, with the command that helps. */
function findNamed(path) {
  const refuse = (problem) => {
    console.error(problem);
    process.exit(1);
  };
  if (/^test\/.*\.ts$/.test(path))
    refuse(`${path} is not compiled. Name ${join('dist', path.replace(/\.ts$/, '.js'))}`);
  if (!existsSync(path)) refuse(`There is no ${path}. Compile first: npm run compile tsconfig.json`);
  if (!statSync(path).isDirectory()) return [path];
  const found = readdirSync(path, { recursive: true }).filter((name) => name.endsWith('.test.js'));
  if (found.length === 0) refuse(`No compiled test is in ${path}. Compile first: npm run compile tsconfig.json`);
  return found.sort().map((name) => join(path, name));
}

/** The processes to start, each with its files and weight. Named files count for all, so that they run one after the other. */
function plan({ all, only, times, parallel, named }) {
  if (named.length > 0) {
    const files = named.flatMap(findNamed);
    return Array.from({ length: times }, () => files.map((file) => ({ files: [file], weight: parallel }))).flat();
  }
  const found = readdirSync(root, { recursive: true }).filter((name) => name.endsWith('.test.js'));
  const isFast = createIsFast();
  const asked = found.filter((name) => {
    if (only === 'fast') return isUnit(name) && isFast(join(root, name));
    if (only !== undefined) return isUnit(name) === (only === 'unit');
    return all || !isLong(name);
  });
  const rows = weights.map((row, rank) => ({ ...row, names: asked.filter((name) => rankOf(name) === rank).sort() }));
  const placed = rows.flatMap(({ weight, measures = false, phase, names }) =>
    groupFiles(names).map((group, n, groups) => ({
      files: group.map((name) => join(root, name)),
      weight: Math.min(parallel, weight),
      measures,
      place: phase + n / groups.length,
    })),
  );
  return placed.sort((a, b) => a.place - b.place);
}

/** Running processes; stopping the run stops them. */
const children = new Set();
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    for (const child of children) child.kill(signal);
    process.exit(1);
  });

/** Seconds of processor that a process, and those that it saw end, took until now. null: it has gone, or the system does not say. */
function readProcessorSeconds(pid) {
  try {
    // After the name, which may hold spaces; the times are the 12th to the 15th of these fields, in hundredths of a second.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
  } catch {
    return null;
  }
}

/** Runs files to their end. Their output comes whole, so that processes side by side do not mix. */
function run(files) {
  const startedAt = Date.now();
  const program = files.length === 1 ? files : ['scripts/test-files.mjs', ...files];
  const child = spawn(process.execPath, [...nodeFlags, ...program], {
    env: {
      TAP_TIMEOUT: String(secondsOfATest * files.length),
      NODE_COMPILE_CACHE: compileCache,
      TMPDIR: temporary,
      ...process.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const timer = setTimeout(() => child.kill('SIGKILL'), fileMsMax);
  let processorSeconds = 0;
  const sampling = setInterval(() => {
    processorSeconds = readProcessorSeconds(child.pid) ?? processorSeconds;
  }, 500);
  const chunks = { stdout: [], stderr: [] };
  for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => chunks[name].push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      clearInterval(sampling);
      children.delete(child);
      const [output, errors] = ['stdout', 'stderr'].map((name) => Buffer.concat(chunks[name]).toString());
      resolve({
        files,
        code,
        signal,
        output,
        errors,
        ms: Date.now() - startedAt,
        processorSeconds,
        ...countChecks(output),
      });
    });
  });
}

/** Reads the counts of the last line, `# { total: 4, pass: 4 }`. A process that ended without that line has failed. */
function countChecks(output) {
  const line = /^# \{ (total: \d+.*) \}$/m.exec(output)?.[1];
  const counted = Object.fromEntries((line ?? '').split(', ').map((pair) => pair.split(': ')));
  return { isComplete: line !== undefined, pass: Number(counted.pass ?? 0), fail: Number(counted.fail ?? 0) };
}

const hasPassed = ({ code, isComplete }) => code === 0 && isComplete;

/** The failed checks of a file with their diagnostics; its last lines if it broke off without one. */
function describeFailure({ output, errors }) {
  const lines = output.split('\n');
  const shown = new Set();
  lines.forEach((line, index) => {
    if (/^ *not ok /.test(line)) for (let at = index; at < index + 40 && at < lines.length; at += 1) shown.add(at);
  });
  const failed = shown.size > 0 ? lines.filter((_, index) => shown.has(index)) : lines.slice(-60);
  return [...failed.slice(0, 200), ...errors.split('\n').slice(-30)].map((line) => `    ${line}`).join('\n');
}

/** Returns how much of the processors' time was in use since it was asked last, from 0 to 1. */
function createBusyMeter() {
  const read = () => {
    const times = cpus().map((cpu) => cpu.times);
    const idle = times.reduce((sum, each) => sum + each.idle, 0);
    return { idle, all: times.flatMap((each) => Object.values(each)).reduce((sum, ms) => sum + ms, 0) };
  };
  let before = read();
  return () => {
    const now = read();
    const [idle, all] = [now.idle - before.idle, now.all - before.all];
    before = now;
    return all === 0 ? 1 : 1 - idle / all;
  };
}

/** Starts processes in order: the first that fits next to those that run, and one more each second in which the processors were idle. Calls `onEnd` with each result. */
function runAll(processes, parallel, onStart, onEnd) {
  const waiting = [...processes];
  const running = new Set();
  const weightOf = (set) => [...set].reduce((sum, { weight }) => sum + weight, 0);
  const busy = createBusyMeter();
  return new Promise((resolve, reject) => {
    const start = (place = 0) => {
      const [next] = waiting.splice(place, 1);
      running.add(next);
      onStart(next.files);
      run(next.files).then((result) => {
        running.delete(next);
        onEnd(result);
        startNext();
      }, reject);
    };
    /** Light ones do not take the room that a heavy one at the head waits for, unless another heavy one has it. */
    const isHeavy = ({ weight }) => weight > 1;
    const isHeld = () => waiting.some(isHeavy) && ![...running].some(isHeavy);
    const findFitting = () =>
      (isHeld() ? waiting.slice(0, 1) : waiting).findIndex(({ weight }) => weightOf(running) + weight <= parallel);
    const startNext = () => {
      for (let place = findFitting(); place !== -1; place = findFitting()) start(place);
      if (running.size === 0) {
        clearInterval(timer);
        resolve();
      }
    };
    const mayAdd = () => !isHeld() && [...running].every(({ measures }) => !measures) && running.size < 2 * parallel;
    const timer = setInterval(() => {
      if (busy() >= idleBelow || !mayAdd()) return;
      const light = waiting.findIndex(({ weight }) => weight === 1);
      if (light !== -1) start(light);
    }, 1_000);
    startNext();
  });
}

const minutes = (ms) => `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1_000) % 60).padStart(2, '0')}`;

const nameOf = ([file, ...more]) => (more.length === 0 ? file : `${file} and the next ${more.length}`);
const countFiles = (rows) => rows.reduce((sum, { files }) => sum + files.length, 0);

/** The files of a process with their seconds of processor, by the lines of `test-files.mjs` where there are several. */
function busyFiles({ files, output, processorSeconds }) {
  if (files.length === 1) return [{ file: files[0], seconds: processorSeconds }];
  return [...output.matchAll(/^# (\S+) took ([\d.]+) s of processor$/gm)].map(([, file, seconds]) => ({
    file,
    seconds: Number(seconds),
  }));
}

function summarize(results, { all, only, named }) {
  const isShort = !all && only === undefined && named.length === 0;
  const leftOut = results.flatMap(({ output }) =>
    [...output.matchAll(/# Left out: (.+)|^ *ok .*# SKIP (.+)$/gm)].map(([, left, skipped]) => left ?? skipped),
  );
  const reasons = [...new Set(leftOut), ...(isShort ? ['benches and other long tests: npm test -- --all'] : [])];
  if (reasons.length > 0) console.log(`\nLeft out:\n${reasons.map((reason) => `  ${reason}`).join('\n')}`);
  const busiest = results
    .flatMap(busyFiles)
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, busiestShown);
  console.log(
    `\nBusiest files, seconds of processor:\n${busiest.map(({ file, seconds }) => `  ${Math.round(seconds)} ${file}`).join('\n')}`,
  );
  const failed = results.filter((result) => !hasPassed(result));
  if (failed.length > 0) console.log(`\nFailed files:\n${failed.map(({ files }) => `  ${nameOf(files)}`).join('\n')}`);
  const sum = (name, from) => from.reduce((total, result) => total + result[name], 0);
  // A file that broke off, or failed without a failed check, counts as one.
  const broken = failed.filter(({ fail }) => fail === 0).length;
  console.log(`\n${sum('pass', results)} passed, ${sum('fail', failed) + broken} failed`);
  return failed.length === 0;
}

async function main() {
  const options = readOptions();
  const processes = plan(options);
  const isVerbose = options.named.length > 0 && options.times === 1;
  const [results, running, startedAt] = [[], new Set(), Date.now()];
  const busy = createBusyMeter();
  const progress = setInterval(() => {
    const failed = results.filter((result) => !hasPassed(result)).length;
    const done = `${minutes(Date.now() - startedAt)} ${countFiles(results)} of ${countFiles(processes)} files, ${failed} failed`;
    console.log(`${done}; processors ${Math.round(100 * busy())}% busy; now ${[...running].join(' ')}`);
  }, 60_000);
  const onEnd = (result) => {
    running.delete(nameOf(result.files));
    results.push(result);
    if (isVerbose) process.stdout.write(result.output + result.errors);
    if (!hasPassed(result))
      console.log(
        `not ok ${nameOf(result.files)} ${result.ms} ms, exit ${result.code ?? result.signal}\n${isVerbose ? '' : describeFailure(result)}`,
      );
  };
  await runAll(processes, options.parallel, (files) => running.add(nameOf(files)), onEnd);
  clearInterval(progress);
  process.exitCode = summarize(results, options) ? 0 : 1;
}

await main();
