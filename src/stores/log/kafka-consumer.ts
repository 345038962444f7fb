/**
 * One member of a Kafka consumer group.
 *
 * kafkajs fetches; batches are handed to their partition’s own line of work and the partition is paused meanwhile, so a slow partition
 * holds up no other, and the fetching loop always makes its rounds and sends its signs of life. Offsets are stored only after the handler
 * resolved. kafkajs restarts itself after passing trouble; where it gives up for good, a fresh consumer takes its place after a pause.
 */
import type { Consumer as KafkaJsConsumer, EachBatchPayload, Kafka } from 'kafkajs';
import type { Logger } from '../../telemetry/logger.js';
import { settleWithin } from '../settle-within.js';
import { createPartitions, type Partitions } from './kafka-partitions.js';
import type { Consumer, Subscription } from './port.js';
import { createWake, pauseAfter } from './wake.js';

export interface KafkaConsumerDeps {
  readonly kafka: Kafka;
  readonly now: () => number;
  readonly logger: Logger;
  /** Names of the topic and the group in Kafka. */
  readonly topicName: string;
  readonly groupId: string;
  /** How long a member may be silent before the group gives its share to others. */
  readonly sessionTimeoutMs: number;
}

interface Member {
  readonly consumer: KafkaJsConsumer;
  readonly partitions: Partitions;
  /** Resolves when kafkajs gave up for good. */
  readonly ended: Promise<void>;
}

/** A paused partition waits at most this long for the fetch under way to end. */
const fetchWaitMsMax = 100;
const heartbeatsPerSession = 5;
const stopDeadlineMs = 8_000;
const silenceCheckMs = 1_000;
const silentMsMin = 10_000;
const silentSessions = 2;
const pauseFirstMs = 500;
const pauseMsMax = 10_000;

/** Joins the group in the background, again and again until it succeeds, and again whenever kafkajs gives up. */
export function startKafkaConsumer(deps: KafkaConsumerDeps, subscription: Subscription): Consumer {
  const { now, logger, groupId } = deps;
  let tickAtMs = now();
  let isStopping = false;
  const stopped = createWake();
  const onTick = (): void => {
    tickAtMs = now();
  };
  let member: Member | null = null;

  /** Resolves when kafkajs has neither fetched nor sent a sign of life for far longer than it ever needs: it is stuck, whatever it says of itself. */
  const silence = (): Promise<void> =>
    new Promise((resolve) => {
      const watched = member;
      const timer = setInterval(() => {
        const isSilent = watched === member && now() - tickAtMs > silentMsMin + silentSessions * deps.sessionTimeoutMs;
        if (!isSilent && !isStopping && watched === member) return;
        clearInterval(timer);
        if (isSilent) logger.warn({ groupId }, 'the consumer has gone silent; a fresh one takes its place');
        resolve();
      }, silenceCheckMs);
    });

  const supervise = async (): Promise<void> => {
    for (let failures = 0; !isStopping; ) {
      try {
        member = await join(deps, subscription, onTick);
        failures = 0;
        onTick();
        if (!isStopping) await Promise.race([member.ended, silence()]);
      } catch (error) {
        logger.warn({ err: error, groupId, failures }, 'joining the consumer group failed; it is tried again');
      }
      if (isStopping) return leave(member);
      await leave(member);
      member = null;
      await stopped.wait(pauseAfter(++failures, pauseFirstMs, pauseMsMax));
    }
  };
  const supervising = supervise();

  return {
    tickAgeMs: () => now() - tickAtMs,
    stop: async () => {
      isStopping = true;
      stopped.wake();
      await settleWithin(member === null ? supervising : leave(member), stopDeadlineMs, 'kafka').catch(() => logger.warn({ groupId }, 'leaving the consumer group took too long; its share is taken over later'));
    },
  };
}

async function leave(member: Member | null): Promise<void> {
  await member?.partitions.stop();
  await member?.consumer.disconnect().catch(() => undefined);
}

async function join({ kafka, logger, topicName, groupId, sessionTimeoutMs }: KafkaConsumerDeps, subscription: Subscription, onTick: () => void): Promise<Member> {
  const consumer = kafka.consumer({
    groupId,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval: sessionTimeoutMs / heartbeatsPerSession,
    maxWaitTimeInMs: fetchWaitMsMax,
    allowAutoTopicCreation: false,
    retry: { initialRetryTime: 200, maxRetryTime: 2_000, retries: 10 },
  });
  const resolvers = new Map<number, EachBatchPayload['resolveOffset']>();
  const partitions = createPartitions({
    batchMax: subscription.batchMax,
    handle: subscription.handle,
    commit: async (partition, offset) => {
      await consumer.commitOffsets([{ topic: topicName, partition, offset: (BigInt(offset) + 1n).toString() }]);
      resolvers.get(partition)?.(offset);
    },
    pause: (partition) => consumer.pause([{ topic: topicName, partitions: [partition] }]),
    resume: (partition) => {
      try {
        consumer.resume([{ topic: topicName, partitions: [partition] }]);
      } catch {
        // Between a crash and its restart there is nothing to resume, and after it nothing is paused.
      }
    },
    onFailure: (error, partition, failures) =>
      logger.warn({ err: error, topic: topicName, groupId, partition, failures }, 'a batch of the log was not taken; it comes again after a pause'),
  });
  const { events } = consumer;
  consumer.on(events.FETCH, onTick);
  consumer.on(events.HEARTBEAT, onTick);
  consumer.on(events.GROUP_JOIN, ({ payload }) => partitions.assign(payload.memberId, (payload.memberAssignment[topicName] ?? [])));
  const ended = new Promise<void>((resolve) => {
    consumer.on(events.CRASH, ({ payload }) => {
      if (!payload.restart) resolve();
    });
  });
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [topicName], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: async ({ batch, resolveOffset }) => {
        resolvers.set(batch.partition, resolveOffset);
        const entries = batch.messages.map(({ key, value }) => ({ key: key?.toString('utf8') ?? '', value: value ?? new Uint8Array() }));
        partitions.take({ partition: batch.partition, entries, offsets: batch.messages.map(({ offset }) => offset) });
      },
    });
  } catch (error) {
    await consumer.disconnect().catch(() => undefined);
    throw error;
  }
  return { consumer, partitions, ended };
}
