/**
 * Noise of the landmarks. A sensor and a model always leave some, alike in neighbouring points; a computed face leaves none; noise added
 * point by point is white across points.
 */
import { point, pointCount, type Track } from './landmarks.js';
import { median, ramp } from './series.js';

export const jitterEdges = {
  framesMin: 12,
  /** Median second difference of the distance of two points, pixels: what the grid of packed landmarks makes, and what is noise for certain. */
  gridPixels: 0.18,
  noisePixels: 0.24,
  /** Likeness of neighbouring points’ noise: up to the first it was added point by point, from the second on it is one picture’s. */
  whiteMax: 0.05,
  whiteNone: 0.3,
} as const;

/** Pairs of points that move together and are read apart. */
const distant = [
  [point.rightInner, point.leftInner],
  [point.rightOuter, point.leftOuter],
  [point.rightOuter, point.leftInner],
  [point.rightInner, point.leftOuter],
] as const;

/** Pairs of points that every model places by the same piece of the picture. */
const neighbours = [
  [point.rightUpperOuter, point.rightUpperInner],
  [point.rightLowerOuter, point.rightLowerInner],
  [point.leftUpperOuter, point.leftUpperInner],
  [point.leftLowerOuter, point.leftLowerInner],
  [point.rightWing, point.noseTip],
  [point.leftWing, point.noseTip],
] as const;

export interface Jitter {
  /** 0-1: how sure it is that there is no noise at all; null if the capture is too short. */
  readonly absent: number | null;
  /** 0-1: how sure it is that the noise was added by hand; null as above. */
  readonly white: number | null;
}

export function measureJitter(track: Track): Jitter {
  if (track.count < jitterEdges.framesMin) return { absent: null, white: null };
  const noise = median(distant.flatMap(([a, b]) => stir(track, a, b)));
  const absent = 1 - ramp(noise, jitterEdges.gridPixels, jitterEdges.noisePixels);
  const alike = neighbours.map(
    ([a, b]) =>
      (agreement(differences(track.x, track.count, a), differences(track.x, track.count, b)) +
        agreement(differences(track.y, track.count, a), differences(track.y, track.count, b))) /
      2,
  );
  return { absent, white: (1 - absent) * (1 - ramp(median(alike), jitterEdges.whiteMax, jitterEdges.whiteNone)) };
}

/** How much the one point trembles against the other, frame by frame, pixels. */
function stir({ x, y, count }: Track, a: number, b: number): number[] {
  const across = differences(x, count, a, b);
  const down = differences(y, count, a, b);
  return Array.from(across, (value, frame) => Math.hypot(value, down[frame] ?? 0));
}

/** Second differences of one point’s coordinate, against another’s where one is named. */
function differences(values: Float64Array, count: number, index: number, against?: number): Float64Array {
  const at = (frame: number): number =>
    (values[frame * pointCount + index] ?? 0) -
    (against === undefined ? 0 : (values[frame * pointCount + against] ?? 0));
  return Float64Array.from({ length: count - 2 }, (_, frame) => at(frame) - 2 * at(frame + 1) + at(frame + 2));
}

/** How much oftener two series go the same way than opposite ones, -1 to 1: by sign, because one blink would outweigh all noise by size. */
function agreement(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, index) => sum + Math.sign(value) * Math.sign(b[index] ?? 0), 0) / Math.max(1, a.length);
}
