/**
 * The frames of a capture as the envelope takes them, and the commitments to them. A long capture holds more frames than may be sent: then every
 * second one goes of those not yet committed to, but for the last seconds, so that the order and the shape of every movement stay.
 */
import { commitmentBytes, type CommittedFrame } from '../../src/contract/commitment.js';
import type { ChallengeRequest } from '../../src/contract/session.js';
import type { EnvelopeChallenge, EnvelopeFrames } from '../../src/contract/envelope.js';
import type { EvidenceFrame } from '../../src/contract/evidence-frames.js';
import type { FrameAnalysis } from './frame-analysis.js';

export interface Recorder {
  /** Times are ms since the challenges arrived. */
  add(atMs: number, analysis: FrameAnalysis): void;
  /** A challenge that is over: shown at a time, last seen at another. */
  close(id: string, startedAtMs: number, endedAtMs: number): void;
  /** The frame added last is the one at which the answer under way went furthest so far. */
  markPeak(): void;
  /** Fixes the frames so far: none of them is thinned any more. */
  commit(): Promise<Required<Pick<ChallengeRequest, 'commitment' | 'frameCount' | 'peakFrame'>>>;
  /** The pictures of frames, by their index in the pack; none of a frame that has none. */
  pictures(indices: readonly number[]): EvidenceFrame[];
  /** null without a single frame that shows a face. */
  pack(): { readonly frames: EnvelopeFrames; readonly challenges: EnvelopeChallenge[] } | null;
}

/** Model and version that the landmarks are from. */
const landmarkModel = 'human-facemesh-iris/3.3.6';
/** Most frames that an envelope may hold, and units of a point’s place in one pixel. */
export const framesMax = 300;
const unitsPerPixel = 8;
const valuesPerFrame = 46;
/** The last part of an answered challenge, and the first of the one under way, are never thinned, ms. */
const keptMs = 2_000;

interface Kept extends CommittedFrame {
  readonly faces: number;
  readonly picture: Uint8Array | null;
}

/** `challengeCount`: each of its parts between two commitments may have the same share of the frames, and what those before it left. */
export function createRecorder(challengeCount: number): Recorder {
  let kept: Kept[] = [];
  let fixed = 0;
  let commits = 0;
  let commitment: Promise<string | null> = Promise.resolve(null);
  let missed = 0;
  let peak: Kept | undefined;
  let size = { width: 0, height: 0 };
  const closed: { readonly id: string; readonly startedAtMs: number; readonly endedAtMs: number }[] = [];

  /** Makes room for one more frame of the part under way. */
  function thin(room: number): void {
    const last = kept[kept.length - 1]?.atMs ?? 0;
    const isProtected = (atMs: number): boolean =>
      last - atMs < keptMs || closed.some(({ endedAtMs }) => endedAtMs - atMs >= 0 && endedAtMs - atMs < keptMs);
    let open = kept.slice(fixed).filter((each, index) => each === peak || isProtected(each.atMs) || index % 2 === 0);
    // Everything is protected: the oldest go.
    if (open.length >= room) open = open.slice(open.length - room + 1);
    kept = [...kept.slice(0, fixed), ...open];
  }

  return {
    add(atMs, { points, hash, faces, picture, width, height }) {
      if (points === null) {
        missed += 1;
        return;
      }
      // A phone that is turned changes the picture’s size; points of two sizes do not belong together, but what is fixed stays.
      if (fixed === 0 && (size.width !== width || size.height !== height)) {
        kept = [];
        size = { width, height };
      }
      const room = Math.floor((framesMax * (commits + 1)) / (challengeCount + 1)) - fixed;
      if (kept.length - fixed >= room) thin(room);
      kept.push({ atMs: tenth(atMs), points: packPoints(points), hash, faces, picture });
    },
    close(id, startedAtMs, endedAtMs) {
      closed.push({ id, startedAtMs: tenth(startedAtMs), endedAtMs: tenth(endedAtMs) });
    },
    markPeak() {
      peak = kept.at(-1);
    },
    async commit() {
      const since = kept.slice(fixed);
      const frameCount = kept.length;
      const place = peak === undefined ? -1 : since.indexOf(peak);
      const peakFrame = place < 0 ? null : fixed + place;
      peak = undefined;
      fixed = frameCount;
      commits += 1;
      if (frameCount > 0) commitment = commitment.then((previous) => digest(commitmentBytes(previous, since)));
      return { commitment: await commitment, frameCount, peakFrame };
    },
    pictures(indices) {
      return indices.flatMap((index) => {
        const picture = kept[index]?.picture;
        if (picture == null) return [];
        const side = Math.sqrt(picture.length);
        return [{ index, width: side, height: side, grey: toBase64(picture) }];
      });
    },
    pack() {
      if (kept.length === 0) return null;
      const challenges = closed.flatMap(({ id, startedAtMs, endedAtMs }) => {
        const first = kept.findIndex(({ atMs }) => atMs >= startedAtMs);
        const last = kept.filter(({ atMs }) => atMs <= endedAtMs).length - 1;
        if (first < 0 || last < first) return [];
        return [{ id, startedAtMs, endedAtMs, firstFrame: first, lastFrame: last }];
      });
      return { frames: packFrames(kept, size, missed), challenges };
    },
  };
}

/** Tenths of a millisecond: no clock of a page is finer. */
const tenth = (ms: number): number => Math.round(Math.min(3_600_000, Math.max(0, ms)) * 10) / 10;

function packFrames(
  kept: readonly Kept[],
  { width, height }: { readonly width: number; readonly height: number },
  missed: number,
): EnvelopeFrames {
  const bytes = new Uint8Array(kept.length * valuesPerFrame * 2);
  for (const [frame, { points }] of kept.entries()) bytes.set(points, frame * valuesPerFrame * 2);
  return {
    topology: 'key23',
    model: landmarkModel,
    width,
    height,
    atMs: kept.map(({ atMs }) => atMs),
    points: toBase64(bytes),
    hashes: kept.map(({ hash }) => hash),
    faces: kept.map(({ faces }) => faces),
    missed: Math.min(missed, 100_000),
  };
}

function packPoints(points: Float32Array): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(valuesPerFrame * 2));
  for (let index = 0; index < valuesPerFrame; index += 1) bytes.setInt16(index * 2, quantise(points[index] ?? 0), true);
  return new Uint8Array(bytes.buffer);
}

async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return toBase64(hash).replace(/=+$/, '').replace(/\+/g, '-').replace(/\//g, '_');
}

const quantise = (pixels: number): number => Math.max(-32_768, Math.min(32_767, Math.round(pixels * unitsPerPixel)));

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
