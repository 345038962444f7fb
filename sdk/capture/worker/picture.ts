/**
 * Pictures as plain bytes, and square pieces of them as the input of a model: turned upright, scaled, between the pixels. Outside
 * of the picture a piece is black. Pure arithmetic, so that every backend and every browser sees the same numbers.
 */

/** RGBA, 8 bits each, row by row. */
export interface Picture {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** A square in a picture: its middle and side in pixels, turned by `angle` radians clockwise. */
export interface Square {
  readonly x: number;
  readonly y: number;
  readonly side: number;
  readonly angle: number;
}

export interface CutOptions {
  /** Pixels along a side of the piece. */
  readonly size: number;
  /** A byte becomes byte * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  /** Mirrored left to right. */
  readonly flipped?: boolean;
}

/** RGB of a square, row by row, written into `into` from `at` on. */
export function cutSquare(picture: Picture, square: Square, options: CutOptions, into: Float32Array, at = 0): void {
  const { size, scale, offset } = options;
  const step = square.side / size;
  const cos = Math.cos(square.angle) * step;
  const sin = Math.sin(square.angle) * step;
  const half = (size - 1) / 2;
  let place = at;
  for (let row = 0; row < size; row += 1) {
    const down = row - half;
    for (let column = 0; column < size; column += 1) {
      const across = options.flipped === true ? half - column : column - half;
      const x = square.x + across * cos - down * sin;
      const y = square.y + across * sin + down * cos;
      place = sample(picture, x, y, scale, offset, into, place);
    }
  }
}

/** Bilinear, in three channels; returns the place after them. */
function sample(
  { data, width, height }: Picture,
  x: number,
  y: number,
  scale: number,
  offset: number,
  into: Float32Array,
  place: number,
): number {
  const left = Math.floor(x);
  const top = Math.floor(y);
  if (left < 0 || top < 0 || left >= width - 1 || top >= height - 1) {
    into[place] = into[place + 1] = into[place + 2] = offset;
    return place + 3;
  }
  const right = x - left;
  const below = y - top;
  const from = (top * width + left) * 4;
  const under = from + width * 4;
  for (let channel = 0; channel < 3; channel += 1) {
    const upper = (data[from + channel] ?? 0) * (1 - right) + (data[from + 4 + channel] ?? 0) * right;
    const lower = (data[under + channel] ?? 0) * (1 - right) + (data[under + 4 + channel] ?? 0) * right;
    into[place + channel] = (upper * (1 - below) + lower * below) * scale + offset;
  }
  return place + 3;
}

/** The position in the picture of a place in a piece; `x` and `y` from 0 to 1 across the piece. */
export function placeIn(square: Square, x: number, y: number): readonly [number, number] {
  const across = (x - 0.5) * square.side;
  const down = (y - 0.5) * square.side;
  const cos = Math.cos(square.angle);
  const sin = Math.sin(square.angle);
  return [square.x + across * cos - down * sin, square.y + across * sin + down * cos];
}

/** Luminance 0-255 of one pixel, given the place of its red byte. */
export function luminanceAt(data: Uint8ClampedArray, place: number): number {
  return 0.299 * (data[place] ?? 0) + 0.587 * (data[place + 1] ?? 0) + 0.114 * (data[place + 2] ?? 0);
}

/** FNV-1a over every byte, in two halves: equal only for equal pictures, as 16 hexadecimal digits. */
export function hashPicture({ data }: Picture): string {
  const words = new Uint32Array(data.buffer, data.byteOffset, data.byteLength >> 2);
  let first = 0x811c9dc5;
  let second = 0x1000193;
  for (const word of words) {
    first = Math.imul(first ^ word, 0x01000193);
    second = Math.imul(second ^ (word >>> 15) ^ (word << 17), 0x85ebca6b);
  }
  return hex(first) + hex(second);
}

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');
