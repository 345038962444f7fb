/**
 * Entries of one append packed into one byte string, as the embedded log stores them: one value for the database instead of many.
 *
 *   [key length u32][value length u32][key utf-8][value] ...        (little endian)
 *
 * Entries that do not unpack cleanly are damaged, and throw.
 */
import { Buffer } from 'node:buffer';
import type { LogEntry } from './port.js';

const headerBytes = 8;

/** Size of one entry when packed. */
export const packedBytes = (entry: LogEntry): number => headerBytes + Buffer.byteLength(entry.key) + entry.value.length;

export function packEntries(entries: readonly LogEntry[]): Buffer {
  const content = Buffer.allocUnsafeSlow(entries.reduce((sum, entry) => sum + packedBytes(entry), 0));
  let offset = 0;
  for (const { key, value } of entries) {
    const keyBytes = content.write(key, offset + headerBytes);
    content.writeUInt32LE(keyBytes, offset);
    content.writeUInt32LE(value.length, offset + 4);
    content.set(value, offset + headerBytes + keyBytes);
    offset += headerBytes + keyBytes + value.length;
  }
  return content;
}

/** The values are views on `packed`, not copies. */
export function unpackEntries(packed: Uint8Array): LogEntry[] {
  const content = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const entries: LogEntry[] = [];
  for (let offset = 0; offset < content.length;) {
    const keyEnd = offset + headerBytes + content.readUInt32LE(offset);
    const valueEnd = keyEnd + content.readUInt32LE(offset + 4);
    if (valueEnd > content.length) throw new RangeError('A batch of the log is cut off.');
    entries.push({
      key: content.toString('utf8', offset + headerBytes, keyEnd),
      value: content.subarray(keyEnd, valueEnd),
    });
    offset = valueEnd;
  }
  return entries;
}
