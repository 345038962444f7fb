/**
 * The log on Kafka. Opening creates missing topics, connects the producer, and waits a few seconds for both. While Kafka is away, appends
 * reject with StoreUnavailable, readers wait, and connecting is retried in the background.
 */
import { storeUnavailable } from '../../../errors.js';
import { settleWithin } from '../../notifier.js';
import { createTopicWriters } from '../group-commit.js';
import {
  createKafkaAdmin,
  createKafkaClient,
  type KafkaAdmin,
  type KafkaClient,
  type KafkaConnection,
} from './client.js';
import { startKafkaConsumer } from './consumer.js';
import { startKafkaProducer, type KafkaProducer } from './producer.js';
import { startReplicaRounds } from './replicas.js';
import { createTopics, groupIdOf, readProgress, requireWritable } from './topics.js';
import { type Consumer, type Log, type OnDataLoss, type PartitionProgress, type Topic, topics } from '../port.js';

export interface KafkaLogOptions extends KafkaConnection {
  readonly now?: () => number;
  /** Goes before the names of topics and groups. */
  readonly prefix?: string;
  /** The partitions of created topics; more of them let more members of a group share the work. */
  readonly partitions?: number;
  /** How long created topics keep their entries, in milliseconds. */
  readonly retentionMs?: number;
  /** Called when entries were deleted before a group read them. */
  readonly onDataLoss?: OnDataLoss;
  /** Called once a minute with the number of replicas that topics lack because brokers were away when they were created. */
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
/** The write ends before its append gives up, so that its reason is reported. */
const sendShare = 0.9;
const createTopicsDeadlineMs = 15_000;
const writeBytesMax = 786_432;
const waitingBytesMax = 67_108_864;

/** Resolves when the log is open, or after `openWaitMs` all the same. */
export async function openKafkaLog(options: KafkaLogOptions): Promise<Log> {
  const settings = { ...defaults, ...options };
  const { prefix, partitions, retentionMs, logger } = settings;
  const createClient = (): KafkaClient => createKafkaClient(options);
  const topicNames = topics.map((topic) => `${prefix}${topic}`);
  const admin = createKafkaAdmin(createClient);
  const producer = startKafkaProducer({
    ...{ createClient, logger, deadlineMs: settings.appendDeadlineMs * sendShare },
    prepare: () =>
      admin.request(
        (connected) => createTopics(connected, { names: topicNames, partitions, retentionMs, logger }),
        createTopicsDeadlineMs,
      ),
  });
  const { opened } = producer;
  const onMissing = settings.onMissingReplicas;
  const stopReplicaRounds = startReplicaRounds({ createClient, opened, topicNames, logger, onMissing });
  await settleWithin(opened, settings.openWaitMs, store).catch(() => undefined);
  return createLog(settings, { createClient, admin, producer, stopReplicaRounds });
}

type Settings = KafkaLogOptions & Required<Pick<KafkaLogOptions, keyof typeof defaults>>;

interface Parts {
  readonly createClient: () => KafkaClient;
  readonly admin: KafkaAdmin;
  readonly producer: KafkaProducer;
  readonly stopReplicaRounds: () => void;
}

function createLog(settings: Settings, parts: Parts): Log {
  const { createClient, admin, producer, stopReplicaRounds } = parts;
  const { now, prefix, logger, onDataLoss, sessionTimeoutMs } = settings;
  const nameOf = (topic: Topic): string => `${prefix}${topic}`;
  const consumers = new Set<Consumer>();
  let isClosed = false;
  const writers = createTopicWriters({
    ...{ store, deadlineMs: settings.appendDeadlineMs, writeBytesMax, waitingBytesMax },
    write: (topic, entries) => producer.send(nameOf(topic), entries),
  });
  const requireOpen = (): void => {
    if (isClosed) throw storeUnavailable(`${store}: closed`);
  };
  const progress = (topic: Topic, group: string): Promise<readonly PartitionProgress[]> =>
    admin.request((connected) => readProgress(connected, nameOf(topic), groupIdOf(nameOf(topic), group)));

  return {
    append: async (topic, entries) => {
      requireOpen();
      producer.requireReady();
      await writers[topic].append(entries);
    },
    subscribe: async (subscription) => {
      requireOpen();
      const { topic, group } = subscription;
      const consumer = startKafkaConsumer(
        {
          ...{ createClient, opened: producer.opened, onDataLoss, now, logger, sessionTimeoutMs },
          ...{ topicName: nameOf(topic), groupId: groupIdOf(nameOf(topic), group) },
          readProgress: () => progress(topic, group),
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
      return progress(topic, group);
    },
    ping: async () => {
      requireOpen();
      producer.requireReady();
      await admin.request((connected) => requireWritable(connected, topics.map(nameOf)));
    },
    close: async () => {
      isClosed = true;
      stopReplicaRounds();
      await Promise.all(Object.values(writers).map((writer) => writer.drain()));
      await Promise.all([...consumers].map((consumer) => consumer.stop()));
      await producer.close();
      admin.close();
    },
  };
}
