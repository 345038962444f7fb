/**
 * Movements of a challenge that it did not ask for: turns, nods and smiles in addition to the answer. Whoever does everything in turn has not read the
 * challenge. A movement counts if it starts from rest, goes as far as an answer would need, and is furthest outside of the answer's own frames:
 * a head that turns is also read as nodding a little. Blinks come by themselves and never count.
 */
import type { ChallengeType } from '../../src/contract/verdict.js';
import type { Motion } from './geometry.js';
import { gestureEdges, mouthGrowth, restOf, type FrameRange } from './gestures.js';

export const otherEdges = {
  /** Movements whose furthest frames are nearer than this are one, ms. */
  apartMs: 400,
  /** Each other movement leaves this share of an answer's quality; with as many as `countMax` the answer does not count. */
  oneLeaves: 0.6,
  countMax: 2,
} as const;

/** The share of its quality that an answer keeps: 1 without other movements, 0 where it does not count. */
export function keptOfAnswer(type: ChallengeType, motion: Motion, range: FrameRange, answer: FrameRange): number {
  const others = countOthers(type, motion, range, answer);
  if (others === 0) return 1;
  return others < otherEdges.countMax ? otherEdges.oneLeaves : 0;
}

function countOthers(type: ChallengeType, motion: Motion, range: FrameRange, answer: FrameRange): number {
  const { yaw, pitch, atMs } = motion;
  const { turnMin, nodMin, smileMin } = gestureEdges;
  const [ahead, level] = [restOf(yaw, range), restOf(pitch, range)];
  const isTurn = type === 'turn_left' || type === 'turn_right';
  const turn = (frame: number): number => (yaw[frame] ?? ahead) - ahead;
  const nod = (frame: number): number => (pitch[frame] ?? level) - level;
  const measures = [
    ...(isTurn ? [] : eitherWay(turn, turnMin)),
    ...(type === 'nod' ? [] : eitherWay(nod, nodMin)),
    ...(type === 'smile' ? [] : [{ of: mouthGrowth(motion, range), least: smileMin }]),
  ];
  const peaks = measures.flatMap(({ of, least }) => peaksOf(of, least, range));
  const times = peaks
    .filter((frame) => frame < answer.first || frame > answer.last)
    .map((frame) => atMs[frame] ?? 0)
    .sort((a, b) => a - b);
  return times.filter((at, index) => index === 0 || at - (times[index - 1] ?? 0) > otherEdges.apartMs).length;
}

const eitherWay = (of: (frame: number) => number, least: number) => [
  { of, least },
  { of: (frame: number) => -of(frame), least },
];

/** The furthest frame of each movement that starts from rest and goes at least so far. */
function peaksOf(away: (frame: number) => number, least: number, { first, last }: FrameRange): number[] {
  const restMax = least * gestureEdges.onsetShare;
  const peaks: number[] = [];
  let peak: number | null = null;
  let isArmed = false;
  for (let frame = first; frame <= last; frame += 1) {
    const value = away(frame);
    if (value < restMax) {
      if (peak !== null) peaks.push(peak);
      peak = null;
      isArmed = true;
    } else if (isArmed && value >= least && (peak === null || value > away(peak))) peak = frame;
  }
  return peak === null ? peaks : [...peaks, peak];
}
