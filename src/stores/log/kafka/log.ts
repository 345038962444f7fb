/**
 * The log on Kafka.
 *
 * Opening creates the topics that are missing and connects the producer, and waits a few seconds for both. While Kafka is away, at the start
 * as well as later, appends reject with StoreUnavailable, readers wait, and connecting is retried in the background.
 */
import { storeUnavailable } from '../../../errors.js';
import { settleWithin } from '../../settle-within.js';
import { createTopicWriters } from '../group-commit.js';
import { createKafkaClient, type KafkaClient, type KafkaConnection } from './client.js';
import { startKafkaConsumer } from './consumer.js';
import { startKafkaProducer } from './producer.js';
import { startReplicaRounds } from './replica-rounds.js';
import { createTopics, createWatch } from './topics.js';
import type { OnDataLoss } from '../data-loss.js';
import { topics, type Consumer, type Log, type PartitionProgress, type Topic } from '../port.js';

export interface KafkaLogOptions extends KafkaConnection {
  readonly now?: () => number;
  /** Goes before the names of topics and groups. */
  readonly prefix?: string;
  /** Of topics that are created; more of them let more members of a group share the work. */
  readonly partitions?: number;
  /** How long created topics keep their entries, in milliseconds. */
  readonly retentionMs?: number;
  /** Called when entries were deleted before a group read them. */
  readonly onDataLoss?: OnDataLoss;
  /** Told from time to time how many replicas topics lack that were made while brokers were away. */
  readonly onMissingReplicas?: (replicas: number) => void;
  /** Longest wait of an append. */
  readonly appendDeadlineMs?: number;
  /** How long a reader that vanished keeps its share of a group. */
  readonly sessionTimeoutMs?: number;
  /** How long opening waits for Kafka before it goes on without. */
  readonly openWaitMs?: number;
}

const store = 'kafka';
const defaults = {
  now: () => performance.now(),
  prefix: 'verifyhuman.',
  partitions: 6,
  retentionMs: 14 * 86_400_000,
  onDataLoss: () => undefined,
  onMissingReplicas: () => undefined,
  appendDeadlineMs: 2_000,
  sessionTimeoutMs: 10_000,
  openWaitMs: 5_000,
};
/** The write ends before the append that waits for it gives up, so that its reason is told. */
const sendShare = 0.9;
const writeBytesMax = 786_432;
const waitingBytesMax = 67_108_864;

/** Resolves when the log is open, or after `openWaitMs` all the same. */
export async function openKafkaLog(options: KafkaLogOptions): Promise<Log> {
  const { now, prefix, partitions, retentionMs, onDataLoss, appendDeadlineMs, sessionTimeoutMs, logger, ...rest } = {
    ...defaults,
    ...options,
  };
  const createClient = (): KafkaClient => createKafkaClient(options);
  const nameOf = (topic: Topic): string => `${prefix}${topic}`;
  const topicNames = topics.map(nameOf);
  const producer = startKafkaProducer({
    ...{ createClient, logger, deadlineMs: appendDeadlineMs * sendShare },
    prepare: (kafka) => createTopics(kafka.admin(), { names: topicNames, partitions, retentionMs, logger }),
  });
  const watch = createWatch(createClient);
  const consumers = new Set<Consumer>();
  let isClosed = false;
  const replicas = producer.opened.then(() =>
    isClosed ? null : startReplicaRounds({ createClient, logger, topicNames, tellMissing: rest.onMissingReplicas }),
  );
  await settleWithin(producer.opened, rest.openWaitMs, store).catch(() => undefined);

  const writers = createTopicWriters({
    ...{ store, deadlineMs: appendDeadlineMs, writeBytesMax, waitingBytesMax },
    write: (topic, entries) => producer.send(nameOf(topic), entries),
  });
  const requireOpen = (): void => {
    if (isClosed) throw storeUnavailable(`${store}: closed`);
  };

  return {
    append: async (topic, entries) => {
      requireOpen();
      producer.requireReady();
      await writers[topic].append(entries);
    },
    subscribe: async (subscription) => {
      requireOpen();
      const topicName = nameOf(subscription.topic);
      const groupId = `${topicName}.${subscription.group}`;
      const readProgress = (): Promise<readonly PartitionProgress[]> => watch.progress(topicName, groupId);
      const consumer = startKafkaConsumer(
        {
          ...{ createClient, opened: producer.opened, readProgress, onDataLoss },
          ...{ now, logger, topicName, groupId, sessionTimeoutMs },
        },
        subscription,
      );
      consumers.add(consumer);
      const stop = async (): Promise<void> => {
        consumers.delete(consumer);
        await consumer.stop();
      };
      return { tickAgeMs: () => consumer.tickAgeMs(), stop };
    },
    progress: async (topic, group) => {
      requireOpen();
      return watch.progress(nameOf(topic), `${nameOf(topic)}.${group}`);
    },
    ping: async () => {
      requireOpen();
      producer.requireReady();
      await watch.check(topicNames);
    },
    close: async () => {
      isClosed = true;
      void replicas.then((rounds) => rounds?.stop());
      await Promise.all(Object.values(writers).map((writer) => writer.drain()));
      await Promise.all([...consumers].map((consumer) => consumer.stop()));
      await producer.close();
      watch.close();
    },
  };
}
