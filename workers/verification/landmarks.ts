/**
 * Unpacks the landmarks of an envelope to the 23 points that the verdict reads, whatever layout they came in. Frames that
 * show no face (points on top of each other) or whose time does not go forward are left out and counted. Never throws: bytes that are missing
 * make their frames unusable.
 *
 * Right and left are the respondent’s own: the right eye stands at the left of an image that is not mirrored.
 */
import {
  pointBytes,
  topologyPoints,
  unitsPerPixel,
  type EnvelopeFrames,
  type Topology,
} from '../../src/contract/envelope.js';

/** Places of the points in a frame: both eyes run corner, upper lid, corner, lower lid, each from the image’s left. */
export const point = {
  rightOuter: 0,
  rightUpperOuter: 1,
  rightUpperInner: 2,
  rightInner: 3,
  rightLowerInner: 4,
  rightLowerOuter: 5,
  leftInner: 6,
  leftUpperInner: 7,
  leftUpperOuter: 8,
  leftOuter: 9,
  leftLowerOuter: 10,
  leftLowerInner: 11,
  noseBridge: 12,
  noseTip: 13,
  rightWing: 14,
  leftWing: 15,
  rightMouth: 16,
  leftMouth: 17,
  upperLip: 18,
  lowerLip: 19,
  chin: 20,
  rightJaw: 21,
  leftJaw: 22,
} as const;

export const pointCount = topologyPoints.key23;

const mesh = [
  33, 160, 158, 133, 153, 144, 362, 385, 387, 263, 373, 380, 168, 1, 98, 327, 61, 291, 13, 14, 152, 234, 454,
] as const;

/** The index of each of the points in each layout. */
export const layouts: Readonly<Record<Topology, readonly number[]>> = {
  key23: Array.from({ length: pointCount }, (_, index) => index),
  face68: [36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 27, 30, 31, 35, 48, 54, 62, 66, 8, 0, 16],
  mesh468: mesh,
  mesh478: mesh,
};

/** Eyes closer than this cannot be separated, in pixels between the outer corners. */
const eyeWidthPixelsMin = 8;

/** The usable frames of a capture. */
export interface Track {
  readonly count: number;
  /** Time of each frame, ms, strictly increasing. */
  readonly atMs: Float64Array;
  /** Index that each frame had in the envelope. */
  readonly source: Int32Array;
  /** Pixels: point p of frame f stands at f * pointCount + p. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Frames sent, those without a face in their points, and those whose time went back or stood still. */
  readonly sent: number;
  readonly faceless: number;
  readonly backward: number;
  /** The width of the images, pixels. */
  readonly width: number;
  readonly height: number;
}

export function readTrack(frames: EnvelopeFrames): Track {
  const bytes = Buffer.from(frames.points, 'base64');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const layout = layouts[frames.topology];
  const stride = topologyPoints[frames.topology] * pointBytes;
  const sent = frames.atMs.length;
  const atMs = new Float64Array(sent);
  const source = new Int32Array(sent);
  const x = new Float64Array(sent * pointCount);
  const y = new Float64Array(sent * pointCount);
  let count = 0;
  let faceless = 0;
  let backward = 0;
  for (let frame = 0; frame < sent; frame += 1) {
    const at = frames.atMs[frame] ?? NaN;
    if (!Number.isFinite(at) || (count > 0 && at <= (atMs[count - 1] ?? 0))) {
      backward += 1;
      continue;
    }
    if ((frame + 1) * stride > bytes.byteLength || !readFrame(view, frame * stride, layout, x, y, count * pointCount)) {
      faceless += 1;
      continue;
    }
    atMs[count] = at;
    source[count] = frame;
    count += 1;
  }
  return { count, atMs, source, x, y, sent, faceless, backward, width: frames.width, height: frames.height };
}

/** Returns whether the frame shows a face. */
function readFrame(
  view: DataView,
  from: number,
  layout: readonly number[],
  x: Float64Array,
  y: Float64Array,
  to: number,
): boolean {
  for (let index = 0; index < pointCount; index += 1) {
    const at = from + (layout[index] ?? 0) * pointBytes;
    x[to + index] = view.getInt16(at, true) / unitsPerPixel;
    y[to + index] = view.getInt16(at + 2, true) / unitsPerPixel;
  }
  const across = distance(x, y, to + point.rightOuter, to + point.leftOuter);
  const down = distance(x, y, to + point.noseBridge, to + point.chin);
  return across >= eyeWidthPixelsMin && down >= eyeWidthPixelsMin / 2;
}

/** Between two places of the arrays, pixels. */
export function distance(x: Float64Array, y: Float64Array, a: number, b: number): number {
  return Math.hypot((x[a] ?? 0) - (x[b] ?? 0), (y[a] ?? 0) - (y[b] ?? 0));
}
