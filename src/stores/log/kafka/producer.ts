/**
 * Appends to Kafka through an idempotent producer, acknowledged by all replicas in sync.
 *
 *   ready ──a send fails──▶ away ──a fresh producer connects──▶ ready
 *
 * A producer whose send failed is never used again: kafkajs takes back the sequence numbers of a failed send, the broker may have
 * written it all the same, and would then take the next, different messages for repetitions and drop them in silence. A fresh producer
 * has an identity of its own, and the failed one is cut off from the brokers. While away, appends reject at once, and connecting is tried again in the background.
 */
import { Buffer } from 'node:buffer';
import type { Message, Producer } from 'kafkajs';
import { storeUnavailable } from '../../../errors.js';
import type { Logger } from '../../../telemetry/logger.js';
import { settleWithin } from '../../settle-within.js';
import type { KafkaClient } from './client.js';
import { markAlone, sharingPartitioner } from './partitioner.js';
import { packedBytes } from '../packing.js';
import type { LogEntry } from '../port.js';
import { createWake, pauseAfter } from '../wake.js';

export interface KafkaProducer {
  /** Sends in the order given; resolves when all is acknowledged. */
  send(topic: string, entries: readonly LogEntry[]): Promise<void>;
  isReady(): boolean;
  close(): Promise<void>;
}

const store = 'kafka';
/** Below the broker’s usual limit of 1 MiB for a batch, even when all entries go to one partition. */
const sendBytesMax = 786_432;
const connectDeadlineMs = 10_000;
const closeDeadlineMs = 2_000;
const pauseFirstMs = 200;
const pauseMsMax = 2_000;

interface Connected {
  readonly producer: Producer;
  cut(): void;
}

/** Connects, and rejects where that fails; from then on it recovers by itself. `createClient` makes a client for each fresh producer. */
export async function createKafkaProducer(
  createClient: () => KafkaClient,
  logger: Logger,
  deadlineMs: number,
): Promise<KafkaProducer> {
  let ready: Connected | null = await connect(createClient());
  let recovering: Promise<void> | null = null;
  let isClosed = false;
  const closed = createWake();

  const recover = async (): Promise<void> => {
    for (let failures = 1; !isClosed; failures++) {
      try {
        ready = await connect(createClient());
        logger.info('Kafka takes appends again');
        break;
      } catch (error) {
        logger.warn({ err: error, failures }, 'Kafka is away');
        await closed.wait(pauseAfter(failures, pauseFirstMs, pauseMsMax));
      }
    }
    recovering = null;
  };
  const retire = (failed: Connected): void => {
    failed.cut();
    if (ready !== failed) return;
    ready = null;
    recovering ??= recover();
  };
  const sendOnce = async (connected: Connected, topic: string, messages: Message[]): Promise<void> => {
    try {
      await settleWithin(
        connected.producer.send({ topic, messages, acks: -1, timeout: deadlineMs }),
        deadlineMs,
        store,
      );
    } catch (error) {
      retire(connected);
      throw isRefusal(error)
        ? error
        : storeUnavailable(`${store}: ${error instanceof Error ? error.message : String(error)}`, error);
    }
  };

  return {
    isReady: () => ready !== null,
    send: async (topic, entries) => {
      for (const part of split(entries)) {
        if (ready === null) throw storeUnavailable(`${store}: away, and being reconnected`);
        await sendOnce(ready, topic, part);
      }
    },
    close: async () => {
      isClosed = true;
      closed.wake();
      await recovering;
      if (ready === null) return;
      await settleWithin(ready.producer.disconnect(), closeDeadlineMs, store).catch(() => undefined);
      ready.cut();
    },
  };
}

async function connect({ kafka, cut }: KafkaClient): Promise<Connected> {
  const producer = kafka.producer({
    idempotent: true,
    // Repeating a send under the same sequence numbers is safe; how long is bounded by the deadline.
    retry: { initialRetryTime: 100, maxRetryTime: 500, retries: 5 },
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner: sharingPartitioner,
  });
  try {
    await settleWithin(producer.connect(), connectDeadlineMs, store);
    return { producer, cut };
  } catch (error) {
    cut();
    throw error;
  }
}

/** What no other try would change: the message itself is at fault. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD'].includes((error as { type?: string }).type ?? '');

function split(entries: readonly LogEntry[]): Message[][] {
  const parts: Message[][] = [];
  let room = 0;
  for (const entry of entries) {
    const bytes = packedBytes(entry);
    if (parts.length === 0 || bytes > room) {
      parts.push([]);
      room = sendBytesMax;
    }
    room -= bytes;
    const message = {
      key: entry.key,
      value: Buffer.from(entry.value.buffer, entry.value.byteOffset, entry.value.byteLength),
    };
    parts.at(-1)?.push(entry.isAlone === true ? markAlone(message) : message);
  }
  return parts;
}
