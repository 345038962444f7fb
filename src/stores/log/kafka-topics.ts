/** Topics of the Kafka log: made where they are missing, never changed where they exist. And a check that the cluster answers. */
import type { Admin, Kafka } from 'kafkajs';
import { storeUnavailable } from '../../errors.js';
import type { Logger } from '../../telemetry/logger.js';
import { pauseAfter } from './wake.js';

export interface TopicsOptions {
  readonly names: readonly string[];
  readonly partitions: number;
  readonly logger: Logger;
}

const triesMax = 8;
const pauseFirstMs = 200;
const pauseMsMax = 3_000;
const replicasMax = 3;

/** Creates missing topics on as many replicas as there are brokers, at most three. Tries for some seconds, since a cluster that just started is not ready at once. */
export async function createTopics(kafka: Kafka, options: TopicsOptions): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await createOnce(kafka, options);
    } catch (error) {
      if (tries >= triesMax) throw storeUnavailable(`kafka: topics could not be created: ${(error as Error).message}`, error);
      options.logger.info({ err: error }, 'Kafka is not ready yet');
      await new Promise((resolve) => setTimeout(resolve, pauseAfter(tries, pauseFirstMs, pauseMsMax)));
    }
  }
}

async function createOnce(kafka: Kafka, { names, partitions, logger }: TopicsOptions): Promise<void> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const existing = new Set(await admin.listTopics());
    const missing = names.filter((name) => !existing.has(name));
    if (missing.length === 0) return;
    const { brokers } = await admin.describeCluster();
    const replicationFactor = Math.min(replicasMax, brokers.length);
    // With three replicas, two of them must have an entry before it counts as durable.
    const configEntries = replicationFactor < replicasMax ? [] : [{ name: 'min.insync.replicas', value: '2' }];
    await admin.createTopics({ topics: missing.map((topic) => ({ topic, numPartitions: partitions, replicationFactor, configEntries })), waitForLeaders: true });
    logger.info({ topics: missing, partitions, replicationFactor }, 'created topics in Kafka');
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

/** Asks the cluster whether it is there, over a connection that is replaced after it failed. */
export function createWatch(kafka: Kafka): { check(): Promise<void>; close(): Promise<void> } {
  let current: Promise<Admin> | null = null;
  const connect = async (): Promise<Admin> => {
    const admin = kafka.admin({ retry: { retries: 0 } });
    await admin.connect();
    return admin;
  };
  const drop = async (): Promise<void> => {
    const dropped = current;
    current = null;
    await dropped?.then((admin) => admin.disconnect()).catch(() => undefined);
  };
  return {
    check: async () => {
      try {
        await (await (current ??= connect())).describeCluster();
      } catch (error) {
        await drop();
        throw storeUnavailable(`kafka: ${(error as Error).message}`, error);
      }
    },
    close: drop,
  };
}
