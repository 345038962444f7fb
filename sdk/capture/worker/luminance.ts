/** A picture as luminance 0-255, and simple statistics that several measurements share. */
import { luminanceAt, type Picture } from './picture.js';

export interface Luminance {
  readonly values: Float32Array;
  readonly width: number;
  readonly height: number;
}

export function toLuminance({ data, width, height }: Picture): Luminance {
  const values = new Float32Array(width * height);
  for (let index = 0; index < values.length; index += 1) values[index] = luminanceAt(data, index * 4);
  return { values, width, height };
}

/** The position of the face: its middle and width, pixels. */
export interface FacePlace {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index += 1) sum += values[index] ?? 0;
  return values.length === 0 ? 0 : sum / values.length;
}

export function deviation(values: ArrayLike<number>): number {
  const middle = mean(values);
  let sum = 0;
  for (let index = 0; index < values.length; index += 1) sum += ((values[index] ?? 0) - middle) ** 2;
  return values.length === 0 ? 0 : Math.sqrt(sum / values.length);
}

/** The value below which a share of the others lies; null of nothing. */
export function quantile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
}

/** 0 up to `low`, 1 from `high` on, straight between. */
export function ramp(value: number, low: number, high: number): number {
  return Math.min(1, Math.max(0, (value - low) / (high - low)));
}
