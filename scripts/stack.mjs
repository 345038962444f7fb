// Real PostgreSQL, Redis and Kafka for development and tests, on ports of their own, below .stack/.
//
//   node scripts/stack.mjs start|stop|kill|pause|resume|remove|status [postgres] [redis] [kafka] [--name NAME] [--port-offset N] [--secure] [--native]
//
// `start` is idempotent and writes addresses and pids to .stack/stack.json (or .stack/NAME/stack.json). `stop` keeps the data, `remove`
// deletes it. A name of its own gives a separate stack, for tests that stop and kill; give it a port offset too. Where a Docker engine
// answers, the stores run in containers; otherwise from the system's packages. Only processes started here are ever ended. `start --secure`
// has them speak TLS only, and asks for a password (never in containers). `start --native` starts none in containers.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDockerEngine, dockerAnswers } from './stack-docker.mjs';
import { createNativeEngine } from './stack-native.mjs';
import { makeSecrets } from './stack-secrets.mjs';

const root = join(import.meta.dirname, '..');
// Below the range from which the system takes ports for outgoing connections: a client that keeps trying to reach a stopped store
// could otherwise be given that very port, connect to itself, and keep the store from coming back.
const basePorts = { postgres: 25432, redis: 26379, kafka: 29092 };
const commands = {
  start: 'start what does not run; writes addresses and pids to .stack/stack.json',
  stop: 'stop, and keep the data',
  kill: 'end at once, as a crash would, and keep the data',
  pause: 'freeze the processes',
  resume: 'continue paused processes',
  remove: 'stop, and delete the data',
  status: 'say what runs',
};
const usage = `Usage: npm run stack -- COMMAND [${Object.keys(basePorts).join('] [')}] [--name NAME] [--port-offset N] [--secure] [--native]`;
const help = `${usage}

Commands, for the named stores or all of them:
${Object.entries(commands)
  .map(([command, text]) => `  ${command.padEnd(8)} ${text}`)
  .join('\n')}

Options:
  --name NAME       a separate stack, for tests that stop and kill
  --port-offset N   added to the ports ${Object.values(basePorts).join(', ')}
  --secure          TLS alone and a password; with start
  --native          no containers; with start`;

function readCommand() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      'port-offset': { type: 'string', default: '0' },
      secure: { type: 'boolean', default: false },
      native: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(help);
    process.exit(0);
  }
  const [command, ...named] = positionals;
  const services = named.length > 0 ? named : Object.keys(basePorts);
  const offset = Number(values['port-offset']);
  const isWrong =
    !Object.hasOwn(commands, command ?? '') ||
    services.some((service) => !(service in basePorts)) ||
    !Number.isInteger(offset) ||
    !/^[a-z0-9-]*$/.test(values.name ?? '');
  if (isWrong) throw new Error(`${usage}\nCommands: ${Object.keys(commands).join(', ')}.`);
  return {
    command,
    services,
    name: values.name ?? 'default',
    isDefault: values.name === undefined,
    offset,
    isSecure: values.secure,
    isNative: values.native || values.secure,
  };
}

function readState(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

function describe({ ports, pids, kind, running, secrets }) {
  const tls = secrets === null ? '' : `?sslmode=verify-full&sslrootcert=${secrets.certificate}`;
  return {
    engine: kind,
    running: [...running],
    databaseUrl: `postgres://postgres@127.0.0.1:${ports.postgres}/postgres${tls}`,
    redisUrl:
      secrets === null ? `redis://127.0.0.1:${ports.redis}` : `rediss://:${secrets.password}@127.0.0.1:${ports.redis}`,
    kafkaBrokers: `127.0.0.1:${ports.kafka}`,
    ports,
    pids,
    secrets,
  };
}

async function main() {
  const { command, services, name, isDefault, offset, isSecure, isNative } = readCommand();
  const directory = join(root, '.stack', name);
  const file = isDefault ? join(root, '.stack', 'stack.json') : join(directory, 'stack.json');
  const before = readState(file);
  const ports =
    before?.ports ?? Object.fromEntries(Object.entries(basePorts).map(([service, port]) => [service, port + offset]));
  const kind = before?.engine ?? (!isNative && dockerAnswers() ? 'docker' : 'native');
  const pids = { ...before?.pids };
  const running = new Set(before?.running);
  const secrets = before?.secrets ?? (isSecure ? makeSecrets(join(directory, 'secrets')) : null);
  const save = () =>
    writeFileSync(file, `${JSON.stringify(describe({ ports, pids, kind, running, secrets }), null, 2)}\n`);
  const options = { root, directory, name, ports, pids, secrets };
  const engine = kind === 'docker' ? createDockerEngine(options) : createNativeEngine(options);

  if (command === 'start') {
    mkdirSync(directory, { recursive: true });
    for (const service of services) {
      await engine.start(service);
      running.add(service);
      // Written at once: what has been started can be stopped even when the next one fails.
      save();
    }
  } else if (command !== 'status') {
    if (before === null) return console.log('Nothing was started here.');
    for (const service of services) {
      await engine[command](service);
      if (!['pause', 'resume'].includes(command)) running.delete(service);
    }
    save();
    if (command === 'remove' && services.length === Object.keys(basePorts).length) {
      rmSync(directory, { recursive: true, force: true });
      rmSync(file, { force: true });
    }
  }
  for (const service of services)
    console.log(
      `${service.padEnd(9)} 127.0.0.1:${ports[service]} ${(await engine.isRunning(service)) ? 'running' : 'not running'}`,
    );
}

await main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
