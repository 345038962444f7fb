/** A Kafka of several brokers and a controller apart from them, so that any broker may come late and be killed. From the jars of the stack. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from './ports.js';
import { temporaryDirectory } from './directories.js';
import { repositoryPath } from './repository.js';

type TearDown = { teardown(work: () => Promise<void>): unknown };

export interface KafkaCluster {
  /** The brokers listen here, including one that was not started yet. */
  readonly addresses: readonly string[];
  /** By its id, which counts from 1. */
  startBroker(id: number): void;
  kill(id: number): Promise<void>;
}

const run = promisify(execFile);
const controllerId = 100;
const jars = ['-cp', join(repositoryPath('.stack/libs'), '*')];

/** Starts the controller alone. Every topic that brokers keep for themselves lies on all of them. */
export async function startKafkaCluster(t: TearDown, brokers: number): Promise<KafkaCluster> {
  const directory = temporaryDirectory(t);
  const clusterId = `A${randomBytes(16).toString('base64url').slice(1, 22)}`;
  const [controllerPort = 0, ...ports] = await freePorts(brokers + 1);
  const running = new Map<number, ChildProcess>();
  const fileOf = (id: number): string => join(directory, `${id}.properties`);
  const prepare = async (id: number, lines: readonly string[]): Promise<void> => {
    const own = [
      `node.id=${id}`,
      `log.dirs=${join(directory, String(id))}`,
      `controller.quorum.voters=${controllerId}@127.0.0.1:${controllerPort}`,
      'controller.listener.names=CONTROLLER',
      'listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    ];
    await writeFile(fileOf(id), [...own, ...lines, ''].join('\n'));
    await run('java', [...jars, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', fileOf(id)]);
  };
  await Promise.all([
    prepare(controllerId, [
      'process.roles=controller',
      `listeners=CONTROLLER://127.0.0.1:${controllerPort}`,
      'broker.session.timeout.ms=3000',
    ]),
    ...ports.map((port, at) =>
      prepare(at + 1, [
        'process.roles=broker',
        `listeners=PLAINTEXT://127.0.0.1:${port}`,
        'auto.create.topics.enable=false',
        'offsets.topic.num.partitions=2',
        `offsets.topic.replication.factor=${brokers}`,
        'group.initial.rebalance.delay.ms=0',
        'group.min.session.timeout.ms=500',
        'broker.heartbeat.interval.ms=500',
      ]),
    ),
  ]);
  const start = (id: number): void => {
    const child = spawn('java', ['-Xmx256m', ...jars, 'kafka.Kafka', fileOf(id)], { stdio: 'ignore' });
    running.set(id, child);
  };
  const kill = async (id: number): Promise<void> => {
    const child = running.get(id);
    running.delete(id);
    if (child === undefined || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  t.teardown(async () => void (await Promise.all([...running.keys()].map(kill))));
  start(controllerId);
  return { addresses: ports.map((port) => `127.0.0.1:${port}`), startBroker: start, kill };
}
