/**
 * A record and its seal, as they lie in the log and, apart, in the database.
 */
import type { Seal } from '../crypto/batch-signer.js';
import { appendParts, packPart, plain, readParts, start } from './codec.js';
import { sealShape } from './shapes.js';

export interface SealedRecord {
  /** What the seal is of, to the byte. */
  readonly record: Uint8Array;
  /** Packed, for `openSeal`. */
  readonly seal: Uint8Array;
}

const packSeal = (seal: Seal): Uint8Array => appendParts(start, packPart(sealShape, seal));

/** An entry of the log. */
export const packSealed = (record: Uint8Array, seal: Seal): Uint8Array =>
  appendParts(start, packPart(plain, packSeal(seal)), packPart(plain, record));

export function openSealed(entry: Uint8Array): SealedRecord {
  const [seal, record] = readParts(entry);
  if (!(seal instanceof Uint8Array && record instanceof Uint8Array))
    throw new Error('an entry of the log without a record');
  return { record, seal };
}

export const openSeal = (packed: Uint8Array): Seal => sealShape.decode(readParts(packed)[0]) as Seal;
