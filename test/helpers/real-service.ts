/**
 * Settings of a service on the real stores of a stack: a database, topics and a master key of the test’s own, so that tests share the
 * servers and nothing else. (Counters are told apart by their project.)
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { topics } from '../../src/stores/log/port.js';
import { createDatabase, type Stack } from './stores.js';

export type RealStoreSettings = Readonly<
  Record<'DATABASE_URL' | 'REDIS_URL' | 'KAFKA_BROKERS' | 'KAFKA_TOPIC_PREFIX' | 'VH_MASTER_KEY', string>
>;

/** The environment that several processes of one installation share; each still needs a data directory of its own. */
export async function realStoreSettings(
  t: { teardown(work: () => Promise<void>): unknown },
  stack: Stack,
  others: Partial<Stack> = {},
): Promise<RealStoreSettings> {
  const { databaseUrl, redisUrl, kafkaBrokers } = { ...stack, ...others };
  const prefix = `test-${randomUUID()}.`;
  t.teardown(() => deleteTopics(kafkaBrokers, prefix));
  return {
    DATABASE_URL: await createDatabase(t, { databaseUrl, redisUrl, kafkaBrokers }),
    REDIS_URL: redisUrl,
    KAFKA_BROKERS: kafkaBrokers,
    KAFKA_TOPIC_PREFIX: prefix,
    VH_MASTER_KEY: randomBytes(32).toString('base64'),
  };
}

/** A broker that is gone took its topics along. */
async function deleteTopics(brokers: string, prefix: string): Promise<void> {
  const admin = new Kafka({ brokers: [brokers], logLevel: logLevel.NOTHING, retry: { retries: 0 } }).admin();
  await admin
    .connect()
    .then(() => admin.deleteTopics({ topics: topics.map((topic) => `${prefix}${topic}`) }))
    .catch(() => undefined)
    .then(() => admin.disconnect());
}
