/** Captures that passed, cut at their challenges and put together again for those that another session asks for. */
import type { EnvelopeChallenge } from '../src/contract/envelope.js';
import type { ChallengeType, IssuedChallenge } from '../src/contract/verdict.js';
import type { Capture } from '../test/helpers/captures.js';
import { pace } from './forger.js';

export interface Recording {
  readonly capture: Capture;
  readonly types: readonly ChallengeType[];
}

/** Changes a coordinate, in eighths of a pixel; the place says which: x of a point, then y. */
export type Change = (value: number, place: number) => number;

const partMs = pace.shownMs + pace.gapMs;

/** The recorded answer to each challenge, in order; of a type that nobody recorded, another one’s. */
export function splice(recordings: readonly Recording[], challenges: readonly IssuedChallenge[]): Capture {
  const all = recordings.flatMap(({ capture, types }) => types.map((type, index) => ({ capture, type, index })));
  const atMs: number[] = [];
  const points: Buffer[] = [];
  const tracks: EnvelopeChallenge[] = [];
  for (const [place, { id, type }] of challenges.entries()) {
    const part = all.find((each) => each.type === type) ?? all[place];
    if (part === undefined) throw new Error('nothing was recorded');
    const { frames, challenges: recorded } = part.capture;
    const beganMs = (recorded[part.index]?.startedAtMs ?? 0) - pace.leadMs;
    const bytes = Buffer.from(frames.points, 'base64');
    const stride = bytes.length / frames.atMs.length;
    const startedAtMs = pace.leadMs + place * partMs;
    const first = atMs.length;
    for (const [frame, at] of frames.atMs.entries()) {
      if (at < beganMs || at >= beganMs + pace.leadMs + pace.shownMs) continue;
      atMs.push(Math.round((at - beganMs + place * partMs) * 10) / 10);
      points.push(bytes.subarray(frame * stride, (frame + 1) * stride));
    }
    const firstFrame = Math.max(
      first,
      atMs.findIndex((at) => at >= startedAtMs),
    );
    tracks.push({ id, startedAtMs, endedAtMs: startedAtMs + pace.shownMs, firstFrame, lastFrame: atMs.length - 1 });
  }
  const model = recordings[0]?.capture.frames;
  if (model === undefined) throw new Error('nothing was recorded');
  const frames = { ...model, atMs, points: Buffer.concat(points).toString('base64') };
  return { frames, challenges: tracks, endMs: pace.leadMs + challenges.length * partMs };
}

export function changeRecording({ capture, types }: Recording, change: Change): Recording {
  const bytes = Buffer.from(capture.frames.points, 'base64');
  for (let place = 0; place * 2 < bytes.length; place += 1)
    bytes.writeInt16LE(Math.round(change(bytes.readInt16LE(place * 2), place)), place * 2);
  return { types, capture: { ...capture, frames: { ...capture.frames, points: bytes.toString('base64') } } };
}
