/**
 * Appends to Kafka through an idempotent producer, acknowledged by all replicas in sync.
 *
 *   away ──topics exist, a fresh producer connects──▶ ready ──a send fails──▶ away
 *
 * A producer whose send failed is never used again: kafkajs takes back the sequence numbers of a failed send, the broker may have
 * written it all the same, and would then drop the next, different messages as repetitions. A fresh producer has an identity of its own, and
 * the failed one is cut off from the brokers. While away, appends reject at once, and connecting is retried in the background.
 */
import { Buffer } from 'node:buffer';
import { Partitioners, type ICustomPartitioner, type Kafka, type Message, type Producer } from 'kafkajs';
import { storeUnavailable } from '../../../errors.js';
import type { Logger } from '../../../telemetry/logger.js';
import { causeOf } from '../../store-report.js';
import type { KafkaClient } from './client.js';
import { packedBytes } from '../packing.js';
import type { LogEntry } from '../port.js';
import { backoffMs, createNotifier, settleWithin } from '../../notifier.js';

export interface KafkaProducer {
  /** Resolves when it is ready for the first time. */
  readonly opened: Promise<void>;
  /** Sends in the order given; resolves when all is acknowledged. */
  send(topic: string, entries: readonly LogEntry[]): Promise<void>;
  /** Throws StoreUnavailable while away. */
  requireReady(): void;
  close(): Promise<void>;
}

export interface KafkaProducerDeps {
  /** Makes a client for each fresh producer. */
  readonly createClient: () => KafkaClient;
  /** Creates the topics; called before each connect until it succeeds once. */
  readonly prepare: () => Promise<void>;
  readonly logger: Logger;
  /** Longest wait of a send. */
  readonly deadlineMs: number;
}

const store = 'kafka';
/** Below the broker’s usual limit of 1 MiB for a batch, even when all entries go to one partition. */
const sendBytesMax = 786_432;
const connectDeadlineMs = 10_000;
const closeDeadlineMs = 2_000;
const pauseFirstMs = 200;
const pauseMsMax = 2_000;

/** Connects in the background, and again after each failed send. */
export function startKafkaProducer(deps: KafkaProducerDeps): KafkaProducer {
  const { createClient, logger, deadlineMs } = deps;
  let client: KafkaClient;
  let ready: Producer | null = null;
  let problem: unknown = null;
  let isPrepared = false;
  let isClosed = false;
  let noteOpened = (): void => undefined;
  const opened = new Promise<void>((resolve) => (noteOpened = resolve));
  const closed = createNotifier();

  const connect = async (): Promise<Producer> => {
    client = createClient();
    if (!isPrepared) await deps.prepare();
    isPrepared = true;
    const producer = createProducer(client.kafka);
    await settleWithin(producer.connect(), connectDeadlineMs, store);
    return producer;
  };
  const recover = async (): Promise<void> => {
    for (let failures = 1; ready === null && !isClosed; failures++) {
      try {
        ready = await connect();
        logger.info('Kafka is available');
        noteOpened();
      } catch (error) {
        problem = error;
        client.cut();
        if (!isClosed) logger.warn({ reason: causeOf(error), err: error, failures }, 'Kafka is unavailable');
        await closed.wait(backoffMs(failures, pauseFirstMs, pauseMsMax));
      }
    }
  };
  void recover();

  const requireReady = (): Producer => {
    if (ready !== null) return ready;
    throw storeUnavailable(`${store}: away, and being reconnected${problem === null ? '' : `: ${causeOf(problem)}`}`);
  };
  const retire = (failed: Producer, error: unknown): void => {
    if (ready !== failed) return;
    logger.warn({ reason: causeOf(error) }, 'a write to Kafka failed; connecting again');
    ready = null;
    problem = error;
    client.cut();
    void recover();
  };
  const sendOnce = async (topic: string, messages: Message[]): Promise<void> => {
    const producer = requireReady();
    try {
      await settleWithin(producer.send({ topic, messages, acks: -1, timeout: deadlineMs }), deadlineMs, store);
    } catch (error) {
      retire(producer, error);
      throw isRefusal(error)
        ? error
        : storeUnavailable(`${store}: ${error instanceof Error ? error.message : String(error)}`, error);
    }
  };

  return {
    opened,
    requireReady,
    send: async (topic, entries) => {
      for (const part of split(entries)) await sendOnce(topic, part);
    },
    close: async () => {
      isClosed = true;
      closed.notify();
      if (ready !== null) await settleWithin(ready.disconnect(), closeDeadlineMs, store).catch(() => undefined);
      client.cut();
    },
  };
}

const createProducer = (kafka: Kafka): Producer =>
  kafka.producer({
    idempotent: true,
    // Repeating a send under the same sequence numbers is safe; how long is bounded by the deadline.
    retry: { initialRetryTime: 100, maxRetryTime: 500, retries: 5 },
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner,
  });

/** Another try would not help: the message itself is at fault. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD'].includes((error as { type?: string }).type ?? '');

/** How long unordered entries stay with one partition: as long as readers let a batch fill up. */
const stayMs = 200;
/** Processes begin at different partitions, so that they do not all write to the same one. */
const firstPartition = Math.floor(Math.random() * 1_000);

interface EntryMessage extends Message {
  readonly isUnordered?: boolean;
}

/** By key; unordered entries of a few hundred milliseconds share a partition, so that a send is one batch and a reader commits it at once. */
const createPartitioner: ICustomPartitioner = () => {
  const byKey = Partitioners.DefaultPartitioner();
  return (args) => {
    const { isUnordered = false }: EntryMessage = args.message;
    if (!isUnordered) return byKey(args);
    const led = args.partitionMetadata.filter(({ leader }) => leader >= 0);
    const choice = led.length > 0 ? led : args.partitionMetadata;
    return choice[(firstPartition + Math.floor(performance.now() / stayMs)) % choice.length]?.partitionId ?? 0;
  };
};

function split(entries: readonly LogEntry[]): Message[][] {
  const parts: EntryMessage[][] = [];
  let room = 0;
  for (const entry of entries) {
    const bytes = packedBytes(entry);
    if (parts.length === 0 || bytes > room) {
      parts.push([]);
      room = sendBytesMax;
    }
    room -= bytes;
    const { key, value, isUnordered = false } = entry;
    parts.at(-1)?.push({ key, value: Buffer.from(value.buffer, value.byteOffset, value.byteLength), isUnordered });
  }
  return parts;
}
