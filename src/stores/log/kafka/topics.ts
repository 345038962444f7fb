/** Topics of the log: creates missing ones, warns of those with too short a retention, checks that all take writes, and reads the progress of groups. */
import kafkajs from 'kafkajs';
import type { Admin } from 'kafkajs';
import type { Logger } from '../../../telemetry/logger.js';
import { inSyncEntry, inSyncMin, replicasMax } from './replicas.js';
import type { PartitionProgress } from '../port.js';

/** The name in Kafka of a group that reads the topic of this name. */
export const groupIdOf = (topicName: string, group: string): string => `${topicName}.${group}`;

export interface TopicsOptions {
  readonly names: readonly string[];
  readonly partitions: number;
  /** How long entries are kept, in milliseconds. */
  readonly retentionMs: number;
  readonly logger: Logger;
}

/** Creates missing topics on as many replicas as there are brokers, at most three. */
export async function createTopics(admin: Admin, options: TopicsOptions): Promise<void> {
  const { names, partitions, retentionMs, logger } = options;
  const existing = new Set(await admin.listTopics());
  const missing = names.filter((name) => !existing.has(name));
  await warnOfShortRetention(
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
}

/** Does nothing if the cluster refuses to show its settings. */
async function warnOfShortRetention(
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
  const described = await admin.describeConfigs({ resources, includeSynonyms: false }).catch(() => ({ resources: [] }));
  const short = described.resources.flatMap(({ resourceName, configEntries }) => {
    const value = Number(configEntries.find(({ configName }) => configName === 'retention.ms')?.configValue ?? -1);
    return value >= 0 && value < retentionMs ? [{ topic: resourceName, retentionMs: value }] : [];
  });
  if (short.length > 0)
    logger.warn(
      { short, wantedMs: retentionMs },
      'Kafka topics have a shorter retention than KAFKA_RETENTION_DAYS; consumers can lose unread entries after an outage',
    );
}

/** Rejects if a partition of these topics has no leader, or too few replicas in sync to take a write. */
export async function requireWritable(admin: Admin, topicNames: readonly string[]): Promise<void> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [...topicNames] });
  for (const { name, partitions } of topics)
    for (const { partitionId, leader, replicas, isr } of partitions) {
      if (leader < 0) throw new Error(`partition ${partitionId} of ${name} has no leader`);
      if (replicas.length >= replicasMax && isr.length < inSyncMin)
        throw new Error(`partition ${partitionId} of ${name} has ${isr.length} of ${inSyncMin} replicas in sync`);
    }
}

/** How far a group has read a topic, by their names in Kafka. */
export async function readProgress(
  admin: Admin,
  topicName: string,
  groupId: string,
): Promise<readonly PartitionProgress[]> {
  const [read] = await admin.fetchOffsets({ groupId, topics: [topicName] });
  const committed = new Map(read?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
  // Last, so that entries read in between do not lie beyond the end.
  return (await admin.fetchTopicOffsets(topicName)).map(({ partition, low, high }) => {
    const next = committed.get(partition) ?? -1;
    return { partition, start: Number(low), next: next < 0 ? Number(low) : next, end: Number(high) };
  });
}
