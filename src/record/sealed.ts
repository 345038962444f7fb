/**
 * A record and its seal, as they lie in the log and, apart, in the database.
 */
import { pack, unpack } from 'msgpackr';
import type { Seal } from '../crypto/batch-signer.js';
import { packParts } from './pack-value.js';
import { appendPart, isMarked, splitParts, start } from './parts.js';
import { sealShape } from './shapes.js';
import { unpackPart } from './unpack-value.js';

export interface SealedRecord {
  /** What the seal is of, to the byte. */
  readonly record: Uint8Array;
  /** Packed, for `openSeal`. */
  readonly seal: Uint8Array;
}

/** An entry of the log. It is of the record's format, for instances of before that may read it. */
export const packSealed = (record: Uint8Array, seal: Seal): Uint8Array =>
  isMarked(record)
    ? appendPart(packParts(start, [[sealShape, seal]]), record)
    : new Uint8Array(pack({ signed: record, seal } satisfies OlderEntry));

interface OlderEntry {
  readonly signed: Uint8Array;
  readonly seal: Seal;
}

export function openSealed(entry: Uint8Array): SealedRecord {
  if (!isMarked(entry)) {
    const { signed, seal } = unpack(entry) as OlderEntry;
    return { record: signed, seal: new Uint8Array(pack(seal)) };
  }
  const [seal, record] = splitParts(entry).bounds;
  if (seal === undefined || record === undefined) throw new Error('an entry of the log without a record');
  // With its beginning, which is all that a seal is in the database.
  return { record: entry.subarray(...record), seal: entry.subarray(0, seal[1]) };
}

export function openSeal(packed: Uint8Array): Seal {
  if (!isMarked(packed)) return unpack(packed) as Seal;
  return unpackPart(sealShape, splitParts(packed), 0) as Seal;
}
