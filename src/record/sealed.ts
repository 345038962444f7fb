/**
 * A record and its seal, as they lie in the log and, apart, in the database.
 */
import type { Seal } from '../crypto/batch-signer.js';
import { packParts } from './pack-value.js';
import { appendPart, splitParts, start } from './parts.js';
import { sealShape } from './shapes.js';
import { unpackPart } from './unpack-value.js';

export interface SealedRecord {
  /** What the seal is of, to the byte. */
  readonly record: Uint8Array;
  /** Packed, for `openSeal`. */
  readonly seal: Uint8Array;
}

/** An entry of the log. */
export const packSealed = (record: Uint8Array, seal: Seal): Uint8Array =>
  appendPart(packParts(start, [[sealShape, seal]]), record);

export function openSealed(entry: Uint8Array): SealedRecord {
  const [seal, record] = splitParts(entry).bounds;
  if (seal === undefined || record === undefined) throw new Error('an entry of the log without a record');
  // With its beginning, which is all that a seal is in the database.
  return { record: entry.subarray(...record), seal: entry.subarray(0, seal[1]) };
}

export const openSeal = (packed: Uint8Array): Seal => unpackPart(sealShape, splitParts(packed), 0) as Seal;
