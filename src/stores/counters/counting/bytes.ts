/**
 * Values of the counters are texts of one character a byte: a store keeps them as they are, and parts of them are compared without being unpacked. Times
 * and numbers are big-endian, so that they sort as texts. Pure.
 */
import { Buffer } from 'node:buffer';
import { toHexPair } from '../../../contract/hash.js';

export type Bytes = string;

const chars = String.fromCharCode;
const refPattern = /^[0-9a-f]{16}$/;
const nibble = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code < 58 ? code - 48 : code - 87;
};
const byteOfHex = (text: string, at: number): number => nibble(text, at) * 16 + nibble(text, at + 1);

export const refBytes = 8;

/** A reference in half its characters. */
export function packRef(ref: string): Bytes {
  if (!refPattern.test(ref)) throw new RangeError('a reference of the counters has 16 hexadecimal digits');
  // prettier-ignore
  return chars(
    byteOfHex(ref, 0), byteOfHex(ref, 2), byteOfHex(ref, 4), byteOfHex(ref, 6), byteOfHex(ref, 8), byteOfHex(ref, 10), byteOfHex(ref, 12), byteOfHex(ref, 14),
  );
}

export const unpackRef = (bytes: Bytes, at = 0): string => toHexPair(u32At(bytes, at), u32At(bytes, at + 4));

/** Stands for everybody. */
export const noRef: Bytes = '\0'.repeat(refBytes);

export const packRefOrNone = (ref: string | null): Bytes => (ref === null ? noRef : packRef(ref));

export const unpackRefOrNone = (bytes: Bytes, at: number): string | null =>
  bytes.startsWith(noRef, at) ? null : unpackRef(bytes, at);

export const u8 = (value: number): Bytes => chars(value & 255);
export const u16 = (value: number): Bytes => chars((value >>> 8) & 255, value & 255);
export const u24 = (value: number): Bytes => chars((value >>> 16) & 255, (value >>> 8) & 255, value & 255);
export const u32 = (value: number): Bytes =>
  chars((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);

export const u8At = (bytes: Bytes, at: number): number => bytes.charCodeAt(at);
export const u16At = (bytes: Bytes, at: number): number => bytes.charCodeAt(at) * 256 + bytes.charCodeAt(at + 1);
export const u24At = (bytes: Bytes, at: number): number => u8At(bytes, at) * 65_536 + u16At(bytes, at + 1);
export const u32At = (bytes: Bytes, at: number): number => u16At(bytes, at) * 65_536 + u16At(bytes, at + 2);

export const timeBytes = 6;

export function packTime(ms: number): Bytes {
  const high = Math.floor(ms / 2 ** 24);
  const low = ms % 2 ** 24;
  // oxfmt-ignore
  return chars((high >>> 16) & 255, (high >>> 8) & 255, high & 255, (low >>> 16) & 255, (low >>> 8) & 255, low & 255);
}
export const timeAt = (bytes: Bytes, at: number): number => u24At(bytes, at) * 2 ** 24 + u24At(bytes, at + 3);

const scratch = Buffer.alloc(8);

export function packDouble(value: number): Bytes {
  scratch.writeDoubleBE(value);
  return scratch.toString('latin1');
}

export function doubleAt(bytes: Bytes, at: number): number {
  scratch.write(bytes.slice(at, at + 8), 'latin1');
  return scratch.readDoubleBE();
}

export const tokenBytes = 6;

/** A short name for a reference in a scope, by its kind, a letter: two names share one in one of 10^14 pairs. References are spread evenly as they are. */
export function tokenOf(kind: string, scope: Bytes, ref: Bytes): Bytes {
  const high = u32At(scope, 0) ^ u32At(ref, 0) ^ Math.imul(kind.charCodeAt(0), 0x9e3779b1);
  const low = u16At(scope, 4) ^ u16At(ref, 4);
  // oxfmt-ignore
  return chars((high >>> 24) & 255, (high >>> 16) & 255, (high >>> 8) & 255, high & 255, (low >>> 8) & 255, low & 255);
}

/** Texts and bytes, each behind its length. */
export const joinParts = (parts: readonly Bytes[]): Bytes => {
  let joined = '';
  for (const part of parts) joined += u32(part.length) + part;
  return joined;
};

export function splitParts(bytes: Bytes, from = 0): Bytes[] {
  const parts: Bytes[] = [];
  for (let at = from; at < bytes.length;) {
    const start = at + 4;
    at = start + u32At(bytes, at);
    parts.push(bytes.slice(start, at));
  }
  return parts;
}

export const bytesOf = (content: Uint8Array): Bytes =>
  Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1');

export const bufferOf = (bytes: Bytes): Buffer => Buffer.from(bytes, 'latin1');
