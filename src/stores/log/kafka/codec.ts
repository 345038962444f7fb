/**
 * Writes the records of a send and reads those of a fetch in kafkajs’s stead, which makes an encoder of a kilobyte for each record and for each
 * level around it, and copies all from one to the next. Requests, their versions, retries and answers stay kafkajs’s, and so does every
 * record that this service would not write.
 */
import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import { readBatches, type ReadMessage } from './batch-reader.js';
import { batchBytes, writeBatch, type PlainMessage } from './batch-writer.js';

export interface ProduceArguments {
  readonly acks: number;
  readonly timeout: number;
  readonly compression: number;
  readonly transactionalId?: string | null | undefined;
  readonly producerId?: { toString(): string };
  readonly producerEpoch: number;
  readonly topicData: readonly {
    readonly topic: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly firstSequence: number;
      /** Of kafkajs’s form, which may be others: see `isPlain`. */
      readonly messages: readonly PlainMessage[];
    }[];
  }[];
}

/** As much of kafkajs’s encoder as its request takes from it. */
interface Encoded {
  readonly buf: Buffer;
  readonly buffer: Buffer;
}
interface Exchange {
  readonly request: { readonly encode: () => Promise<Encoded> };
  readonly response: { readonly decode: (raw: Buffer) => Promise<unknown> };
}
interface Definition {
  protocol(of: { readonly version: number }): (args: ProduceArguments) => Exchange;
}

/** Versions whose records are batches in an exchange of one form. */
const produceVersions = { first: 3, last: 7 } as const;
const fetchVersion = 11;

let isSetUp = false;

/** Changes kafkajs’s definitions of both requests; the second time nothing. */
export function shareCodec(): void {
  if (isSetUp) return;
  isSetUp = true;
  const { requests } = createRequire(import.meta.url)('kafkajs/src/protocol/requests/index.js') as {
    readonly requests: { readonly Produce: Definition; readonly Fetch: Definition };
  };
  const { protocol: produce } = requests.Produce;
  requests.Produce.protocol = (of) => (args) => {
    const exchange = produce(of)(args);
    const isKnown = of.version >= produceVersions.first && of.version <= produceVersions.last;
    if (!isKnown || !isPlain(args)) return exchange;
    const encode = (): Promise<Encoded> => Promise.resolve(encoded(writeProduce(args, Date.now())));
    return { ...exchange, request: { ...exchange.request, encode } };
  };
  const { protocol: fetch } = requests.Fetch;
  requests.Fetch.protocol = (of) => (args) => {
    const exchange = fetch(of)(args);
    if (of.version !== fetchVersion) return exchange;
    const decode = async (raw: Buffer): Promise<unknown> => readFetched(raw) ?? exchange.response.decode(raw);
    return { ...exchange, response: { ...exchange.response, decode } };
  };
}

const encoded = (buffer: Buffer): Encoded => ({ buf: buffer, buffer });

/** What `writeProduce` can write. */
const isPlain = ({ compression, transactionalId, producerId, topicData }: ProduceArguments): boolean =>
  compression === 0 &&
  producerId !== undefined &&
  (transactionalId ?? null) === null &&
  topicData.every(({ partitions }) =>
    partitions.every(({ messages }) =>
      messages.every(
        (message: object) =>
          'key' in message &&
          typeof message.key === 'string' &&
          'value' in message &&
          Buffer.isBuffer(message.value) &&
          !('headers' in message) &&
          !('timestamp' in message),
      ),
    ),
  );

/** [transaction i16 = -1][acks i16][timeout i32][topics i32] ([name][partitions i32] ([partition i32][bytes i32][batch]) …) … */
export function writeProduce({ acks, timeout, topicData, ...producer }: ProduceArguments, nowMs: number): Buffer {
  const { producerEpoch } = producer;
  const producerId = BigInt(producer.producerId?.toString() ?? -1);
  const bytes = Buffer.allocUnsafe(produceBytes(topicData));
  let end = bytes.writeInt16BE(-1);
  end = bytes.writeInt16BE(acks, end);
  end = bytes.writeInt32BE(timeout, end);
  end = bytes.writeInt32BE(topicData.length, end);
  for (const { topic, partitions } of topicData) {
    end = bytes.writeInt16BE(Buffer.byteLength(topic), end);
    end += bytes.write(topic, end);
    end = bytes.writeInt32BE(partitions.length, end);
    for (const { partition, messages, firstSequence } of partitions) {
      end = bytes.writeInt32BE(partition, end);
      const start = end + 4;
      end = writeBatch(bytes, start, { messages, producerId, producerEpoch, firstSequence, nowMs });
      bytes.writeInt32BE(end - start, start - 4);
    }
  }
  return bytes;
}

function produceBytes(topicData: ProduceArguments['topicData']): number {
  let bytes = 12;
  for (const { topic, partitions } of topicData) {
    bytes += 6 + Buffer.byteLength(topic);
    for (const { messages } of partitions) bytes += 8 + batchBytes(messages);
  }
  return bytes;
}

/** An answer to a fetch of version 11; null where kafkajs has to read it. */
export function readFetched(raw: Buffer): object | null {
  let offset = 0;
  const int = (): number => raw.readInt32BE((offset += 4) - 4);
  const short = (): number => raw.readInt16BE((offset += 2) - 2);
  const long = (): string => raw.readBigInt64BE((offset += 8) - 8).toString();
  const bytes = (length: number): Buffer => raw.subarray(offset, (offset += length));
  const list = <T>(read: () => T): T[] => Array.from({ length: Math.max(0, int()) }, read);
  let isRead = true;
  const records = (): readonly ReadMessage[] => {
    const size = int();
    if (size <= 0) return [];
    const messages = readBatches(bytes(size));
    isRead &&= messages !== null;
    return messages ?? [];
  };
  const clientSideThrottleTime = int();
  const errorCode = short();
  const sessionId = int();
  const responses = list(() => ({
    topicName: bytes(short()).toString('utf8'),
    partitions: list(() => ({
      partition: int(),
      errorCode: short(),
      highWatermark: long(),
      lastStableOffset: long(),
      lastStartOffset: long(),
      abortedTransactions: list(() => ({ producerId: long(), firstOffset: long() })),
      preferredReadReplica: int(),
      messages: records(),
    })),
  }));
  return isRead ? { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses } : null;
}
