/** Captures, cut at their challenges and put together again for those that another session asks for, with what is changed of each. */
import { createHash } from 'node:crypto';
import type { EnvelopeChallenge } from '../src/contract/envelope.js';
import type { ChallengeType, IssuedChallenge } from '../src/contract/verdict.js';
import type { Capture } from '../test/helpers/captures.js';
import { changePoints, type PointChange } from '../test/helpers/change-points.js';
import type { Draw } from '../research/panel/draw.js';
import { pace } from './forger.js';

/** Grey squares by the hashes of their frames. */
export type Pictures = ReadonlyMap<string, Buffer>;

export interface Recording {
  readonly capture: Capture;
  readonly types: readonly ChallengeType[];
  readonly pictures?: Pictures;
}

export const hashOf = (picture: Buffer): string => createHash('sha256').update(picture).digest('hex').slice(0, 16);

/** The recorded answer to each challenge, in order; of a type that nobody recorded, another one’s. */
export function splice(recordings: readonly Recording[], challenges: readonly IssuedChallenge[]): Capture {
  const all = recordings.flatMap(({ capture, types }) => types.map((type, index) => ({ capture, type, index })));
  const atMs: number[] = [];
  const points: Buffer[] = [];
  const hashes: string[] = [];
  const tracks: EnvelopeChallenge[] = [];
  let cursorMs = 0;
  for (const [place, { id, type }] of challenges.entries()) {
    const part = all.find((each) => each.type === type) ?? all[place];
    const recorded = part?.capture.challenges[part.index];
    if (part === undefined || recorded === undefined) throw new Error('nothing was recorded');
    const { frames } = part.capture;
    const bytes = Buffer.from(frames.points, 'base64');
    const stride = bytes.length / frames.atMs.length;
    const shiftMs = cursorMs + pace.leadMs - recorded.startedAtMs;
    for (const [frame, at] of frames.atMs.entries()) {
      if (at < recorded.startedAtMs - pace.leadMs || at >= recorded.endedAtMs) continue;
      atMs.push(Math.round((at + shiftMs) * 10) / 10);
      points.push(bytes.subarray(frame * stride, (frame + 1) * stride));
      hashes.push(frames.hashes?.[frame] ?? '');
    }
    const startedAtMs = cursorMs + pace.leadMs;
    cursorMs = recorded.endedAtMs + shiftMs;
    const firstFrame = atMs.findIndex((at) => at >= startedAtMs);
    tracks.push({ id, startedAtMs, endedAtMs: cursorMs, firstFrame, lastFrame: atMs.length - 1 });
  }
  const model = recordings[0]?.capture.frames;
  if (model === undefined) throw new Error('nothing was recorded');
  const { faces: _faces, missed: _missed, hashes: _hashes, ...rest } = model;
  const frames = { ...rest, atMs, points: Buffer.concat(points).toString('base64') };
  return {
    frames: model.hashes === undefined ? frames : { ...frames, hashes },
    challenges: tracks,
    endMs: cursorMs + pace.gapMs,
  };
}

/** Pictures change with the points, so that they are those of no other session. */
export function changeRecording({ capture, types, pictures }: Recording, change: PointChange, draw: Draw): Recording {
  const changed = changePoints(capture, change);
  if (pictures === undefined) return { types, capture: changed };
  const noisy = (capture.frames.hashes ?? []).map((hash) =>
    Buffer.from(
      (pictures.get(hash) ?? Buffer.alloc(0)).map((level) => Math.max(0, Math.min(255, level + draw.whole(-2, 2)))),
    ),
  );
  const hashes = noisy.map(hashOf);
  return {
    types,
    capture: { ...changed, frames: { ...changed.frames, hashes } },
    pictures: new Map(noisy.map((picture, index) => [hashes[index] ?? '', picture])),
  };
}
