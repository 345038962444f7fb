/** Reads record batches into records as kafkajs has them, and leaves to it what is compressed or has headers. */
import type { Buffer } from 'node:buffer';
import { at, flags, magic } from './batch-layout.js';

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
