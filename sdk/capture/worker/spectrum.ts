/**
 * Periodic patterns in a face: the share of its fine detail that stands in single frequencies. Skin and sensor noise spread over all of
 * them; the grid of a display, sampled by the grid of a sensor, stands in a few.
 */
import type { Luminance } from './luminance.js';

const side = 128;
/** Cycles per pixel from where on detail is fine; how far a peak stands above its ring; rings, and the axes, where blocks of JPEG stand. */
const fineFrom = 0.2;
const peakOver = 30;
const rings = 24;
const axis = 2;

/** 0-1; null where the picture is too small. */
export function measureMoire(picture: Luminance, centreX: number, centreY: number): number | null {
  const left = Math.round(centreX - side / 2);
  const top = Math.round(centreY - side / 2);
  if (left < 0 || top < 0 || left + side > picture.width || top + side > picture.height) return null;
  const power = transform(picture, left, top);
  const byRing: number[][] = Array.from({ length: rings }, () => []);
  const places: (readonly [number, number])[] = [];
  for (let row = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1) {
      const down = Math.min(row, side - row);
      const across = Math.min(column, side - column);
      const frequency = Math.hypot(across, down) / side;
      if (frequency < fineFrom || across < axis || down < axis) continue;
      const ring = Math.min(rings - 1, Math.floor(((frequency - fineFrom) / (Math.SQRT1_2 - fineFrom)) * rings));
      byRing[ring]?.push(power[row * side + column] ?? 0);
      places.push([row * side + column, ring]);
    }
  }
  const usual = byRing.map((values) => Float64Array.from(values).sort()[values.length >> 1] ?? 0);
  let all = 0;
  let peaks = 0;
  for (const [place, ring] of places) {
    const value = power[place] ?? 0;
    all += value;
    if (value > peakOver * (usual[ring] ?? 0)) peaks += value;
  }
  return all > 0 ? peaks / all : null;
}

/** Power of each frequency of a windowed square. */
function transform({ values, width }: Luminance, left: number, top: number): Float64Array {
  const real = new Float64Array(side * side);
  const imaginary = new Float64Array(side * side);
  for (let row = 0; row < side; row += 1)
    for (let column = 0; column < side; column += 1)
      real[row * side + column] =
        (values[(top + row) * width + left + column] ?? 0) * (hann[row] ?? 0) * (hann[column] ?? 0);
  for (let row = 0; row < side; row += 1) transformLine(real, imaginary, row * side, 1);
  for (let column = 0; column < side; column += 1) transformLine(real, imaginary, column, side);
  return real.map((value, index) => value * value + (imaginary[index] ?? 0) ** 2);
}

const hann = Float64Array.from(
  { length: side },
  (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / (side - 1)),
);

/** Fast Fourier transform in place of `side` values, `step` apart. */
function transformLine(real: Float64Array, imaginary: Float64Array, from: number, step: number): void {
  const at = (index: number): number => from + index * step;
  for (let index = 1, mirrored = 0; index < side; index += 1) {
    let bit = side >> 1;
    for (; (mirrored & bit) !== 0; bit >>= 1) mirrored ^= bit;
    mirrored ^= bit;
    if (index >= mirrored) continue;
    swap(real, at(index), at(mirrored));
    swap(imaginary, at(index), at(mirrored));
  }
  for (let length = 2; length <= side; length <<= 1) {
    const half = length >> 1;
    for (let start = 0; start < side; start += length) {
      for (let offset = 0; offset < half; offset += 1) {
        const angle = (-2 * Math.PI * offset) / length;
        const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
        const [low, high] = [at(start + offset), at(start + offset + half)];
        const [a, b] = [real[high] ?? 0, imaginary[high] ?? 0];
        const [x, y] = [a * cos - b * sin, a * sin + b * cos];
        real[high] = (real[low] ?? 0) - x;
        imaginary[high] = (imaginary[low] ?? 0) - y;
        real[low] = (real[low] ?? 0) + x;
        imaginary[low] = (imaginary[low] ?? 0) + y;
      }
    }
  }
}

function swap(values: Float64Array, a: number, b: number): void {
  const kept = values[a] ?? 0;
  values[a] = values[b] ?? 0;
  values[b] = kept;
}
