/**
 * Turns an embedding into what the scan compares: the unit vector is rotated at random (signs flipped, then a fast Hadamard transform, twice),
 * and kept as signed bytes with a scale, and as a code of bits, the signs of its numbers; short ones
 * are rotated once more for further bits.
 *
 * After the rotation the bits in which two codes differ follow their angle, whatever the model's own dimensions are like: that is what lets the
 * scan pass over most rows without losing a near one. Nobody outside knows the rotation, so nobody can make a face that hides behind its code.
 */
import type { Layout } from './layout.js';

export interface EncodedTemplate {
  readonly bytes: Int8Array;
  /** A product of two templates' bytes times both scales is their cosine. */
  readonly scale: number;
  readonly code: Uint8Array;
}

export interface Encoder {
  /** `unit` has length 1 and at most `layout.width` numbers. */
  encode(unit: Float32Array): EncodedTemplate;
}

const rounds = 2;

/** `randomBytes` decides the rotation; an index and its queries share one encoder. */
export function createEncoder(layout: Layout, randomBytes: (count: number) => Uint8Array): Encoder {
  const { width, codeBits, codeBytes } = layout;
  const makeFlips = (): Int8Array => Int8Array.from(randomBytes(width), (byte) => (byte & 1) * 2 - 1);
  const flips = Array.from({ length: rounds }, makeFlips);
  const furtherFlips = makeFlips();
  const rotated = new Float32Array(width);

  return {
    encode(unit) {
      rotated.fill(0);
      rotated.set(unit);
      for (const signs of flips) rotate(rotated, signs);
      let largest = 0;
      for (const value of rotated) largest = Math.max(largest, Math.abs(value));
      const scale = largest / 127;
      const bytes = new Int8Array(width);
      for (let index = 0; index < width; index += 1) bytes[index] = Math.round((rotated[index] ?? 0) / scale);
      const code = new Uint8Array(codeBytes);
      writeSigns(code, 0, rotated);
      for (let bit = width; bit < codeBits; bit += width) {
        rotate(rotated, furtherFlips);
        writeSigns(code, bit, rotated);
      }
      return { bytes, scale, code };
    },
  };
}

function rotate(values: Float32Array, signs: Int8Array): void {
  for (let index = 0; index < values.length; index += 1) values[index] = (values[index] ?? 0) * (signs[index] ?? 0);
  transform(values);
}

function writeSigns(code: Uint8Array, firstBit: number, values: Float32Array): void {
  for (let index = 0; index < values.length; index += 1) {
    const bit = firstBit + index;
    if ((values[index] ?? 0) >= 0) code[bit >> 3] = (code[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
}

/** The Hadamard transform in place, scaled so that lengths stay. */
function transform(values: Float32Array): void {
  const { length } = values;
  for (let half = 1; half < length; half *= 2) {
    for (let start = 0; start < length; start += half * 2) {
      for (let index = start; index < start + half; index += 1) {
        const a = values[index] ?? 0;
        const b = values[index + half] ?? 0;
        values[index] = a + b;
        values[index + half] = a - b;
      }
    }
  }
  const factor = 1 / Math.sqrt(length);
  for (let index = 0; index < length; index += 1) values[index] = (values[index] ?? 0) * factor;
}
