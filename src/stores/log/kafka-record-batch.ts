/**
 * Kafka’s record batches (of message format 2), read and written in one pass over one run of bytes.
 *
 *   [base offset i64][length i32][leader epoch i32][magic i8 = 2][crc u32][attributes i16][last offset delta i32][first timestamp i64]
 *   [last timestamp i64][producer id i64][producer epoch i16][first sequence i32][records i32] record …
 *   record: [length][attributes i8][timestamp delta][offset delta][key length][key][value length][value][headers]   (numbers: zigzag, 7 bits a byte)
 *
 * What needs more than that (compression, headers) is left to kafkajs.
 */
import { Buffer } from 'node:buffer';
import { crc32c } from './crc32c.js';

export interface PlainMessage {
  readonly key: string;
  readonly value: Buffer;
}

export interface BatchOfMessages {
  readonly messages: readonly PlainMessage[];
  /** By which the broker tells a batch that comes again. */
  readonly producerId: bigint;
  readonly producerEpoch: number;
  readonly firstSequence: number;
  readonly nowMs: number;
}

/** A record as kafkajs has it. */
export interface ReadMessage {
  readonly magicByte: number;
  readonly attributes: number;
  readonly timestamp: string;
  readonly offset: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, never>>;
  readonly isControlRecord: boolean;
  readonly batchContext: object;
}

/** Where the fields of a batch begin. */
const at = {
  ...{ length: 8, leaderEpoch: 12, magic: 16, crc: 17, attributes: 21, lastDelta: 23, firstTime: 27, lastTime: 35 },
  ...{ producerId: 43, producerEpoch: 51, firstSequence: 53, count: 57, records: 61 },
} as const;
const magic = 2;
/** Attributes: which compression, times of the broker, part of a transaction, a marker of one. */
const flags = { compression: 7, brokersTime: 8, transaction: 16, control: 32 } as const;

/** Writes a batch. */
export function writeBatch({ messages, producerId, producerEpoch, firstSequence, nowMs }: BatchOfMessages): Buffer {
  const bodies = messages.map(bodyBytes);
  const bytes = bodies.reduce((sum, body) => sum + numberBytes(body) + body, at.records);
  const batch = Buffer.allocUnsafe(bytes);
  batch.fill(0, 0, at.length);
  batch.writeInt32BE(bytes - at.leaderEpoch, at.length);
  batch.writeInt32BE(0, at.leaderEpoch);
  batch.writeInt8(magic, at.magic);
  batch.writeInt16BE(0, at.attributes);
  batch.writeInt32BE(messages.length - 1, at.lastDelta);
  batch.writeBigInt64BE(BigInt(nowMs), at.firstTime);
  batch.copy(batch, at.lastTime, at.firstTime, at.lastTime);
  batch.writeBigInt64BE(producerId, at.producerId);
  batch.writeInt16BE(producerEpoch, at.producerEpoch);
  batch.writeInt32BE(firstSequence, at.firstSequence);
  batch.writeInt32BE(messages.length, at.count);
  let end: number = at.records;
  messages.forEach(({ key, value }, n) => {
    end = writeNumber(batch, end, bodies[n] ?? 0);
    // Attributes and the difference to the first timestamp.
    batch[end++] = 0;
    batch[end++] = 0;
    end = writeNumber(batch, end, n);
    end = writeNumber(batch, end, Buffer.byteLength(key));
    end += batch.write(key, end);
    end = writeNumber(batch, end, value.length);
    end += value.copy(batch, end);
    // No headers.
    batch[end++] = 0;
  });
  batch.writeUInt32BE(crc32c(batch, at.attributes), at.crc);
  return batch;
}

/** Size of a record behind its length. */
function bodyBytes({ key, value }: PlainMessage, n: number): number {
  const keyBytes = Buffer.byteLength(key);
  return 3 + numberBytes(n) + numberBytes(keyBytes) + keyBytes + numberBytes(value.length) + value.length;
}

function numberBytes(value: number): number {
  let bytes = 1;
  for (let rest = value >>> 6; rest > 0; rest >>>= 7) bytes++;
  return bytes;
}

/** Writes a number of 0 or more; returns where it ends. */
function writeNumber(bytes: Buffer, offset: number, value: number): number {
  let rest = value * 2;
  let end = offset;
  for (; rest > 127; rest >>>= 7) bytes[end++] = (rest & 127) | 128;
  bytes[end++] = rest;
  return end;
}

/** The records of whole batches, one behind the other; null where kafkajs has to read them. */
export function readBatches(bytes: Buffer): ReadMessage[] | null {
  const messages: ReadMessage[] = [];
  for (let start = 0; start + at.records <= bytes.length;) {
    const end = start + at.leaderEpoch + bytes.readInt32BE(start + at.length);
    // The broker cuts off what is beyond the size asked for.
    if (end > bytes.length) break;
    if (bytes[start + at.magic] !== magic || !readBatch(bytes.subarray(start, end), messages)) return null;
    start = end;
  }
  return messages;
}

/** False where kafkajs has to read it. */
function readBatch(batch: Buffer, messages: ReadMessage[]): boolean {
  const attributes = batch.readInt16BE(at.attributes);
  const firstOffset = batch.readBigInt64BE(0);
  if ((attributes & flags.compression) !== 0 || firstOffset > Number.MAX_SAFE_INTEGER) return false;
  const context = contextOf(batch, attributes, firstOffset);
  const first = { offset: Number(firstOffset), timeMs: Number(context.firstTimestamp) };
  const reader: Reader = { offset: at.records };
  for (let left = batch.readInt32BE(at.count); left > 0; left--) {
    const end = readNumber(batch, reader) + reader.offset;
    const ofRecord = batch.readInt8(reader.offset++);
    const timeMs = first.timeMs + readNumber(batch, reader);
    const offset = first.offset + readNumber(batch, reader);
    const key = readBytes(batch, reader);
    const value = readBytes(batch, reader);
    if (readNumber(batch, reader) !== 0 || reader.offset !== end) return false;
    messages.push({
      magicByte: magic,
      attributes: ofRecord,
      timestamp: (attributes & flags.brokersTime) === 0 ? String(timeMs) : context.maxTimestamp,
      offset: String(offset),
      ...{ key, value, headers: {} },
      isControlRecord: context.isControlBatch,
      batchContext: context,
    });
  }
  return true;
}

const contextOf = (batch: Buffer, attributes: number, firstOffset: bigint) => ({
  firstOffset: firstOffset.toString(),
  firstTimestamp: batch.readBigInt64BE(at.firstTime).toString(),
  partitionLeaderEpoch: batch.readInt32BE(at.leaderEpoch),
  inTransaction: (attributes & flags.transaction) !== 0,
  isControlBatch: (attributes & flags.control) !== 0,
  lastOffsetDelta: batch.readInt32BE(at.lastDelta),
  producerId: batch.readBigInt64BE(at.producerId).toString(),
  producerEpoch: batch.readInt16BE(at.producerEpoch),
  firstSequence: batch.readInt32BE(at.firstSequence),
  maxTimestamp: batch.readBigInt64BE(at.lastTime).toString(),
  timestampType: (attributes & flags.brokersTime) === 0 ? 0 : 1,
  magicByte: magic,
});

interface Reader {
  offset: number;
}

function readNumber(bytes: Buffer, reader: Reader): number {
  let result = 0;
  let weight = 1;
  let byte: number;
  do {
    byte = bytes.readUInt8(reader.offset++);
    result += (byte & 127) * weight;
    weight *= 128;
  } while (byte > 127);
  return result % 2 === 0 ? result / 2 : -(result + 1) / 2;
}

function readBytes(bytes: Buffer, reader: Reader): Buffer | null {
  const length = readNumber(bytes, reader);
  if (length < 0) return null;
  reader.offset += length;
  return bytes.subarray(reader.offset - length, reader.offset);
}
