/**
 * Blinks: both eyes close and open again in the time that lids take, and close faster than they open where frames are fast enough to show
 * it.
 */
import type { Motion } from './geometry.js';
import { median, quantile } from './series.js';

export const blinkEdges = {
  /** Openness of the rest of the capture that counts as open, as a quantile. */
  openQuantile: 0.7,
  /** An eye is shut below this share of its own openness, and open again above that. */
  shutShare: 0.7,
  openShare: 0.85,
  /** Length of a blink, ms; frames between which it falls widen both. */
  msMin: 80,
  msMax: 500,
  /** Frames that a blink needs before its shape is judged, and how much slower closing may be than opening. */
  shapeFramesMin: 5,
  closingOverOpeningMax: 1.3,
  /** Quality of a blink whose shape is wrong, or could not be seen. */
  shapeWrong: 0.8,
} as const;

export interface Blink {
  readonly fromFrame: number;
  readonly toFrame: number;
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** 0-1. */
  readonly quality: number;
}

/** All blinks of a capture, in order. */
export function findBlinks(motion: Motion): readonly Blink[] {
  const { rightEye, leftEye, atMs, count } = motion;
  if (count < 4) return [];
  const right = openness(rightEye);
  const left = openness(leftEye);
  if (right === null || left === null) return [];
  const blinks: Blink[] = [];
  let frame = 0;
  while (frame < count) {
    if (!isBelow(right, left, frame, blinkEdges.shutShare)) {
      frame += 1;
      continue;
    }
    let from = frame;
    while (from > 0 && isBelow(right, left, from - 1, blinkEdges.openShare)) from -= 1;
    let to = frame;
    while (to + 1 < count && isBelow(right, left, to + 1, blinkEdges.openShare)) to += 1;
    const blink = judge(right, left, atMs, from, to, count);
    if (blink !== null) blinks.push(blink);
    frame = to + 1;
  }
  return blinks;
}

/** Share of the eye’s usual opening in each frame; null where the eye is never open. */
function openness(eye: Float64Array): Float64Array | null {
  const open = quantile(eye, blinkEdges.openQuantile);
  return open > 0.02 ? eye.map((value) => value / open) : null;
}

function isBelow(right: Float64Array, left: Float64Array, frame: number, share: number): boolean {
  return (right[frame] ?? 1) < share && (left[frame] ?? 1) < share;
}

function judge(
  right: Float64Array,
  left: Float64Array,
  atMs: Float64Array,
  from: number,
  to: number,
  count: number,
): Blink | null {
  // An eye that was shut when the capture began, or when it ended, has not been seen to close and open.
  if (from === 0 || to === count - 1) return null;
  const time = (frame: number): number => atMs[frame] ?? 0;
  const step = median(atMs.subarray(1).map((at, index) => at - time(index)));
  const startedAtMs = (time(from - 1) + time(from)) / 2;
  const durationMs = (time(to) + time(to + 1)) / 2 - startedAtMs;
  if (durationMs < blinkEdges.msMin - step || durationMs > blinkEdges.msMax + step) return null;
  let bottom = from;
  for (let frame = from; frame <= to; frame += 1) {
    const depth = (right[frame] ?? 1) + (left[frame] ?? 1);
    if (depth < (right[bottom] ?? 1) + (left[bottom] ?? 1)) bottom = frame;
  }
  const seen = to - from + 1 >= blinkEdges.shapeFramesMin;
  const closing = time(bottom) - startedAtMs;
  const opening = startedAtMs + durationMs - time(bottom);
  const wrong = seen && closing > opening * blinkEdges.closingOverOpeningMax;
  return { fromFrame: from, toFrame: to, startedAtMs, durationMs, quality: wrong ? blinkEdges.shapeWrong : 1 };
}
