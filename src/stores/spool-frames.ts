/**
 * Frames of a spool file: what was written together, behind its length and a checksum.
 *
 *   [payload length u32][crc32 of the payload u32][payload: entries packed as in the log] ...        (little endian)
 *
 * A file that a crash or a full disk cut short ends in half a frame. That is its torn tail, of which nothing was ever acknowledged;
 * anything else that does not read is damage.
 */
import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { packEntries, unpackEntries } from './log/packing.js';
import type { LogEntry } from './log/port.js';

const headerBytes = 8;

/** One frame as two pieces, so that the entries are not copied once more. */
export function frameOf(entries: readonly LogEntry[]): readonly [header: Buffer, payload: Buffer] {
  const payload = packEntries(entries);
  const header = Buffer.allocUnsafe(headerBytes);
  header.writeUInt32LE(payload.length, 0);
  header.writeUInt32LE(crc32(payload), 4);
  return [header, payload];
}

export interface ReadFrames {
  /** Entries of each whole frame, in order. */
  readonly frames: readonly (readonly LogEntry[])[];
  /** Bytes behind the last whole frame. */
  readonly tornBytes: number;
  /** Bytes of frames whose checksum does not hold although others follow. */
  readonly damagedBytes: number;
}

export function readFrames(content: Buffer): ReadFrames {
  const frames: LogEntry[][] = [];
  let damagedBytes = 0;
  let offset = 0;
  while (offset + headerBytes <= content.length) {
    const end = offset + headerBytes + content.readUInt32LE(offset);
    if (end > content.length) break;
    const payload = content.subarray(offset + headerBytes, end);
    const isWhole = payload.length > 0 && crc32(payload) === content.readUInt32LE(offset + 4);
    if (isWhole) frames.push(unpackEntries(payload));
    else if (end === content.length) break;
    else damagedBytes += end - offset;
    offset = end;
  }
  return { frames, tornBytes: content.length - offset, damagedBytes };
}
