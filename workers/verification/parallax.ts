/**
 * Depth. When a head turns, its near points move against its far ones, and no map of a plane explains both views; a picture or a
 * screen that is tilted and waved stays a plane, whatever it shows. Only captures in which something turned say anything.
 */
import type { Motion } from './geometry.js';
import { fitPlane } from './homography.js';
import { point, pointCount, type Track } from './landmarks.js';
import { median, ramp } from './series.js';

export const parallaxEdges = {
  /** Frames held against the one at rest, at most. */
  comparisonsMax: 32,
  /** A turn that shows depth, degrees by the nose against the eyes; and a tilt that a plane shows, as foreshortening. */
  turnMin: 13,
  foreshorteningMax: 0.92,
  /** Fewer comparisons that turned may be noise. */
  turnedMin: 2,
  /** What a plane’s map leaves, in widths between the eyes: below the first it is a plane, from the second on a body. */
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
  /** What the comparisons left at most, in widths between the eyes. */
  readonly residual: number;
}

export function measureParallax(track: Track, motion: Motion): Parallax {
  const { count } = motion;
  if (count < 2) return { depth: null, residual: 0 };
  const rest = findRest(motion);
  const reference = rigidPoints(track, rest, motion);
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
    if (turn < parallaxEdges.turnMin && fit.foreshortening > parallaxEdges.foreshorteningMax) continue;
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
