/**
 * One membership in a Kafka consumer group, from joining to leaving. Each partition is paused while its batch is handled, so that it
 * delays no other and heartbeats continue. Offsets are stored after the handler resolved. A failed member is replaced, never repaired;
 * kafkajs’s own restarts are off.
 */
import type { Consumer, ConsumerCrashEvent } from 'kafkajs';
import type { Logger } from '../../../telemetry/logger.js';
import type { KafkaClient } from './client.js';
import { createPartitions, type Partitions } from './partitions.js';
import type { OnDataLoss, PartitionProgress, Subscription } from '../port.js';

export interface MemberDeps {
  readonly client: KafkaClient;
  readonly subscription: Subscription;
  /** Names of the topic and the group in Kafka. */
  readonly topicName: string;
  readonly groupId: string;
  /** How long a member may be silent before the group gives its share to others. */
  readonly sessionTimeoutMs: number;
  readonly now: () => number;
  readonly logger: Logger;
  readonly onDataLoss: OnDataLoss;
  /** How far the group has read the topic. */
  readonly readProgress: () => Promise<readonly PartitionProgress[]>;
  /** Called at each sign that kafkajs is at work. */
  readonly onTick: () => void;
}

export interface Member {
  /** Resolves, to the reason, when it joined in vain or kafkajs gave up later. */
  readonly ended: Promise<unknown>;
  /** How long records of its share have been waiting without progress, in milliseconds. */
  waitingMs(): number;
  /** Finishes the batches in hand and leaves the group. */
  leave(): Promise<void>;
  /** Ends it at once, whatever state kafkajs is in: nothing more is committed, and it never comes back to life. */
  cut(): void;
}

/** A paused partition waits at most this long, or its linger, for the fetch under way to end. */
const fetchWaitMsMax = 100;
/** A batch that has filled to this waits no longer. */
const lingerBytes = 262_144;
const heartbeatsPerSession = 5;
const retry = {
  initialRetryTime: 200,
  maxRetryTime: 1_000,
  retries: 3,
  restartOnFailure: () => Promise.resolve(false),
};

/** Joins in the background. */
export function joinGroup(deps: MemberDeps): Member {
  const { client, topicName, onTick } = deps;
  const consumer = createConsumer(deps);
  const { topic, group } = deps.subscription;
  const losses = createDataLossDetector(deps.readProgress, {
    onLost: (entries) => deps.onDataLoss({ topic, group, entries }),
    onUnknown: (error) =>
      deps.logger.warn(
        { err: error, topic: topicName, groupId: deps.groupId },
        'the committed offset is unknown; earlier expired entries cannot be detected',
      ),
  });
  const partitions = createMemberPartitions(deps, consumer);
  const { events } = consumer;
  consumer.on(events.FETCH, onTick);
  consumer.on(events.HEARTBEAT, onTick);
  consumer.on(events.GROUP_JOIN, ({ payload }) => {
    onTick();
    const assigned = payload.memberAssignment[topicName] ?? [];
    partitions.assign(payload.memberId, assigned);
    const share = [{ topic: topicName, partitions: assigned }];
    consumer.pause(share);
    void losses.joined().then((isLatest) => {
      if (isLatest) resume(consumer, share);
    });
  });
  const crashed = new Promise<unknown>((resolve) =>
    consumer.on(events.CRASH, ({ payload }: ConsumerCrashEvent) => resolve(payload.error)),
  );
  const running = readTopic(consumer, topicName, partitions, losses);
  const joinedInVain = new Promise<unknown>((resolve) => {
    running.catch(resolve);
  });

  return {
    ended: Promise.race([crashed, joinedInVain]),
    waitingMs: () => partitions.waitingMs(),
    leave: async () => {
      await partitions.stop();
      // kafkajs announces a leave only once it has joined; otherwise the group waits a whole session for this member.
      await running;
      // Its connections are not closed but cut off: kafkajs would wait for the fetch under way.
      await consumer.stop();
    },
    cut: () => {
      partitions.abandon();
      client.cut();
    },
  };
}

function resume(consumer: Consumer, share: Parameters<Consumer['resume']>[0]): void {
  try {
    consumer.resume(share);
  } catch {
    // kafkajs has given up meanwhile: a fresh member fetches again.
  }
}

function createConsumer({ client, groupId, sessionTimeoutMs, subscription }: MemberDeps): Consumer {
  const { lingerMs = 0 } = subscription;
  return client.kafka.consumer({
    groupId,
    sessionTimeout: sessionTimeoutMs,
    rebalanceTimeout: sessionTimeoutMs,
    heartbeatInterval: sessionTimeoutMs / heartbeatsPerSession,
    // A fetch is answered at once where anything waits, or, where a batch may fill up first, when it has or its time is over.
    maxWaitTimeInMs: Math.max(fetchWaitMsMax, lingerMs),
    minBytes: lingerMs > 0 ? lingerBytes : 1,
    allowAutoTopicCreation: false,
    retry,
  });
}

function createMemberPartitions(
  { subscription, topicName, groupId, now, logger }: MemberDeps,
  consumer: Consumer,
): Partitions {
  return createPartitions({
    now,
    subscription,
    commit: (partition, offset) => consumer.commitOffsets([{ topic: topicName, partition, offset: String(offset) }]),
    pause: (partition) => consumer.pause([{ topic: topicName, partitions: [partition] }]),
    resume: (partition) => resume(consumer, [{ topic: topicName, partitions: [partition] }]),
    onFailure: (error, partition, failures) =>
      logger.warn(
        { err: error, topic: topicName, groupId, partition, failures },
        'a log batch failed; retrying after a pause',
      ),
  });
}

async function readTopic(
  consumer: Consumer,
  topicName: string,
  partitions: Partitions,
  losses: DataLossDetector,
): Promise<void> {
  await consumer.connect();
  await consumer.subscribe({ topics: [topicName], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    eachBatch: async ({ batch, resolveOffset }) => {
      const { partition, messages } = batch;
      const [first] = messages;
      if (first !== undefined) losses.fetched(partition, Number(first.offset));
      const entries = messages.map(({ key, value }) => ({
        key: key?.toString('utf8') ?? '',
        value: value ?? new Uint8Array(),
      }));
      const next = partitions.take({ partition, entries, offsets: messages.map(({ offset }) => Number(offset)) });
      if (next === null) return;
      // kafkajs fetches from there on; what is done is stored by `commit` alone.
      resolveOffset(String(next - 1));
      losses.taken(partition, next);
    },
  });
}

/** Detects entries that Kafka deleted before the group read them; kafkajs continues silently with the oldest that is left. */
export interface DataLossDetector {
  /** The member joined. Nothing may be fetched until it resolves, to whether no later join began: a fetch may overwrite the committed offsets. */
  joined(): Promise<boolean>;
  /** A batch was fetched that begins at this offset. */
  fetched(partition: number, first: number): void;
  /** Everything below this offset was taken on. */
  taken(partition: number, next: number): void;
}

export interface DataLossReports {
  /** Receives the number of entries of a partition that were skipped. */
  readonly onLost: (entries: number) => void;
  /** How far the group had read could not be found out. */
  readonly onUnknown: (error: unknown) => void;
}

/** The first question may find a connection that broke, and a broker that comes back takes seconds. */
const questionsMax = 5;

export function createDataLossDetector(
  readProgress: () => Promise<readonly PartitionProgress[]>,
  { onLost, onUnknown }: DataLossReports,
): DataLossDetector {
  let expected = new Map<number, number>();
  let joins = 0;
  return {
    async joined() {
      const join = (joins += 1);
      expected = new Map();
      let failure: unknown = null;
      for (let questions = 0; questions < questionsMax && join === joins; questions += 1) {
        try {
          const progress = await readProgress();
          if (join === joins) expected = new Map(progress.map(({ partition, next }) => [partition, next]));
          return join === joins;
        } catch (error) {
          failure = error;
        }
      }
      // A loss that goes unnoticed is no reason not to read.
      if (join === joins) onUnknown(failure);
      return join === joins;
    },
    fetched(partition, first) {
      const next = expected.get(partition) ?? first;
      if (first <= next) return;
      expected.set(partition, first);
      onLost(first - next);
    },
    taken: (partition, next) => void expected.set(partition, next),
  };
}
