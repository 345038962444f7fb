/**
 * Depth: when a head turns, near points move against far ones; a picture or screen that is waved stays a plane. Only captures in which
 * something turned say anything.
 */
import type { Motion } from './geometry.js';
import { distance, point, pointCount, type Track } from './landmarks.js';
import { median, ramp } from './series.js';

export const parallaxEdges = {
  /** Frames held against the one at rest, at most. */
  comparisonsMax: 32,
  /** A turn or nod that shows depth, degrees by the nose against the eyes; a little less than the page waits for. */
  turnMin: 10,
  /** A tilt of a plane, as foreshortening; and the change of the mouth against the eyes, as a share, from which it is a smile’s, not a tilt’s. */
  foreshorteningMax: 0.92,
  smileMin: 0.06,
  /** Fewer comparisons that turned may be noise. */
  turnedMin: 2,
  /** The residual of a plane’s map, in widths between the eyes: below the first it is a plane, from the second on a body. */
  residualFlat: 0.012,
  residualSolid: 0.028,
} as const;

/** Points that keep their place on the skull whatever the face does. */
const rigid = [
  point.rightOuter,
  point.rightInner,
  point.leftInner,
  point.leftOuter,
  point.noseBridge,
  point.noseTip,
  point.rightWing,
  point.leftWing,
  point.rightJaw,
  point.leftJaw,
] as const;

export interface Parallax {
  /** 0 a plane, 1 a body; null if nothing turned far enough. */
  readonly depth: number | null;
  /** The largest residual of the comparisons, in widths between the eyes. */
  readonly residual: number;
}

export function measureParallax(track: Track, motion: Motion): Parallax {
  const { count } = motion;
  if (count < 2) return { depth: null, residual: 0 };
  const rest = findRest(motion);
  const reference = rigidPoints(track, rest, motion);
  const mouth = readMouth(track, rest);
  const step = Math.max(1, Math.ceil(count / parallaxEdges.comparisonsMax));
  let residual = 0;
  let turned = 0;
  for (let frame = 0; frame < count; frame += step) {
    const seen = rigidPoints(track, frame, motion);
    const fit = fitPlane(reference.x, reference.y, seen.x, seen.y);
    if (fit === null) continue;
    const turn = Math.max(
      Math.abs((motion.yaw[frame] ?? 0) - (motion.yaw[rest] ?? 0)),
      Math.abs((motion.pitch[frame] ?? 0) - (motion.pitch[rest] ?? 0)),
    );
    const isTilted =
      fit.foreshortening <= parallaxEdges.foreshorteningMax &&
      Math.abs(readMouth(track, frame) / mouth - 1) < parallaxEdges.smileMin;
    if (turn < parallaxEdges.turnMin && !isTilted) continue;
    turned += 1;
    residual = Math.max(residual, fit.residual);
  }
  const { residualFlat, residualSolid, turnedMin } = parallaxEdges;
  return { depth: turned >= turnedMin ? ramp(residual, residualFlat, residualSolid) : null, residual };
}

/** The frame whose pose is nearest to the middle of the capture. */
function findRest({ yaw, pitch, count }: Motion): number {
  const yawRest = median(yaw);
  const pitchRest = median(pitch);
  let rest = 0;
  let least = Infinity;
  for (let frame = 0; frame < count; frame += 1) {
    const away = Math.abs((yaw[frame] ?? 0) - yawRest) + Math.abs((pitch[frame] ?? 0) - pitchRest);
    if (away < least) {
      least = away;
      rest = frame;
    }
  }
  return rest;
}

/** Width of the mouth over that between the outer corners of the eyes: a plane keeps it however it turns, a smile does not. */
function readMouth({ x, y }: Track, frame: number): number {
  const apart = (a: number, b: number): number => distance(x, y, frame * pointCount + a, frame * pointCount + b);
  return apart(point.rightMouth, point.leftMouth) / Math.max(apart(point.rightOuter, point.leftOuter), 1);
}

/** Around the middle of the eyes, in sizes of the face. */
function rigidPoints(
  { x, y }: Track,
  frame: number,
  { centreX, centreY, size }: Motion,
): { readonly x: readonly number[]; readonly y: readonly number[] } {
  const scale = size[frame] ?? 1;
  return {
    x: rigid.map((each) => ((x[frame * pointCount + each] ?? 0) - (centreX[frame] ?? 0)) / scale),
    y: rigid.map((each) => ((y[frame * pointCount + each] ?? 0) - (centreY[frame] ?? 0)) / scale),
  };
}

export interface PlaneFit {
  /** Root mean square of what the map leaves, in units of the points. */
  readonly residual: number;
  /** How much the map shortens one direction against the other: 1 for none, the cosine of a turn out of the image. */
  readonly foreshortening: number;
}

const unknowns = 8;

/** null where the points do not settle a map. Needs five pairs at least to say anything; takes as many as there are. */
export function fitPlane(
  fromX: readonly number[],
  fromY: readonly number[],
  toX: readonly number[],
  toY: readonly number[],
): PlaneFit | null {
  // Normal equations of u = (ax + by + c) / (gx + hy + 1), v = (dx + ey + f) / (gx + hy + 1), in a..h.
  const system = Array.from({ length: unknowns }, () => new Float64Array(unknowns + 1));
  for (let index = 0; index < fromX.length; index += 1) {
    const x = fromX[index] ?? 0;
    const y = fromY[index] ?? 0;
    const u = toX[index] ?? 0;
    const v = toY[index] ?? 0;
    accumulate(system, [x, y, 1, 0, 0, 0, -u * x, -u * y], u);
    accumulate(system, [0, 0, 0, x, y, 1, -v * x, -v * y], v);
  }
  const map = solve(system);
  if (map === null) return null;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = map;
  let squares = 0;
  for (let index = 0; index < fromX.length; index += 1) {
    const x = fromX[index] ?? 0;
    const y = fromY[index] ?? 0;
    const scale = g * x + h * y + 1;
    if (!(Math.abs(scale) > 1e-3)) return null;
    squares += ((a * x + b * y + c) / scale - (toX[index] ?? 0)) ** 2;
    squares += ((d * x + e * y + f) / scale - (toY[index] ?? 0)) ** 2;
  }
  const residual = Math.sqrt(squares / fromX.length);
  return Number.isFinite(residual)
    ? { residual, foreshortening: shorten(a - c * g, b - c * h, d - f * g, e - f * h) }
    : null;
}

/** Ratio of the singular values of the map’s linear part at the origin. */
function shorten(a: number, b: number, c: number, d: number): number {
  const sum = a * a + b * b + c * c + d * d;
  const difference = Math.sqrt(Math.max(0, sum * sum - 4 * (a * d - b * c) ** 2));
  const greater = (sum + difference) / 2;
  return greater > 1e-9 ? Math.sqrt(Math.max(0, (sum - difference) / 2) / greater) : 1;
}

function accumulate(system: readonly Float64Array[], row: readonly number[], value: number): void {
  for (let i = 0; i < unknowns; i += 1) {
    const target = system[i];
    const factor = row[i] ?? 0;
    if (target === undefined || factor === 0) continue;
    for (let j = 0; j < unknowns; j += 1) target[j] = (target[j] ?? 0) + factor * (row[j] ?? 0);
    target[unknowns] = (target[unknowns] ?? 0) + factor * value;
  }
}

/** Gauss with pivots; null for a system that is singular. */
function solve(system: Float64Array[]): Float64Array | null {
  for (let column = 0; column < unknowns; column += 1) {
    let best = column;
    for (let row = column + 1; row < unknowns; row += 1)
      if (Math.abs(system[row]?.[column] ?? 0) > Math.abs(system[best]?.[column] ?? 0)) best = row;
    const pivot = system[best];
    const other = system[column];
    if (pivot === undefined || other === undefined || !(Math.abs(pivot[column] ?? 0) > 1e-9)) return null;
    system[best] = other;
    system[column] = pivot;
    for (let row = 0; row < unknowns; row += 1) {
      const target = system[row];
      if (row === column || target === undefined) continue;
      const factor = (target[column] ?? 0) / (pivot[column] ?? 1);
      for (let j = column; j <= unknowns; j += 1) target[j] = (target[j] ?? 0) - factor * (pivot[j] ?? 0);
    }
  }
  return Float64Array.from(system, (row, index) => (row[unknowns] ?? 0) / (row[index] ?? 1));
}
