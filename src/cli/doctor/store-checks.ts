/** Checks of the stores that the settings name: whether they answer, their versions, their set-up and their clocks. Nothing is written. */
import { Cluster } from 'ioredis';
import { knownMasterKey, refuseOtherMasterKeys } from '../../administration/master-keys.js';
import type { Settings } from '../../config/settings.js';
import { countNoun } from '../../contract/plural.js';
import { isUnavailable } from '../../errors.js';
import { createClient } from '../../stores/counters/redis/client.js';
import { findEviction, keepsFile, readField } from '../../stores/counters/redis/server.js';
import { compareWith, readPlan } from '../../stores/database/migration-plan.js';
import { openDatabase } from '../../stores/database/open.js';
import type { Database } from '../../stores/database/port.js';
import { causeOf } from '../../stores/store-report.js';
import { createKafkaClient } from '../../stores/log/kafka/client.js';
import { kafkaConnectionOf } from '../../stores/open.js';
import { createLogger } from '../../telemetry/logger.js';
import { failed, ok, warning, type Finding } from './finding.js';

const deadlineMs = 5_000;
/** Each instance may be as far from a store as the half of what two may differ by before a capture that both serve claims too much time. */
const clockMsMax = { ok: 150, warning: 1_000 } as const;
const [postgresMin, redisMin] = [15, 7];
const replicasMin = 3;
const dayMs = 86_400_000;

/** A store that does not answer is one failed finding. */
async function reach(check: string, work: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await work();
  } catch (error) {
    return [failed(check, `It did not answer: ${isUnavailable(error) ? causeOf(error) : (error as Error).message}`)];
  }
}

export async function checkStores(settings: Settings): Promise<readonly Finding[]> {
  const { DATABASE_URL, REDIS_URL, KAFKA_TOPIC_PREFIX } = settings;
  const kafka = kafkaConnectionOf(settings);
  const checks = [
    ...(DATABASE_URL === null ? [] : [reach('database', () => checkDatabase(settings))]),
    ...(REDIS_URL === null ? [] : [reach('counters', () => checkRedis(REDIS_URL))]),
    ...(kafka === null ? [] : [reach('log', () => checkKafka(kafka, KAFKA_TOPIC_PREFIX))]),
  ];
  return (await Promise.all(checks)).flat();
}

async function checkDatabase(settings: Settings): Promise<readonly Finding[]> {
  const database = await openDatabase({ ...settings, VH_DATABASE_CONNECTIONS: 1 }, createLogger('silent'));
  try {
    const askedMs = Date.now();
    const [row] = await database.query<{ version: number; now: Date }>(
      "SELECT current_setting('server_version_num')::int AS version, clock_timestamp() AS now",
    );
    const clock = compareClock('database', row?.now.getTime() ?? 0, { askedMs, answeredMs: Date.now() });
    const version = Math.floor((row?.version ?? 0) / 10_000);
    return [
      version < postgresMin
        ? failed('database', `PostgreSQL ${version}. Version ${postgresMin} or later is needed.`)
        : ok('database', `PostgreSQL ${version} answers.`),
      clock,
      await checkMigrations(database),
      ...(await checkMasterKey(database, settings)),
    ];
  } finally {
    await database.close();
  }
}

/** Nothing to say before there is a key. */
async function checkMasterKey(database: Database, settings: Settings): Promise<readonly Finding[]> {
  const current = knownMasterKey(settings);
  if (current === null) return [];
  try {
    await refuseOtherMasterKeys(database, { current, kept: settings.VH_MASTER_KEYS_KEPT });
    return [ok('master key', 'The database knows no other.')];
  } catch (error) {
    return [failed('master key', (error as Error).message)];
  }
}

async function checkMigrations(database: Database): Promise<Finding> {
  const { isNew, missing, later } = await compareWith(database, await readPlan());
  if (isNew) return warning('database', 'It has no tables. The first start, or admin migrate, creates them.');
  if (missing > 0)
    return warning(
      'database',
      `${countNoun(missing, 'migration is', 'migrations are')} missing. The next start, or admin migrate, applies them.`,
    );
  return later.length > 0
    ? warning('database', `A newer version has migrated it: ${later.join(', ')}.`)
    : ok('database', 'Its tables are those of this version.');
}

async function checkRedis(url: string): Promise<readonly Finding[]> {
  const client = createClient(url, deadlineMs);
  let cause: Error | null = null;
  client.on('error', (error: Error) => (cause = error));
  try {
    await client.connect().catch((error: unknown) => {
      throw cause ?? error;
    });
    const nodes = client instanceof Cluster ? client.nodes('master') : [client];
    const [first] = nodes;
    if (first === undefined) throw new Error('the cluster has no master');
    const askedMs = Date.now();
    const [infos, [seconds, microseconds]] = await Promise.all([
      Promise.all(nodes.map((node) => node.info())),
      first.time(),
    ]);
    const atMs = 1_000 * Number(seconds) + Number(microseconds) / 1_000;
    const clock = compareClock('counters', atMs, { askedMs, answeredMs: Date.now() });
    const version = readField(infos[0] ?? '', 'redis_version') ?? '';
    const eviction = await findEviction({ describe: async () => infos });
    return [
      Number.parseInt(version, 10) < redisMin
        ? failed('counters', `Redis ${version}. Version ${redisMin} or later is needed.`)
        : ok('counters', `Redis ${version} answers.`),
      eviction === null ? ok('counters', 'It evicts no keys.') : failed('counters', eviction),
      infos.every(keepsFile)
        ? ok('counters', 'It keeps an append-only file.')
        : warning('counters', 'It keeps no append-only file, so each restart rebuilds all counts. Set appendonly yes.'),
      clock,
    ];
  } finally {
    client.disconnect();
  }
}

async function checkKafka(
  connection: NonNullable<ReturnType<typeof kafkaConnectionOf>>,
  prefix: string,
): Promise<readonly Finding[]> {
  const { kafka, cut } = createKafkaClient({ ...connection, logger: createLogger('silent') });
  const admin = kafka.admin();
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    const own = (await admin.listTopics()).filter((name) => name.startsWith(prefix));
    const { topics } = await admin.fetchTopicMetadata({ topics: own });
    const fewest = Math.min(
      replicasMin,
      ...topics.flatMap(({ partitions }) => partitions.map(({ replicas }) => replicas.length)),
    );
    return [
      brokers.length < replicasMin
        ? warning(
            'log',
            `Kafka answers with ${brokers.length} of the ${replicasMin} brokers that are usual. With ${replicasMin}, the loss of one loses nothing.`,
          )
        : ok('log', `Kafka answers with ${brokers.length} brokers.`),
      own.length === 0
        ? warning('log', 'It has no topics yet. The first start creates them.')
        : ok('log', `It has ${own.length} topics.`),
      ...(fewest < Math.min(replicasMin, brokers.length)
        ? [warning('log', `A topic has ${fewest} replicas. The service adds more within minutes.`)]
        : []),
    ];
  } finally {
    cut();
  }
}

/** A store’s time, by the times of this machine between which it was read. */
export function compareClock(
  check: string,
  atMs: number,
  { askedMs, answeredMs }: { readonly askedMs: number; readonly answeredMs: number },
): Finding {
  const apartMs = Math.max(0, askedMs - atMs, atMs - answeredMs);
  if (apartMs <= clockMsMax.ok) return ok(check, 'Its clock agrees with this machine’s.');
  const apart = apartMs > dayMs ? `${Math.round(apartMs / dayMs)} days` : `${(apartMs / 1_000).toFixed(1)} s`;
  const text = `Its clock is ${apart} apart from this machine’s. Run NTP on both.`;
  return apartMs <= clockMsMax.warning ? warning(check, text) : failed(check, text);
}
