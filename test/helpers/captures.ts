/**
 * Captures for tests: a person who answers challenges before a webcam, and what attackers send in their place. Times are those of the page:
 * ms since the challenges arrived.
 */
import {
  pointBytes,
  topologyPoints,
  type Envelope,
  type EnvelopeChallenge,
  type EnvelopeFrames,
  type Topology,
} from '../../src/contract/envelope.js';
import { createHash } from 'node:crypto';
import { commitmentBytes } from '../../src/contract/commitment.js';
import type { ChallengeCall } from '../../src/contract/session.js';
import type { ChallengeType, IssuedChallenge } from '../../src/contract/verdict.js';
import { createRandom } from '../../workers/seeded-random.js';
import { readMotion } from '../../workers/verification/geometry.js';
import { readTrack } from '../../workers/verification/landmarks.js';
import { median } from '../../workers/verification/series.js';
import { atRest, gauss, packFrames, project, webcam, type Camera, type Pose } from './head.js';

export interface CaptureOptions {
  readonly seed: number;
  readonly challenges: readonly IssuedChallenge[];
  /** The person does this instead of the requests, by position: one gesture, or several, a second each. */
  readonly performed: readonly (ChallengeType | readonly ChallengeType[])[];
  readonly framesPerSecond: number;
  /** How unevenly frames come: deviation of the time between two, ms. */
  readonly unevenMs: number;
  readonly topology: Topology;
  readonly camera: Camera;
  /** Before the first challenge and after the last, ms. */
  readonly leadMs: number;
  /** From the showing of a challenge to the beginning of its answer, ms. */
  readonly reactionMs: number;
  /** Each challenge is shown for this long, and from its end to the showing of the next one, ms. */
  readonly shownMs: number;
  readonly gapMs: number;
  /** Hash of every frame’s picture; null sends none. */
  readonly hash: ((frame: number) => string) | null;
  /** Further movement of the thing before the camera: a picture that is waved, say. */
  readonly sway: (atMs: number) => Partial<Pose>;
}

export interface Capture {
  readonly frames: EnvelopeFrames;
  readonly challenges: EnvelopeChallenge[];
  readonly endMs: number;
}

/** Each gesture from its beginning: how long it takes, and what it does at a time in it. */
const gestures: Readonly<
  Record<ChallengeType, { readonly ms: number; readonly pose: (share: number) => Partial<Pose> }>
> = {
  blink: { ms: 280, pose: (share) => ({ closed: share < 0.33 ? share / 0.33 : Math.max(0, 1 - (share - 0.4) / 0.6) }) },
  turn_left: { ms: 900, pose: (share) => ({ yaw: 26 * Math.sin(Math.PI * share) }) },
  turn_right: { ms: 900, pose: (share) => ({ yaw: -26 * Math.sin(Math.PI * share) }) },
  nod: { ms: 800, pose: (share) => ({ pitch: 16 * Math.sin(Math.PI * share) }) },
  smile: { ms: 900, pose: (share) => ({ smile: Math.sin(Math.PI * share) }) },
};

const gestureMs = 1_000;

export const challengesOf = (...types: readonly ChallengeType[]): IssuedChallenge[] =>
  types.map((type, index) => ({ id: `challenge-${index + 1}`, type, timeoutMs: 10_000 }));

/** A person who does what is asked. */
export function captureHuman(over: Partial<CaptureOptions> = {}): Capture {
  const options: CaptureOptions = {
    seed: 1,
    challenges: challengesOf('blink', 'turn_left'),
    performed: [],
    framesPerSecond: 15,
    unevenMs: 1.5,
    topology: 'face68',
    camera: webcam,
    leadMs: 500,
    reactionMs: 350,
    shownMs: 1_600,
    gapMs: 0,
    hash: null,
    sway: () => ({}),
    ...over,
  };
  const random = createRandom(options.seed);
  const stepMs = 1_000 / options.framesPerSecond;
  const count = options.challenges.length;
  const endMs = options.leadMs * 2 + count * options.shownMs + Math.max(0, count - 1) * options.gapMs;
  const drift = driftOf(random);
  const atMs: number[] = [];
  const places: Float64Array[] = [];
  for (let at = 80; at < endMs; at += Math.max(stepMs / 2, stepMs + gauss(random) * options.unevenMs)) {
    const pose: Pose = { ...atRest, ...drift(at) };
    const done = gestureAt(options, at);
    const moved = options.sway(at);
    const sum = (name: keyof Pose): number => pose[name] + (done[name] ?? 0) + (moved[name] ?? 0);
    atMs.push(Math.round(at * 10) / 10);
    places.push(
      project(
        {
          yaw: sum('yaw'),
          pitch: sum('pitch'),
          roll: sum('roll'),
          closed: sum('closed'),
          smile: sum('smile'),
          x: sum('x'),
          y: sum('y'),
          nearer: sum('nearer'),
        },
        options.camera,
        random,
      ),
    );
  }
  const packed = packFrames(places, atMs, options.topology, options.camera);
  const { hash } = options;
  const frames = hash === null ? packed : { ...packed, hashes: atMs.map((_, frame) => hash(frame)) };
  return { frames, challenges: tracksOf(options, atMs), endMs };
}

/** The frame at which the answer to a challenge goes furthest; null where none shows it. */
export function peakOf({ frames, challenges }: Capture, id: string, type: ChallengeType): number | null {
  const { yaw, pitch, mouthWidth, rightEye } = readMotion(readTrack(frames));
  const values = { blink: rightEye, smile: mouthWidth, nod: pitch, turn_left: yaw, turn_right: yaw }[type];
  const { firstFrame = 0, lastFrame = -1 } = challenges.find((each) => each.id === id) ?? {};
  const rest = median(values.subarray(0, firstFrame + 3));
  const away = (frame: number): number => Math.abs((values[frame] ?? rest) - rest);
  const inside = Array.from({ length: lastFrame - firstFrame + 1 }, (_, index) => firstFrame + index);
  return inside.reduce<number | null>(
    (best, frame) => (best !== null && away(best) >= away(frame) ? best : frame),
    null,
  );
}

/** Nobody holds still: head and body drift by degrees and centimetres. */
function driftOf(random: () => number): (atMs: number) => Partial<Pose> {
  const wave = (size: number) => {
    const phases = [random(), random()].map((each) => each * 2 * Math.PI);
    const periods = [1_700 + 900 * random(), 3_100 + 1_500 * random()];
    return (atMs: number): number =>
      size *
      phases.reduce((sum, phase, index) => sum + Math.sin(phase + (2 * Math.PI * atMs) / (periods[index] ?? 1)) / 2, 0);
  };
  const [yaw, pitch, roll, x, y, nearer] = [wave(1.2), wave(0.8), wave(0.8), wave(0.5), wave(0.3), wave(0.6)];
  return (at) => ({ yaw: yaw(at), pitch: pitch(at), roll: roll(at), x: x(at), y: y(at), nearer: nearer(at) });
}

function gestureAt(
  { challenges, performed, leadMs, shownMs, gapMs, reactionMs }: CaptureOptions,
  atMs: number,
): Partial<Pose> {
  const index = Math.floor((atMs - leadMs) / (shownMs + gapMs));
  const types = [performed[index] ?? challenges[index]?.type ?? []].flat();
  const sinceMs = atMs - leadMs - index * (shownMs + gapMs) - reactionMs;
  const type = types[Math.floor(sinceMs / gestureMs)];
  if (type === undefined) return {};
  const share = (sinceMs % gestureMs) / gestures[type].ms;
  return share > 0 && share < 1 ? gestures[type].pose(share) : {};
}

export function tracksOf(
  { challenges, leadMs, shownMs, gapMs }: Pick<CaptureOptions, 'challenges' | 'leadMs' | 'shownMs' | 'gapMs'>,
  atMs: readonly number[],
): EnvelopeChallenge[] {
  return challenges.map(({ id }, index) => {
    const startedAtMs = leadMs + index * (shownMs + gapMs);
    const endedAtMs = startedAtMs + shownMs;
    const inside = atMs.flatMap((at, frame) => (at >= startedAtMs && at < endedAtMs ? [frame] : []));
    return { id, startedAtMs, endedAtMs, firstFrame: inside[0] ?? 0, lastFrame: inside.at(-1) ?? 0 };
  });
}

/** A photograph that is tilted and waved in the hand. */
export const capturePhoto = (over: Partial<CaptureOptions> = {}): Capture =>
  captureHuman({
    ...over,
    camera: { ...webcam, flat: true, ...over.camera },
    sway: (at) => ({
      yaw: 32 * Math.sin(at / 410),
      pitch: 14 * Math.sin(at / 530),
      x: 2 * Math.sin(at / 370),
      nearer: 3 * Math.sin(at / 610),
    }),
  });

/** The commitment to frames `from` to before `to`, after `previous`. */
export function commitmentOf(frames: EnvelopeFrames, previous: string | null, from: number, to: number): string {
  const bytes = Buffer.from(frames.points, 'base64');
  const stride = topologyPoints[frames.topology] * pointBytes;
  const since = frames.atMs.slice(from, to).map((atMs, index) => {
    const points = bytes.subarray((from + index) * stride, (from + index + 1) * stride);
    return { atMs, points, hash: frames.hashes?.[from + index] ?? '' };
  });
  return createHash('sha256').update(commitmentBytes(previous, since)).digest('base64url');
}

/** The calls of a page that captured this and asked for each challenge right after the one before it; page and service read the same clock. */
export function callsFor(
  challenges: readonly IssuedChallenge[],
  { frames, challenges: tracks }: Pick<Capture, 'frames' | 'challenges'>,
  originMs: number,
): ChallengeCall[] {
  const calls: ChallengeCall[] = [];
  let from = 0;
  let commitment: string | null = null;
  for (const [index, challenge] of [...challenges, null].entries()) {
    const last = tracks[index - 1];
    const isLast = challenge === null;
    const frameCount = isLast ? frames.atMs.length : Math.max(from, (last?.lastFrame ?? from - 1) + 1);
    if (frameCount > 0) commitment = commitmentOf(frames, commitment, from, frameCount);
    const at = isLast
      ? Math.max(...frames.atMs, last?.endedAtMs ?? 0)
      : (tracks[index]?.startedAtMs ?? last?.endedAtMs);
    const reply = isLast ? ({ done: true, frameIndices: [] } as const) : { ...challenge, index, startAfterMs: 0 };
    calls.push({
      index,
      commitment,
      frameCount,
      atMs: originMs + (at ?? 0),
      reply: structuredClone(reply) as ChallengeCall['reply'],
    });
    from = frameCount;
  }
  return calls;
}

/** Takes the frames’ points from elsewhere: `pick` says from which frame each comes. */
export function rearrange(frames: EnvelopeFrames, pick: (frame: number) => number): EnvelopeFrames {
  const bytes = Buffer.from(frames.points, 'base64');
  const stride = bytes.length / frames.atMs.length;
  const taken = frames.atMs.map((_, frame) => bytes.subarray(pick(frame) * stride, (pick(frame) + 1) * stride));
  return { ...frames, points: Buffer.concat(taken).toString('base64') };
}

/** A face as an embedding of its own: the same seed is the same face. */
export function embeddingOf(seed: number, dimension = 128): NonNullable<Envelope['embedding']> {
  const random = createRandom(seed);
  const raw = Array.from({ length: dimension }, () => gauss(random));
  const norm = Math.hypot(...raw);
  const bytes = Buffer.alloc(dimension * 2);
  for (const [index, value] of raw.entries()) bytes.writeInt16LE(Math.round((value / norm) * 32_767), index * 2);
  return { model: 'head/1', dimension, values: bytes.toString('base64') };
}
