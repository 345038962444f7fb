/** Pictures that come again. A live camera never delivers the same landmarks twice; a still repeats one frame, a looped clip its sequence. */
import type { EnvelopeFrames } from '../../src/contract/envelope.js';
import type { Motion } from './geometry.js';
import { pointCount, type Track } from './landmarks.js';
import { correlation, spread } from './series.js';

export const repetitionEdges = {
  /** Share of frames equal to the one before them, and length of a run of such frames, that a camera does not produce. */
  frozenShare: 0.6,
  frozenRunMs: 700,
  frozenRunFrames: 6,
  /** Fewer frames cannot show a circle; a circle is no shorter than this, and covers this share of what it is held against. */
  loopFramesMin: 20,
  loopLagMin: 8,
  loopOverlapShare: 0.35,
  loopOverlapMin: 12,
  /** Distance of frames a circle apart over that of neighbouring frames, below which the one is the other again. */
  loopDistanceShare: 0.25,
  /** The same movement again, as correlation, and how much movement that takes (degrees). */
  loopCorrelation: 0.995,
  loopMovement: 4,
  /** Frames whose pixels came before, not just now, as a share of all. */
  hashShare: 0.15,
} as const;

export interface Repetition {
  /** 0-1: how sure it is that the picture stood still. */
  readonly frozen: number;
  /** 0-1: how sure it is that a clip ran in a circle. */
  readonly looped: number;
}

export function measureRepetition(track: Track, motion: Motion, hashes: EnvelopeFrames['hashes']): Repetition {
  const frozen = findStills(track, hashes);
  return { frozen, looped: Math.max(findLoop(track, motion, frozen > 0), repeatedHashes(hashes)) };
}

function findStills(track: Track, hashes: EnvelopeFrames['hashes']): number {
  const { count, atMs, source } = track;
  if (count < 3) return 0;
  let equal = 0;
  let run = 0;
  let longestMs = 0;
  for (let frame = 1; frame < count; frame += 1) {
    const here = hashes?.[source[frame] ?? 0];
    const same =
      isSameFrame(track, frame - 1, frame) || (here !== undefined && here === hashes?.[source[frame - 1] ?? 0]);
    run = same ? run + 1 : 0;
    if (!same) continue;
    equal += 1;
    if (run >= repetitionEdges.frozenRunFrames)
      longestMs = Math.max(longestMs, (atMs[frame] ?? 0) - (atMs[frame - run] ?? 0));
  }
  const share = equal / (count - 1);
  return share >= repetitionEdges.frozenShare || longestMs >= repetitionEdges.frozenRunMs ? 1 : 0;
}

function isSameFrame({ x, y }: Track, a: number, b: number): boolean {
  for (let index = 0; index < pointCount; index += 1) {
    if (x[a * pointCount + index] !== x[b * pointCount + index]) return false;
    if (y[a * pointCount + index] !== y[b * pointCount + index]) return false;
  }
  return true;
}

function repeatedHashes(hashes: EnvelopeFrames['hashes']): number {
  if (hashes === undefined || hashes.length < repetitionEdges.loopFramesMin) return 0;
  const lastSeen = new Map<string, number>();
  let again = 0;
  for (const [index, hash] of hashes.entries()) {
    const before = lastSeen.get(hash);
    if (before !== undefined && index - before >= repetitionEdges.loopLagMin) again += 1;
    lastSeen.set(hash, index);
  }
  return again / hashes.length >= repetitionEdges.hashShare ? 1 : 0;
}

/** A frozen picture equals itself at every distance, and is no circle. */
function findLoop(track: Track, motion: Motion, frozen: boolean): number {
  const { count } = track;
  if (frozen || count < repetitionEdges.loopFramesMin) return 0;
  const steps = stepDistances(track);
  const moved =
    spread(motion.yaw) >= repetitionEdges.loopMovement || spread(motion.pitch) >= repetitionEdges.loopMovement;
  const overlap = Math.max(repetitionEdges.loopOverlapMin, Math.floor(count * repetitionEdges.loopOverlapShare));
  let found = 0;
  for (let lag = repetitionEdges.loopLagMin; lag <= count - overlap; lag += 1) {
    const stir = meanStep(steps, count - lag);
    if (stir > 0 && meanDistance(track, lag) < repetitionEdges.loopDistanceShare * stir) return 1;
    if (moved && movesAlike(motion, lag)) found = 0.9;
  }
  return found;
}

/** Running sum over the frames of the squared distance of each to the one before it, per point. */
function stepDistances({ x, y, count }: Track): Float64Array {
  const sums = new Float64Array(count);
  for (let frame = 1; frame < count; frame += 1) {
    let sum = 0;
    for (let index = frame * pointCount; index < (frame + 1) * pointCount; index += 1) {
      const across = (x[index] ?? 0) - (x[index - pointCount] ?? 0);
      const down = (y[index] ?? 0) - (y[index - pointCount] ?? 0);
      sum += across * across + down * down;
    }
    sums[frame] = (sums[frame - 1] ?? 0) + sum / pointCount;
  }
  return sums;
}

/** How much neighbouring frames differ within the first `overlap` frames; two moments of rest must not pass for a repetition. */
function meanStep(sums: Float64Array, overlap: number): number {
  return (sums[overlap - 1] ?? 0) / Math.max(1, overlap - 1);
}

/** Mean squared distance of the points of frames that lie `lag` apart, square pixels. */
function meanDistance({ x, y, count }: Track, lag: number): number {
  let sum = 0;
  const shift = lag * pointCount;
  const end = (count - lag) * pointCount;
  for (let index = 0; index < end; index += 1) {
    const across = (x[index] ?? 0) - (x[index + shift] ?? 0);
    const down = (y[index] ?? 0) - (y[index + shift] ?? 0);
    sum += across * across + down * down;
  }
  return sum / end;
}

/** Head and place in the picture went the same way, all of them, a second time. */
function movesAlike({ yaw, pitch, centreX, centreY }: Motion, lag: number): boolean {
  return [yaw, pitch, centreX, centreY].every(
    (series) => correlation(series, series, lag) >= repetitionEdges.loopCorrelation,
  );
}
