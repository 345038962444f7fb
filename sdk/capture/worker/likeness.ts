/**
 * How alike two small pictures of a face are once one is laid on the other by the best affine map of their points. A picture that was moved,
 * turned in its plane or stretched is itself; a head that turned is not, as its nose hides and shows other skin.
 */
import type { Picture } from './picture.js';

export interface PlacedFace {
  readonly picture: Picture;
  /** x, y of its points in pixels. */
  readonly points: ArrayLike<number>;
}

/** Noise of single pixels says nothing: each is the mean of those so far around it. */
const blurRadius = 2;
/** The middle of the square, which is face. */
const middle = { from: 1 / 6, to: 5 / 6 } as const;

/** Compares each pair of faces; 0 without one. */
export function compareFaces(faces: readonly (PlacedFace | null)[]): number[][] {
  const blurred = faces.map((face) => (face === null ? null : { ...face, grey: blur(face.picture) }));
  return blurred.map((a) => blurred.map((b) => (a === null || b === null ? 0 : compare(a, b))));
}

type Blurred = PlacedFace & { readonly grey: Float64Array };

function compare({ picture: { width, height }, grey, points }: Blurred, other: Blurred): number {
  const [toX, toY] = [fit(points, other.points, 0), fit(points, other.points, 1)];
  const [as, bs]: [number[], number[]] = [[], []];
  for (let y = Math.round(height * middle.from); y < height * middle.to; y += 1) {
    for (let x = Math.round(width * middle.from); x < width * middle.to; x += 1) {
      const value = read(other, apply(toX, x, y), apply(toY, x, y));
      if (value === null) continue;
      as.push(grey[y * width + x] ?? 0);
      bs.push(value);
    }
  }
  return correlate(as, bs);
}

type Row = readonly [number, number, number];
const apply = ([a, b, c]: Row, x: number, y: number): number => a * x + b * y + c;

/** Least squares: `axis` of the points `to` from x and y of the points `from`. */
function fit(from: ArrayLike<number>, to: ArrayLike<number>, axis: 0 | 1): Row {
  const count = from.length / 2;
  const sum = (value: (point: number) => number): number => {
    let total = 0;
    for (let point = 0; point < count; point += 1) total += value(point);
    return total;
  };
  const x = (point: number): number => from[point * 2] ?? 0;
  const y = (point: number): number => from[point * 2 + 1] ?? 0;
  const z = (point: number): number => to[point * 2 + axis] ?? 0;
  const [mx, my, mz] = [sum(x) / count, sum(y) / count, sum(z) / count];
  const xx = sum((point) => (x(point) - mx) ** 2);
  const yy = sum((point) => (y(point) - my) ** 2);
  const xy = sum((point) => (x(point) - mx) * (y(point) - my));
  const xz = sum((point) => (x(point) - mx) * (z(point) - mz));
  const yz = sum((point) => (y(point) - my) * (z(point) - mz));
  const size = xx * yy - xy * xy;
  if (!(size > 1e-6)) return [0, 0, mz];
  const [a, b] = [(xz * yy - yz * xy) / size, (yz * xx - xz * xy) / size];
  return [a, b, mz - a * mx - b * my];
}

/** Between four pixels; null outside. */
function read({ picture: { width, height }, grey }: Blurred, x: number, y: number): number | null {
  const [column, row] = [Math.floor(x), Math.floor(y)];
  if (!(column >= 0 && row >= 0 && column < width - 1 && row < height - 1)) return null;
  const [right, down] = [x - column, y - row];
  const at = (across: number, below: number): number => grey[(row + below) * width + column + across] ?? 0;
  return (at(0, 0) * (1 - right) + at(1, 0) * right) * (1 - down) + (at(0, 1) * (1 - right) + at(1, 1) * right) * down;
}

function blur({ data, width, height }: Picture): Float64Array {
  const grey = new Float64Array(width * height);
  for (let place = 0; place < grey.length; place += 1) {
    const [x, y] = [place % width, Math.floor(place / width)];
    let sum = 0;
    let count = 0;
    for (let row = Math.max(0, y - blurRadius); row <= Math.min(height - 1, y + blurRadius); row += 1) {
      for (let column = Math.max(0, x - blurRadius); column <= Math.min(width - 1, x + blurRadius); column += 1) {
        sum += data[(row * width + column) * 4] ?? 0;
        count += 1;
      }
    }
    grey[place] = sum / count;
  }
  return grey;
}

/** Pearson’s; 0 where either is all alike. */
function correlate(a: readonly number[], b: readonly number[]): number {
  const [meanA, meanB] = [a, b].map((values) => values.reduce((sum, value) => sum + value, 0) / values.length);
  let [both, squaresA, squaresB] = [0, 0, 0];
  for (let index = 0; index < a.length; index += 1) {
    const [offA, offB] = [(a[index] ?? 0) - (meanA ?? 0), (b[index] ?? 0) - (meanB ?? 0)];
    both += offA * offB;
    squaresA += offA * offA;
    squaresB += offB * offB;
  }
  return squaresA * squaresB > 1e-6 ? both / Math.sqrt(squaresA * squaresB) : 0;
}
