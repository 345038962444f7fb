// The stack from the system's packages: postgresql 15 or later, redis-server 7, and a Kafka broker from Maven's jars. See stack.mjs.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createKafka } from './stack-kafka.mjs';
import { createPostgres } from './stack-postgres.mjs';
import { commandLineOf } from './stack-process.mjs';
import { createRedis } from './stack-redis.mjs';

const startDeadlineMs = 60_000;
const stopDeadlineMs = 30_000;
const creators = { postgres: createPostgres, redis: createRedis, kafka: createKafka };

export function createNativeEngine({ root, directory, name: stackName, ports, pids, secrets }) {
  // A stack of a test lives for seconds: what starts soon is better there than what runs fast.
  const isBrief = stackName.startsWith('test-');
  const service = (name) =>
    creators[name]({ root, directory: join(directory, name), port: ports[name], secrets, isBrief });
  const isAlive = (name) => pids[name] !== undefined && isOurs(pids[name], service(name).mark);

  const signal = async (name, signalName) => {
    if (!isAlive(name)) return;
    process.kill(pids[name], signalName);
    if (signalName === 'SIGSTOP' || signalName === 'SIGCONT')
      return childrenOf(pids[name]).forEach((pid) => signalOne(pid, signalName));
    await until(() => !isAlive(name), stopDeadlineMs, `${name} did not end; its pid is ${pids[name]}`);
    delete pids[name];
  };
  const isRunning = async (name) => isAlive(name) && (await answers(ports[name]));

  return {
    isRunning,
    start: async (name) => {
      if (isAlive(name)) return;
      if (await answers(ports[name]))
        throw new Error(`Port ${ports[name]} for ${name} is taken by another program. Stop it, or give --port-offset.`);
      const { start, log } = service(name);
      pids[name] = await start();
      await until(
        async () => {
          if (!isAlive(name)) throw new Error(`${name} ended while starting. Its log is ${log}:\n${tailOf(log)}`);
          return answers(ports[name]);
        },
        startDeadlineMs,
        `${name} does not answer on port ${ports[name]}. Its log is ${log}`,
      );
    },
    // PostgreSQL takes SIGINT for a fast shutdown; SIGTERM would wait for its clients.
    stop: (name) => signal(name, name === 'postgres' ? 'SIGINT' : 'SIGTERM'),
    // PostgreSQL's children outlive its SIGKILL for a while; SIGQUIT ends them all at once, without a checkpoint.
    kill: (name) => signal(name, name === 'postgres' ? 'SIGQUIT' : 'SIGKILL'),
    pause: (name) => signal(name, 'SIGSTOP'),
    resume: (name) => signal(name, 'SIGCONT'),
    remove: async (name) => {
      await signal(name, 'SIGCONT');
      await signal(name, name === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
      rmSync(join(directory, name), { recursive: true, force: true });
    },
  };
}

/** PostgreSQL answers over connections that are open through its children. */
function childrenOf(pid) {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return (stdout ?? '')
    .split('\n')
    .map(Number)
    .filter((child) => child > 0);
}

/** A child may have ended since it was listed. */
function signalOne(pid, signalName) {
  try {
    process.kill(pid, signalName);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Whether the pid still belongs to what was started: its command line carries the mark. */
const isOurs = (pid, mark) => commandLineOf(pid).includes(mark);

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (isOpen) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(1_000, () => settle(false));
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}

async function until(condition, deadlineMs, complaint) {
  const endMs = Date.now() + deadlineMs;
  while (!(await condition())) {
    if (Date.now() > endMs) throw new Error(complaint);
    await delay(100);
  }
}

function tailOf(file) {
  try {
    return readFileSync(file, 'utf8').slice(-2_000);
  } catch {
    return '(no log)';
  }
}
