// A Kafka broker that is its own controller, run from the jars that deploy/stack/kafka/pom.xml names. See stack-native.mjs.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Compiles little and collects in one thread, which spares half of the CPU of a start. */
const quickStart = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

export function createKafka({ root, directory, port, secrets, isBrief }) {
  const version = process.env.STACK_KAFKA_VERSION;
  const libs = join(root, '.stack', version === undefined ? 'libs' : `libs-${version}`);
  const config = join(directory, 'server.properties');
  const log = join(directory, 'kafka.log');
  return {
    log,
    mark: config,
    start: async () => {
      fetchJars(root, libs, version);
      mkdirSync(directory, { recursive: true });
      writeFileSync(config, properties(join(directory, 'data'), port, secrets));
      if (!existsSync(join(directory, 'data', 'meta.properties'))) {
        const id = `A${randomBytes(16).toString('base64url').slice(1, 22)}`;
        java(libs, ['kafka.tools.StorageTool', 'format', '-t', id, '-c', config]);
      }
      const output = openSync(log, 'a');
      const child = spawn(
        'java',
        [
          ...(isBrief ? quickStart : []),
          '-Xmx512m',
          '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
          '-cp',
          join(libs, '*'),
          'kafka.Kafka',
          config,
        ],
        { detached: true, stdio: ['ignore', output, output] },
      );
      await new Promise((resolve, reject) => {
        child.once('spawn', resolve);
        child.once('error', reject);
      });
      child.unref();
      return child.pid;
    },
  };
}

/** Fetched once, then kept for all stacks of this checkout. Without a version, that of the file. */
function fetchJars(root, libs, version) {
  if (existsSync(libs) && readdirSync(libs).some((name) => name.startsWith('kafka_2.13-'))) return;
  const args = [
    '-q',
    '-B',
    '-f',
    join(root, 'deploy/stack/kafka/pom.xml'),
    'dependency:copy-dependencies',
    '-DincludeScope=runtime',
    `-DoutputDirectory=${libs}`,
    ...(version === undefined ? [] : [`-Dkafka.version=${version}`]),
  ];
  const { status, error } = spawnSync('mvn', args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0)
    throw new Error(
      `Kafka’s jars could not be fetched with Maven (apt-get install maven): ${error?.message ?? `mvn ended with ${status}`}`,
    );
}

function java(libs, args) {
  const { status, stdout, stderr, error } = spawnSync(
    'java',
    [...quickStart, '-Dorg.slf4j.simpleLogger.defaultLogLevel=error', '-cp', join(libs, '*'), ...args],
    { encoding: 'utf8' },
  );
  if (status !== 0)
    throw new Error(
      `Java 17 or later is needed for Kafka (apt-get install default-jre-headless): ${error?.message ?? stderr}`,
    );
  return stdout;
}

function properties(data, port, secrets) {
  const listener = secrets === null ? 'PLAINTEXT' : 'SASL_SSL';
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${port + 1}
listeners=${listener}://127.0.0.1:${port},CONTROLLER://127.0.0.1:${port + 1}
advertised.listeners=${listener}://127.0.0.1:${port}
controller.listener.names=CONTROLLER
inter.broker.listener.name=${listener}
listener.security.protocol.map=${listener}:${listener},CONTROLLER:PLAINTEXT
log.dirs=${data}
auto.create.topics.enable=false
num.partitions=6
offsets.topic.num.partitions=10
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=500
${secrets === null ? '' : secureProperties(secrets)}`;
}

function secureProperties({ both, certificate, username, password }) {
  return `ssl.keystore.type=PEM
ssl.keystore.location=${both}
ssl.truststore.type=PEM
ssl.truststore.location=${certificate}
sasl.enabled.mechanisms=PLAIN
sasl.mechanism.inter.broker.protocol=PLAIN
listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="${username}" password="${password}" user_${username}="${password}";
`;
}
