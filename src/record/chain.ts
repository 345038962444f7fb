/**
 * The chain of a namespace's receipts, in the order in which they were recorded. Each hash covers everything before it:
 *
 *   hash 0 = SHA-256(name of the chain)
 *   digest n = SHA-256(salt n · record n)      the salt is random, and deleted with the record
 *   hash n = SHA-256(hash n-1 · digest n)
 *
 * The database extends chains in the same way (migrations/0005-receipts.sql).
 */
import { hash, randomBytes } from 'node:crypto';
import { joinParts } from './codec.js';

const saltBytes = 16;
/** Type of the signed end of a chain. */
export const headType = 'receipt-head+jws';
export const digestBytes = 32;
const markBytes = saltBytes + digestBytes;
/** A receipt's id without its prefix. */
export const idBytes = 16;

export const digestOf = (salt: Uint8Array, record: Uint8Array): Uint8Array =>
  hash('sha256', joinParts(salt, record), 'buffer');

/** Salt and digest of each record, one behind the other: digests as text and one buffer for all take half the time of a buffer each. */
export function markRecords(records: readonly Uint8Array[]): Buffer {
  const marks = randomBytes(markBytes * records.length);
  const salted = Buffer.allocUnsafe(saltBytes + Math.max(0, ...records.map((record) => record.length)));
  let at = 0;
  for (const record of records) {
    salted.set(marks.subarray(at, at + saltBytes));
    salted.set(record, saltBytes);
    marks.write(hash('sha256', salted.subarray(0, saltBytes + record.length), 'binary'), at + saltBytes, 'binary');
    at += markBytes;
  }
  return marks;
}

/** The hash before the first receipt. */
export const chainStart = (namespace: string): Uint8Array =>
  hash('sha256', `verifyhuman receipts ${namespace}`, 'buffer');

export const nextHash = (previous: Uint8Array, digest: Uint8Array): Uint8Array =>
  hash('sha256', joinParts(previous, digest), 'buffer');
