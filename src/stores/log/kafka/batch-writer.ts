/** Writes record batches, each in one pass. Messages that need compression, headers or times of their own are left to kafkajs. */
import { Buffer } from 'node:buffer';
import { crc32c } from './crc32c.js';
import { at, magic } from './batch-layout.js';

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

/** Size of a batch of these messages. */
export function batchBytes(messages: readonly PlainMessage[]): number {
  let bytes: number = at.records;
  for (let n = 0; n < messages.length; n++) {
    const body = bodyBytes(messageOf(messages, n), n);
    bytes += numberBytes(body) + body;
  }
  return bytes;
}

/** Writes a batch that begins at `start`; returns where it ends. */
export function writeBatch(bytes: Buffer, start: number, batch: BatchOfMessages): number {
  const { messages, nowMs } = batch;
  bytes.fill(0, start, start + at.records);
  bytes[start + at.magic] = magic;
  bytes.writeInt32BE(messages.length - 1, start + at.lastDelta);
  for (const time of [at.firstTime, at.lastTime]) {
    bytes.writeUInt32BE(Math.floor(nowMs / 2 ** 32), start + time);
    bytes.writeUInt32BE(nowMs % 2 ** 32, start + time + 4);
  }
  bytes.writeBigInt64BE(batch.producerId, start + at.producerId);
  bytes.writeInt16BE(batch.producerEpoch, start + at.producerEpoch);
  bytes.writeInt32BE(batch.firstSequence, start + at.firstSequence);
  bytes.writeInt32BE(messages.length, start + at.count);
  let end: number = start + at.records;
  for (let n = 0; n < messages.length; n++) end = writeRecord(bytes, end, messageOf(messages, n), n);
  bytes.writeInt32BE(end - start - at.leaderEpoch, start + at.length);
  bytes.writeUInt32BE(crc32c(bytes, start + at.attributes, end), start + at.crc);
  return end;
}

const messageOf = (messages: readonly PlainMessage[], n: number): PlainMessage => messages[n] as PlainMessage;

function writeRecord(bytes: Buffer, start: number, message: PlainMessage, n: number): number {
  const { key, value } = message;
  let end = writeNumber(bytes, start, bodyBytes(message, n));
  // Attributes and the difference to the first timestamp.
  bytes[end++] = 0;
  bytes[end++] = 0;
  end = writeNumber(bytes, end, n);
  end = writeNumber(bytes, end, Buffer.byteLength(key));
  end += bytes.write(key, end);
  end = writeNumber(bytes, end, value.length);
  end += value.copy(bytes, end);
  // No headers.
  bytes[end++] = 0;
  return end;
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
