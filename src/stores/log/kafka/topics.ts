/**
 * Topics of the Kafka log: made where they are missing, with a retention of their own; where they exist, one that keeps its entries for less is warned
 * of. And a check that the cluster answers.
 */
import kafkajs, { type Admin } from 'kafkajs';
import { storeUnavailable } from '../../../errors.js';
import type { Logger } from '../../../telemetry/logger.js';
import { settleWithin } from '../../settle-within.js';
import type { KafkaClient } from './client.js';
import { inSyncEntry, inSyncMin, replicasMax } from './replicas.js';
import type { PartitionProgress } from '../port.js';

export interface TopicsOptions {
  readonly names: readonly string[];
  readonly partitions: number;
  /** How long entries are kept, in milliseconds. */
  readonly retentionMs: number;
  readonly logger: Logger;
}

const checkDeadlineMs = 2_000;

/** Creates missing topics on as many replicas as there are brokers, at most three. */
export async function createTopics(admin: Admin, options: TopicsOptions): Promise<void> {
  const { names, partitions, retentionMs, logger } = options;
  try {
    await admin.connect();
    const existing = new Set(await admin.listTopics());
    const missing = names.filter((name) => !existing.has(name));
    await warnOfShort(
      admin,
      names.filter((name) => existing.has(name)),
      options,
    );
    if (missing.length === 0) return;
    const { brokers } = await admin.describeCluster();
    const replicationFactor = Math.min(replicasMax, brokers.length);
    const configEntries = [
      { name: 'retention.ms', value: String(retentionMs) },
      { name: 'retention.bytes', value: '-1' },
      inSyncEntry(replicationFactor),
    ];
    await admin.createTopics({
      topics: missing.map((topic) => ({ topic, numPartitions: partitions, replicationFactor, configEntries })),
      waitForLeaders: true,
    });
    logger.info({ topics: missing, partitions, replicationFactor, retentionMs }, 'created topics in Kafka');
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

/** A cluster that does not tell its settings is believed to keep enough. */
async function warnOfShort(
  admin: Admin,
  names: readonly string[],
  { retentionMs, logger }: TopicsOptions,
): Promise<void> {
  if (names.length === 0) return;
  const resources = names.map((name) => ({
    type: kafkajs.ConfigResourceTypes.TOPIC,
    name,
    configNames: ['retention.ms'],
  }));
  const told = await admin.describeConfigs({ resources, includeSynonyms: false }).catch(() => ({ resources: [] }));
  const short = told.resources.flatMap(({ resourceName, configEntries }) => {
    const value = Number(configEntries.find(({ configName }) => configName === 'retention.ms')?.configValue ?? -1);
    return value >= 0 && value < retentionMs ? [{ topic: resourceName, retentionMs: value }] : [];
  });
  if (short.length > 0)
    logger.warn(
      { short, wantedMs: retentionMs },
      'topics in Kafka keep their entries for less than KAFKA_RETENTION_DAYS: consumers that are away for longer lose what they had not read',
    );
}

interface Connection {
  readonly connected: Promise<Admin>;
  cut(): void;
}

export interface Watch {
  /** Rejects where the cluster is away, or a partition of these topics has no leader or too few replicas to take a write. */
  check(topicNames: readonly string[]): Promise<void>;
  /** How far a group has read a topic, by their names in Kafka. */
  progress(topicName: string, groupId: string): Promise<readonly PartitionProgress[]>;
  close(): void;
}

/** Asks the cluster, over a connection that is replaced after it failed: whether it is there, and how far its readers are. */
export function createWatch(createClient: () => KafkaClient): Watch {
  let current: Connection | null = null;
  const connect = (): Connection => {
    const { kafka, cut } = createClient();
    const admin = kafka.admin({ retry: { retries: 0 } });
    return { connected: admin.connect().then(() => admin), cut };
  };
  const ask = async <T>(question: (admin: Admin) => Promise<T>): Promise<T> => {
    const asked = (current ??= connect());
    try {
      return await settleWithin(asked.connected.then(question), checkDeadlineMs, 'kafka');
    } catch (error) {
      asked.cut();
      if (current === asked) current = null;
      throw storeUnavailable(`kafka: ${(error as Error).message}`, error);
    }
  };
  return {
    check: (topicNames) => ask((admin) => requireWritable(admin, topicNames)),
    progress: (topicName, groupId) => ask((admin) => readProgress(admin, topicName, groupId)),
    close: () => current?.cut(),
  };
}

/** An append waits for as many replicas as `createTopics` asks for. */
async function requireWritable(admin: Admin, topicNames: readonly string[]): Promise<void> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [...topicNames] });
  for (const { name, partitions } of topics)
    for (const { partitionId, leader, replicas, isr } of partitions) {
      if (leader < 0) throw new Error(`partition ${partitionId} of ${name} has no leader`);
      if (replicas.length >= replicasMax && isr.length < inSyncMin)
        throw new Error(`partition ${partitionId} of ${name} has ${isr.length} of ${inSyncMin} replicas in sync`);
    }
}

async function readProgress(admin: Admin, topicName: string, groupId: string): Promise<readonly PartitionProgress[]> {
  const [read] = await admin.fetchOffsets({ groupId, topics: [topicName] });
  const committed = new Map(read?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
  // Asked for last: an entry that is read in between is then not taken for one beyond the end.
  return (await admin.fetchTopicOffsets(topicName)).map(({ partition, low, high }) => {
    const next = committed.get(partition) ?? -1;
    return { partition, start: Number(low), next: next < 0 ? Number(low) : next, end: Number(high) };
  });
}
