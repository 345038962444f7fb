/**
 * Marks by which a capture is recognised when it comes again. Those of its frames know it while most frames stay as they were, in whatever order.
 * Those of its motion know it after every point of every frame was nudged, or the whole enlarged or moved: where the face is, compared with moments
 * before, in sizes of the face, and how high it is for its width. Means over points and neighbouring frames lie in cells that a nudge seldom leaves
 * and that two captures, even of one person, seldom share. Frames that stand still have no mark of motion, because everybody stands still alike.
 * Of each kind those with the least digests are kept: captures that share most share most of these.
 */
import { createHash } from 'node:crypto';
import { pointBytes, topologyPoints, type Envelope } from '../../src/contract/envelope.js';
import type { CaptureMarks } from '../../src/contract/verdict.js';

/** A mark is 64 bits: enough that no two captures of an organization share one by chance. */
const markDigits = 16;
export const frameMarksMax = 8;
export const motionMarksMax = 64;
/** Frames back that a frame is compared with, and frames to either side whose mean it is. */
const gaps = [4, 8, 12, 16] as const;
const smoothing = 3;
/** Width of the cells of movement, in sizes of the face, and of height over width; and where the cells begin. */
const movementCell = 0.02;
const shapeCell = 0.01;
const cellStart = 0.37;
/** A face that moved by fewer cells stands still. */
const movedCells = 2;

export function markCapture({ frames, embedding }: Envelope): CaptureMarks {
  return {
    embedding: embedding == null ? null : digest(`${embedding.model} ${embedding.dimension} ${embedding.values}`),
    ...(frames == null ? { frames: [], motion: [] } : markFrames(frames)),
  };
}

function markFrames({ points, topology }: NonNullable<Envelope['frames']>): Pick<CaptureMarks, 'frames' | 'motion'> {
  const bytes = Buffer.from(points, 'base64');
  const stride = topologyPoints[topology] * pointBytes;
  const each = Array.from({ length: Math.floor(bytes.length / stride) }, (_, frame) =>
    bytes.subarray(frame * stride, (frame + 1) * stride),
  );
  const outlines = smooth(each.map(outlineOf));
  return {
    frames: least(each.map(digest), frameMarksMax),
    motion: least(
      outlines.flatMap(
        (outline, frame) =>
          markMotion(
            outline,
            gaps.map((gap) => outlines[frame - gap]),
          ) ?? [],
      ),
      motionMarksMax,
    ),
  };
}

interface Outline {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Means over all points: what a single one does is hardly seen in them. */
function outlineOf(frame: Buffer): Outline {
  const count = frame.length / pointBytes;
  const axis = (offset: number): readonly [mean: number, spread: number] => {
    const places = Array.from({ length: count }, (_, point) => frame.readInt16LE(point * pointBytes + offset));
    const mean = places.reduce((sum, place) => sum + place, 0) / count;
    return [mean, places.reduce((sum, place) => sum + Math.abs(place - mean), 0) / count];
  };
  const [[x, width], [y, height]] = [axis(0), axis(pointBytes / 2)];
  return { x, y, width, height };
}

/** Noise of single frames is hardly seen in the mean of neighbours. */
const smooth = (outlines: readonly Outline[]): Outline[] =>
  outlines.map((_, frame) => {
    const near = outlines.slice(Math.max(0, frame - smoothing), frame + smoothing + 1);
    const mean = (name: keyof Outline): number => near.reduce((sum, each) => sum + each[name], 0) / near.length;
    return { x: mean('x'), y: mean('y'), width: mean('width'), height: mean('height') };
  });

/** null of a face that stands still, or was not yet seen long enough. */
function markMotion({ x, y, width, height }: Outline, earlier: readonly (Outline | undefined)[]): string | null {
  const size = (width + height) / 2;
  const cell = (value: number, cellSize: number): number => Math.floor(value / cellSize + cellStart);
  const moved = earlier.flatMap((before) =>
    before === undefined
      ? [NaN]
      : [cell((x - before.x) / size, movementCell), cell((y - before.y) / size, movementCell)],
  );
  if (!(Math.max(...moved.map(Math.abs)) >= movedCells)) return null;
  return digest([...moved, cell(height / width, shapeCell)].join(' '));
}

const least = (marks: readonly string[], count: number): string[] => [...new Set(marks)].sort().slice(0, count);

function digest(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex').slice(0, markDigits);
}
