/**
 * Replicas that topics of the log got too few of, because brokers were away when they were made: added once there are brokers for them.
 *
 *   made with too few, and marked ──a round finds more brokers──▶ some partitions get replicas ──none is short──▶ writes need two in sync, and the mark goes
 *
 * The mark is `min.insync.replicas` 1, set on the topic itself: in one step with its making, and seen by every process. Topics without it have the
 * replicas that their maker wanted, and are left alone. Processes that come at once work out the same plan, and asked for twice it is carried out once.
 */
import kafkajs, { type Admin } from 'kafkajs';
import type { Logger } from '../../../telemetry/logger.js';
import { createKafkaAdmin, type KafkaAdmin, type KafkaClient } from './client.js';

/** Replicas of a topic where there are brokers enough. */
export const replicasMax = 3;
/** With that many replicas, this many must have an entry before it counts as durable. */
export const inSyncMin = 2;
/** Limits the copies of one round; a later round does the rest. */
const partitionsMax = 6;
const inSyncName = 'min.insync.replicas';
/** Kafka’s code for a setting of the topic itself, as opposed to one of its broker. */
const ofTopic = 1;

export interface PartitionReplicas {
  readonly topic: string;
  readonly partition: number;
  /** Ids of brokers, the preferred leader first. */
  readonly replicas: readonly number[];
}

/** Settings of a topic that is being made with so many replicas: how many must have a write, or the mark. */
export const inSyncEntry = (replicationFactor: number): { name: string; value: string } => ({
  name: inSyncName,
  value: String(replicationFactor < replicasMax ? 1 : inSyncMin),
});

/** How many replicas these partitions lack against as many as the brokers could hold, at most three each. */
export function countMissing(partitions: readonly PartitionReplicas[], brokers: readonly number[]): number {
  const wanted = Math.min(replicasMax, brokers.length);
  return partitions.reduce((sum, { replicas }) => sum + Math.max(0, wanted - replicas.length), 0);
}

/** Plans replicas for partitions that lack them: on the brokers with the fewest, some partitions at a time, none with a replica away. */
export function planReplicas(
  partitions: readonly PartitionReplicas[],
  brokers: readonly number[],
): readonly PartitionReplicas[] {
  const wanted = Math.min(replicasMax, brokers.length);
  const load = new Map(brokers.map((broker) => [broker, 0]));
  const add = (broker: number): unknown => load.set(broker, (load.get(broker) ?? 0) + 1);
  for (const { replicas } of partitions) replicas.forEach(add);
  return partitions
    .filter(({ replicas }) => replicas.length < wanted && replicas.every((broker) => brokers.includes(broker)))
    .sort((a, b) => a.topic.localeCompare(b.topic) || a.partition - b.partition)
    .slice(0, partitionsMax)
    .map(({ topic, partition, replicas }) => {
      const added = brokers
        .filter((broker) => !replicas.includes(broker))
        .sort((a, b) => (load.get(a) ?? 0) - (load.get(b) ?? 0) || a - b)
        .slice(0, wanted - replicas.length);
      added.forEach(add);
      return { topic, partition, replicas: [...replicas, ...added] };
    });
}

/** One round over topics of these names. Answers how many replicas are missing; those that are being copied are not. */
export async function addReplicas(admin: Admin, names: readonly string[], logger: Logger): Promise<number> {
  const made = await findMarked(admin, names);
  if (made.size === 0) return 0;
  const brokers = (await admin.describeCluster()).brokers.map(({ nodeId }) => nodeId);
  const { topics } = await admin.fetchTopicMetadata({ topics: [...made.keys()] });
  const partitions = topics.flatMap(({ name, partitions: each }) =>
    each.map(({ partitionId, replicas, isr }) => ({ topic: name, partition: partitionId, replicas, isr })),
  );
  const missing = countMissing(partitions, brokers);
  const isCopying = partitions.some(({ replicas, isr }) => isr.length < replicas.length);
  if (isCopying) return missing;
  const plan = planReplicas(partitions, brokers);
  if (plan.length > 0) {
    await reassign(admin, plan);
    logger.warn({ plan, missing }, 'adding missing replicas to partitions that were created while brokers were down');
  }
  for (const { name, partitions: each } of topics)
    if (each.every(({ replicas }) => replicas.length >= replicasMax)) {
      await endMark(admin, name, made.get(name) ?? []);
      logger.info({ topic: name, inSyncMin }, 'a topic has all replicas; writes now need two in sync');
    }
  return missing;
}

/** Has the cluster copy partitions to brokers; it answers before the copies are whole. */
export async function reassign(admin: Admin, plan: readonly PartitionReplicas[]): Promise<void> {
  await admin.alterPartitionReassignments({
    topics: [...new Set(plan.map(({ topic }) => topic))].map((topic) => ({
      topic,
      partitionAssignment: plan
        .filter((each) => each.topic === topic)
        .map(({ partition, replicas }) => ({ partition, replicas: [...replicas] })),
    })),
  });
}

type Entries = readonly { readonly name: string; readonly value: string }[];

/** Topics that bear the mark, with all settings of their own. */
async function findMarked(admin: Admin, names: readonly string[]): Promise<ReadonlyMap<string, Entries>> {
  const { resources } = await admin.describeConfigs({
    resources: names.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
    includeSynonyms: false,
  });
  const own = resources.map(({ resourceName, configEntries }): [string, Entries] => [
    resourceName,
    configEntries
      .filter(({ configSource }) => Number(configSource) === ofTopic)
      .map(({ configName, configValue }) => ({ name: configName, value: configValue })),
  ]);
  return new Map(own.filter(([, entries]) => entries.some(({ name, value }) => name === inSyncName && value === '1')));
}

/** The protocol takes all settings of a topic at once: what is left out would be gone. */
export async function endMark(admin: Admin, name: string, entries: Entries): Promise<void> {
  const configEntries = [
    ...entries.filter((entry) => entry.name !== inSyncName),
    { name: inSyncName, value: String(inSyncMin) },
  ];
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name, configEntries }],
  });
}

export interface ReplicaRoundsDeps {
  /** Resolves once the topics exist. */
  readonly opened: Promise<void>;
  readonly createClient: () => KafkaClient;
  readonly topicNames: readonly string[];
  readonly logger: Logger;
  /** Called after each round with the number of missing replicas. */
  readonly onMissing: (replicas: number) => void;
}

/** Longer than a round may take. */
const roundEveryMs = 60_000;
const roundDeadlineMs = 15_000;

/** Starts when the log opens. Returns a function that stops the rounds without waiting for one. */
export function startReplicaRounds(deps: ReplicaRoundsDeps): () => void {
  const { createClient, topicNames, logger, onMissing } = deps;
  let admin: KafkaAdmin | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const round = async (): Promise<void> => {
    admin = createKafkaAdmin(createClient);
    try {
      onMissing(await admin.request((connected) => addReplicas(connected, topicNames, logger), roundDeadlineMs));
    } catch (error) {
      if (!isStopped) logger.warn({ err: error }, 'checking topic replicas failed; a later round retries');
    } finally {
      admin.close();
    }
  };
  void deps.opened.then(() => {
    if (isStopped) return;
    timer = setInterval(() => void round(), roundEveryMs);
    timer.unref();
    void round();
  });
  return () => {
    isStopped = true;
    clearInterval(timer);
    admin?.close();
  };
}
