/**
 * Reads an embedding that a browser sent, and refuses what no model makes: a vector that is not of unit length, one number that carries
 * everything, or a vector that points where all faces do. Such a template would be alike to nobody, or to everybody.
 */
import { Buffer } from 'node:buffer';
import type { EnvelopeEmbedding } from '../../contract/envelope.js';
import type { FaceModel } from './face-models.js';

export type EmbeddingRefusal = 'length' | 'norm' | 'peak' | 'flat' | 'center';

/** The values as 16-bit integers, as they were sent and as they are kept. */
export type RawEmbedding = Int16Array;

export const fullScale = 32_767;
/** Rounding moves the length of 2,048 numbers by less than a thousandth; the rest is for other people’s arithmetic. */
const normTolerance = 0.02;
/** Most of the squared length that one number may carry: of a Gaussian of 64 numbers it is above 0.3 once in ten million. */
const peakMax = 0.5;
/** Most likeness to the vector of equal numbers. */
const flatMax = 0.95;
/** Least length that is left without the model’s center. */
const offCenterMin = 0.05;

/** The integers of the base64, or why they are none. */
export function decodeEmbedding({ dimension, values }: EnvelopeEmbedding): RawEmbedding | EmbeddingRefusal {
  const bytes = Buffer.from(values, 'base64');
  if (bytes.length !== dimension * 2) return 'length';
  return rawOf(bytes);
}

/** Little-endian, whatever the machine. */
export function rawOf(bytes: Uint8Array): RawEmbedding {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Int16Array.from({ length: bytes.byteLength / 2 }, (_, index) => view.getInt16(index * 2, true));
}

export function bytesOf(raw: RawEmbedding): Uint8Array {
  const view = new DataView(new ArrayBuffer(raw.length * 2));
  raw.forEach((value, index) => view.setInt16(index * 2, value, true));
  return new Uint8Array(view.buffer);
}

/** The direction of a face: unit length, the model’s center taken off. */
export function directionOf(raw: RawEmbedding, { center }: FaceModel): Float32Array | EmbeddingRefusal {
  const values = Float32Array.from(raw, (value) => value / fullScale);
  const length = Math.sqrt(dot(values, values));
  if (!(Math.abs(length - 1) <= normTolerance)) return 'norm';
  const peak = values.reduce((largest, value) => Math.max(largest, value * value), 0);
  if (peak > peakMax * length * length) return 'peak';
  const sum = values.reduce((total, value) => total + value, 0);
  if (Math.abs(sum) / (length * Math.sqrt(values.length)) > flatMax) return 'flat';
  scaleBy(values, 1 / length);
  if (center === null) return values;
  center.forEach((value, index) => (values[index] = (values[index] ?? 0) - value));
  const rest = Math.sqrt(dot(values, values));
  if (rest < offCenterMin) return 'center';
  scaleBy(values, 1 / rest);
  return values;
}

/** The cosine of two directions of one dimension. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

function scaleBy(values: Float32Array, factor: number): void {
  for (let index = 0; index < values.length; index += 1) values[index] = (values[index] ?? 0) * factor;
}
