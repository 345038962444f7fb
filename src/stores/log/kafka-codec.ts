/**
 * Writes the records of a send and reads those of a fetch in kafkajs’s stead, which makes an encoder of a kilobyte for each record and for each
 * level around it, and copies all from one to the next. Requests, their versions, retries and answers stay kafkajs’s, and so does every
 * record that this service would not write.
 */
import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import { readBatches, writeBatch, type PlainMessage, type ReadMessage } from './kafka-record-batch.js';

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
      readonly messages: readonly { readonly key?: unknown; readonly value?: unknown; readonly headers?: unknown }[];
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
        (message) =>
          typeof message.key === 'string' &&
          Buffer.isBuffer(message.value) &&
          !('headers' in message) &&
          !('timestamp' in message),
      ),
    ),
  );

/** [transaction i16 = -1][acks i16][timeout i32][topics i32] ([name][partitions i32] ([partition i32][bytes i32][batch]) …) … */
export function writeProduce(args: ProduceArguments, nowMs: number): Buffer {
  const producerId = BigInt(args.producerId?.toString() ?? -1);
  const parts = [int16(-1), int16(args.acks), int32(args.timeout), int32(args.topicData.length)];
  for (const { topic, partitions } of args.topicData) {
    const name = Buffer.from(topic);
    parts.push(int16(name.length), name, int32(partitions.length));
    for (const { partition, messages, firstSequence } of partitions) {
      const batch = writeBatch({
        messages: messages as readonly PlainMessage[],
        ...{ producerId, producerEpoch: args.producerEpoch, firstSequence, nowMs },
      });
      parts.push(int32(partition), int32(batch.length), batch);
    }
  }
  return Buffer.concat(parts);
}

function int16(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
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
