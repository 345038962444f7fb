/**
 * Answers to a challenge: a blink, a turn, a nod, a smile. A movement starts from rest, goes far enough in the direction asked for, and
 * comes back. Moving the other way as well answers nothing. Other movements during a challenge are counted in other-movements.ts.
 */
import type { ChallengeType } from '../../src/contract/verdict.js';
import type { Blink } from './blink.js';
import type { Motion } from './geometry.js';
import { median, ramp } from './series.js';

export const gestureEdges = {
  /** Degrees from rest that a turn and a nod need, and those of a full one. */
  turnMin: 12,
  turnFull: 18,
  nodMin: 7,
  nodFull: 11,
  /** Growth of the mouth’s width that a smile needs, as a share of its rest, and that of a full one. */
  smileMin: 0.08,
  smileFull: 0.14,
  /** Degrees of turning that would widen or narrow a mouth by themselves. */
  smileYawMax: 12,
  /** A movement the other way, as a share of the one asked for, that spoils it. */
  oppositeShareMax: 0.6,
  /** Movement has come back at this share of its peak, and has this long after its frames to do so, ms. */
  returnShare: 0.5,
  returnMs: 2_500,
  /** A movement has begun at this share of what is needed. */
  onsetShare: 0.5,
  /** Quality of a movement that is only just enough. */
  least: 0.85,
  /** Frames at the beginning of a challenge that show its rest. */
  restFrames: 3,
} as const;

export interface Response {
  /** When the movement began, client clock, ms. */
  readonly onsetMs: number;
  /** 0-1. */
  readonly quality: number;
  /** Places in the track from which to which it went. */
  readonly frames: FrameRange;
}

export interface FrameRange {
  readonly first: number;
  readonly last: number;
}

/** Looks for the answer among frames `first` to `last` of the track; null where there is none. */
export function findResponse(
  type: ChallengeType,
  motion: Motion,
  blinks: readonly Blink[],
  first: number,
  last: number,
): Response | null {
  const range = { first, last };
  switch (type) {
    case 'blink': {
      const blink = blinks.find(({ fromFrame, toFrame }) => fromFrame >= first && toFrame <= last);
      if (blink === undefined) return null;
      const { startedAtMs, quality, fromFrame, toFrame } = blink;
      return { onsetMs: startedAtMs, quality, frames: { first: fromFrame, last: toFrame } };
    }
    case 'turn_left':
      return findExcursion(motion, motion.yaw, 1, gestureEdges.turnMin, gestureEdges.turnFull, range);
    case 'turn_right':
      return findExcursion(motion, motion.yaw, -1, gestureEdges.turnMin, gestureEdges.turnFull, range);
    case 'nod':
      return (
        findExcursion(motion, motion.pitch, 1, gestureEdges.nodMin, gestureEdges.nodFull, range) ??
        findExcursion(motion, motion.pitch, -1, gestureEdges.nodMin, gestureEdges.nodFull, range)
      );
    case 'smile':
      return findSmile(motion, range);
  }
}

/** The state of rest up to the challenge: not its first frames alone, which may still return from the one before. */
export function restOf(values: Float64Array, { first, last }: FrameRange): number {
  return median(values.subarray(0, Math.min(first + gestureEdges.restFrames, last + 1)));
}

function findExcursion(
  { atMs, count }: Motion,
  values: Float64Array,
  direction: 1 | -1,
  least: number,
  full: number,
  range: FrameRange,
): Response | null {
  const rest = restOf(values, range);
  const away = (frame: number): number => ((values[frame] ?? rest) - rest) * direction;
  let peak = range.first;
  let opposite = 0;
  for (let frame = range.first; frame <= range.last; frame += 1) {
    if (away(frame) > away(peak)) peak = frame;
  }
  for (let frame = range.first; frame <= peak; frame += 1) opposite = Math.max(opposite, -away(frame));
  const reached = away(peak);
  if (!(reached >= least) || opposite > least * gestureEdges.oppositeShareMax) return null;
  const deadlineMs = (atMs[range.last] ?? 0) + gestureEdges.returnMs;
  let back = peak;
  while (back < count && (atMs[back] ?? Infinity) <= deadlineMs && away(back) > reached * gestureEdges.returnShare)
    back += 1;
  if (back >= count || (atMs[back] ?? Infinity) > deadlineMs) return null;
  const onset = onsetOf(range.first, peak, (frame) => away(frame) >= least * gestureEdges.onsetShare);
  return {
    onsetMs: atMs[onset] ?? 0,
    quality: grade(reached, least, full),
    frames: { first: onset, last: back },
  };
}

/** By how much the mouth is wider than at rest, as a share; 0 while the head is turned, which widens or narrows it. */
export function mouthGrowth({ mouthWidth, yaw }: Motion, range: FrameRange): (frame: number) => number {
  const rest = restOf(mouthWidth, range);
  const ahead = restOf(yaw, range);
  return (frame) =>
    !(rest > 0.05) || Math.abs((yaw[frame] ?? 0) - ahead) > gestureEdges.smileYawMax
      ? 0
      : (mouthWidth[frame] ?? 0) / rest - 1;
}

function findSmile(motion: Motion, range: FrameRange): Response | null {
  const { atMs } = motion;
  const { smileMin, smileFull } = gestureEdges;
  const growth = mouthGrowth(motion, range);
  let peak = range.first;
  for (let frame = range.first; frame <= range.last; frame += 1) if (growth(frame) > growth(peak)) peak = frame;
  const reached = growth(peak);
  if (!(reached >= smileMin)) return null;
  const onset = onsetOf(range.first, peak, (frame) => growth(frame) >= smileMin * gestureEdges.onsetShare);
  let last = peak;
  while (last < range.last && growth(last) > reached * gestureEdges.returnShare) last += 1;
  return { onsetMs: atMs[onset] ?? 0, quality: grade(reached, smileMin, smileFull), frames: { first: onset, last } };
}

function onsetOf(first: number, peak: number, hasBegun: (frame: number) => boolean): number {
  let frame = peak;
  while (frame > first && hasBegun(frame - 1)) frame -= 1;
  return frame;
}

function grade(reached: number, least: number, full: number): number {
  return gestureEdges.least + (1 - gestureEdges.least) * ramp(reached, least, full);
}
