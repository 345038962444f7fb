/**
 * Pose and expression of every frame from its landmarks. Angles come from parallax: how far the tip of the nose moves against eyes and
 * mouth, which a flat picture never shows. In degrees, comparable within a capture only.
 */
import { distance, point, pointCount, type Track } from './landmarks.js';

/** A head’s proportions, in widths between the outer corners of the eyes; depths count towards the viewer from the eyes. */
export const proportions = {
  noseDepth: 0.45,
  noseDrop: 0.42,
  mouthDepth: 0.09,
  mouthDrop: 0.78,
} as const;

export interface Motion {
  readonly count: number;
  readonly atMs: Float64Array;
  /** Degrees; positive to the respondent’s left. */
  readonly yaw: Float64Array;
  /** Degrees; positive downwards. */
  readonly pitch: Float64Array;
  /** Degrees in the image’s plane. */
  readonly roll: Float64Array;
  /** Opening of an eye over its width. */
  readonly rightEye: Float64Array;
  readonly leftEye: Float64Array;
  /** Width and opening of the mouth over the width of the face. */
  readonly mouthWidth: Float64Array;
  readonly mouthOpen: Float64Array;
  /** Middle of the eyes and size of the face, pixels. */
  readonly centreX: Float64Array;
  readonly centreY: Float64Array;
  readonly size: Float64Array;
}

const degrees = 180 / Math.PI;

export function readMotion(track: Track): Motion {
  const fresh = (): Float64Array => new Float64Array(track.count);
  const motion: Motion = {
    count: track.count,
    atMs: track.atMs.subarray(0, track.count),
    yaw: fresh(),
    pitch: fresh(),
    roll: fresh(),
    rightEye: fresh(),
    leftEye: fresh(),
    mouthWidth: fresh(),
    mouthOpen: fresh(),
    centreX: fresh(),
    centreY: fresh(),
    size: fresh(),
  };
  for (let frame = 0; frame < track.count; frame += 1) readFrame(track, frame, motion);
  return { ...motion, yaw: smooth(motion.yaw, motion.atMs), pitch: smooth(motion.pitch, motion.atMs) };
}

/** Heads turn slowly and landmarks tremble: angles are means over this long to either side, ms. */
export const smoothingMs = 70;

function smooth(values: Float64Array, atMs: Float64Array): Float64Array {
  let first = 0;
  let end = 0;
  let sum = 0;
  return values.map((_, frame) => {
    const at = atMs[frame] ?? 0;
    while (end < values.length && (atMs[end] ?? 0) <= at + smoothingMs) sum += values[end++] ?? 0;
    while ((atMs[first] ?? 0) < at - smoothingMs) sum -= values[first++] ?? 0;
    return sum / (end - first);
  });
}

function readFrame({ x, y }: Track, frame: number, motion: Motion): void {
  const from = frame * pointCount;
  const at = (index: number): readonly [number, number] => [x[from + index] ?? 0, y[from + index] ?? 0];
  const apart = (a: number, b: number): number => distance(x, y, from + a, from + b);
  const middle = (a: number, b: number): readonly [number, number] => {
    const [ax, ay] = at(a);
    const [bx, by] = at(b);
    return [(ax + bx) / 2, (ay + by) / 2];
  };
  const right = middle(point.rightOuter, point.rightInner);
  const left = middle(point.leftOuter, point.leftInner);
  const eyes: readonly [number, number] = [(right[0] + left[0]) / 2, (right[1] + left[1]) / 2];
  const angle = Math.atan2(left[1] - right[1], left[0] - right[0]);
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  /** Along the line of the eyes, and across it downwards. */
  const place = ([px, py]: readonly [number, number]): readonly [number, number] => [
    (px - eyes[0]) * cos + (py - eyes[1]) * sin,
    (py - eyes[1]) * cos - (px - eyes[0]) * sin,
  ];
  const width = apart(point.rightOuter, point.leftOuter);
  const nose = place(at(point.noseTip));
  const mouth = place(middle(point.rightMouth, point.leftMouth));
  const size = Math.max(width, Math.hypot(mouth[0], mouth[1]) / proportions.mouthDrop, 1);
  motion.yaw[frame] = Math.atan(nose[0] / width / proportions.noseDepth) * degrees;
  motion.pitch[frame] = readPitch(nose[1], mouth[1]);
  motion.roll[frame] = angle * degrees;
  motion.rightEye[frame] = readOpening(apart, [0, 1, 2, 3, 4, 5]);
  motion.leftEye[frame] = readOpening(apart, [6, 7, 8, 9, 10, 11]);
  motion.mouthWidth[frame] = apart(point.rightMouth, point.leftMouth) / size;
  motion.mouthOpen[frame] = apart(point.upperLip, point.lowerLip) / size;
  motion.centreX[frame] = eyes[0];
  motion.centreY[frame] = eyes[1];
  motion.size[frame] = size;
}

/** From how far down the nose stands between the eyes and the mouth, whose depths differ. */
function readPitch(noseDown: number, mouthDown: number): number {
  const { noseDepth, noseDrop, mouthDepth, mouthDrop } = proportions;
  if (!(mouthDown > 1)) return 0;
  const share = noseDown / mouthDown;
  const depth = noseDepth - mouthDepth * share;
  return depth > 0.05 ? Math.atan((mouthDrop * share - noseDrop) / depth) * degrees : 0;
}

/** Opening over width of an eye given as corner, two upper lid points, corner, two lower lid points. */
function readOpening(
  apart: (a: number, b: number) => number,
  [a, b, c, d, e, f]: readonly [number, number, number, number, number, number],
): number {
  const width = apart(a, d);
  return width > 0.5 ? Math.min((apart(b, f) + apart(c, e)) / (2 * width), 2) : 0;
}
