/**
 * Frames of a spool file: what was written together, behind a marker, its length and checksums.
 *
 *   [marker][payload length u32][crc32 of the payload u32][crc32 of the eight bytes before u32][payload: entries packed as in the log] ...
 *                                                                                            (little endian)
 *
 * A file that a crash or a full disk cut short ends in half a frame: a sound header, or a part of one, behind which too little comes. That is its
 * torn tail, of which nothing was ever acknowledged. Anything else that does not read is damage, behind which reading goes on at the next
 * whole frame. The marker cannot stand in a text, so that nobody's text reads as a frame.
 */
import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { packEntries, unpackEntries } from '../log/packing.js';
import type { LogEntry } from '../log/port.js';

const marker = Buffer.from([0xff, 0x56, 0x48, 0xfe]);
const headerBytes = marker.length + 12;

/** One frame as two pieces, so that the entries are not copied once more. */
export function frameOf(entries: readonly LogEntry[]): readonly [header: Buffer, payload: Buffer] {
  const payload = packEntries(entries);
  const header = Buffer.allocUnsafe(headerBytes);
  marker.copy(header);
  header.writeUInt32LE(payload.length, 4);
  header.writeUInt32LE(crc32(payload), 8);
  header.writeUInt32LE(crc32(header.subarray(4, 12)), 12);
  return [header, payload];
}

export interface ReadFrames {
  /** Entries of each whole frame, in order. */
  readonly frames: readonly (readonly LogEntry[])[];
  /** Bytes of the half frame at the end. */
  readonly tornBytes: number;
  /** Bytes that are neither a whole frame nor the torn tail. */
  readonly damagedBytes: number;
}

export function readFrames(content: Buffer): ReadFrames {
  const frames: LogEntry[][] = [];
  let damagedBytes = 0;
  let offset = 0;
  while (offset < content.length) {
    const frame = readFrame(content, offset);
    if (frame === 'torn') return { frames, tornBytes: content.length - offset, damagedBytes };
    if (frame === null) {
      const next = nextMarker(content, offset + 1);
      damagedBytes += next - offset;
      offset = next;
    } else {
      frames.push(frame.entries);
      offset = frame.end;
    }
  }
  return { frames, tornBytes: 0, damagedBytes };
}

/** The frame that begins here; null where none does, or one with damage. */
function readFrame(
  content: Buffer,
  offset: number,
): { readonly entries: LogEntry[]; readonly end: number } | 'torn' | null {
  const header = content.subarray(offset, offset + headerBytes);
  const begun = header.subarray(0, marker.length);
  if (!begun.equals(marker.subarray(0, begun.length))) return null;
  if (header.length < headerBytes) return 'torn';
  if (crc32(header.subarray(4, 12)) !== header.readUInt32LE(12)) return null;
  const end = offset + headerBytes + header.readUInt32LE(4);
  if (end > content.length) return 'torn';
  const payload = content.subarray(offset + headerBytes, end);
  return crc32(payload) === header.readUInt32LE(8) ? { entries: unpackEntries(payload), end } : null;
}

function nextMarker(content: Buffer, from: number): number {
  const found = content.indexOf(marker, from);
  return found === -1 ? content.length : found;
}
