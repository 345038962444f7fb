/**
 * Packed values one after another, each behind its length, so that what follows is appended and what is not asked for is passed over.
 *
 *   mark · version · length · part · length · part ...
 */
import { mark } from './tags.js';

const version = 1;

/** What everything packed begins with. */
export const start: Uint8Array = Uint8Array.of(mark, version);

/** Big-endian. */
export const lengthBytes = 3;
const partBytesMax = 0xffffff;

/** Throws where the part is longer than a length can say. */
export function writeLength(bytes: Uint8Array, at: number, length: number): void {
  if (length > partBytesMax) throw new Error(`a part of a record has ${length} bytes, and ${partBytesMax} at most`);
  bytes[at] = length >>> 16;
  bytes[at + 1] = (length >>> 8) & 0xff;
  bytes[at + 2] = length & 0xff;
}

/** What was begun, and a packed part behind it. */
export function appendPart(before: Uint8Array, part: Uint8Array): Uint8Array {
  const joined = Buffer.allocUnsafe(before.length + lengthBytes + part.length);
  joined.set(before);
  writeLength(joined, before.length, part.length);
  joined.set(part, before.length + lengthBytes);
  return joined;
}

/** Packed parts, not read yet. */
export interface Parts {
  readonly bytes: Buffer;
  /** Of each part. */
  readonly bounds: readonly (readonly [from: number, to: number])[];
}

/** Throws for another format, and where a part ends early. */
export function splitParts(packed: Uint8Array): Parts {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  if (bytes[0] !== mark || bytes[1] !== version) throw new Error('the bytes are no record of a known format');
  const bounds: [number, number][] = [];
  for (let at = start.length; at < bytes.length;) {
    const from = at + lengthBytes;
    at = from <= bytes.length ? from + bytes.readUIntBE(at, lengthBytes) : Infinity;
    if (at > bytes.length) throw new Error('a record ends early');
    bounds.push([from, at]);
  }
  return { bytes, bounds };
}
