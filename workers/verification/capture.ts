/** Everything that the camera’s part of an envelope says, measured once. Judges nothing. */
import type { VerdictFacts } from '../../src/contract/verdict.js';
import { findBlinks, type Blink } from './blink.js';
import { measureScreen } from './screen.js';
import { judgeChallenges, type ChallengeOutcome } from './challenges.js';
import { measureTiming, type FrameTiming } from './frame-timing.js';
import { readMotion } from './geometry.js';
import { measureJitter, type Jitter } from './jitter.js';
import { readTrack } from './landmarks.js';
import { measureParallax, type Parallax } from './parallax.js';
import { doubtPictures, type PictureDoubt } from './pictures.js';
import { measureRepetition, type Repetition } from './repetition.js';
import { median } from './series.js';
import { verdictTables } from './tables.js';

export interface Capture {
  readonly usableFrames: number;
  readonly sentFrames: number;
  readonly facePixels: number;
  readonly blinks: readonly Blink[];
  readonly challenges: ChallengeOutcome;
  readonly parallax: Parallax;
  readonly repetition: Repetition;
  readonly jitter: Jitter;
  readonly timing: FrameTiming;
  /** Probability of a screen; null where nothing of it was measured. */
  readonly screen: number | null;
  /** Share of frames with more than one face. */
  readonly severalFaces: number;
  /** Evidence in its pictures against it; null if they agree, or none were requested. */
  readonly pictureDoubt: PictureDoubt | null;
}

/** null without frames. */
export function readCapture({ envelope, challengeCount, challengeCalls, pictures }: VerdictFacts): Capture | null {
  const { frames, features } = envelope;
  if (frames == null) return null;
  const track = readTrack(frames);
  const motion = readMotion(track);
  const blinks = findBlinks(motion);
  const faces = frames.faces ?? [];
  const challenges = judgeChallenges(
    { count: challengeCount, calls: challengeCalls },
    { ...envelope, frames },
    { track, motion, blinks },
  );
  return {
    usableFrames: track.count,
    sentFrames: track.sent,
    facePixels: median(motion.size),
    blinks,
    challenges,
    parallax: measureParallax(track, motion),
    repetition: measureRepetition(track, motion, frames.hashes),
    jitter: measureJitter(track),
    timing: measureTiming(track),
    screen: measureScreen(features),
    severalFaces: faces.length === 0 ? 0 : faces.filter((count) => count > 1).length / faces.length,
    pictureDoubt: pictures === null ? null : doubtPictures(pictures, frames, challenges.answers),
  };
}

/** Whether the camera or the device was too slow for its frames to show anything. */
export const isSparse = ({ usableFrames, timing }: Capture): boolean =>
  usableFrames < verdictTables.liveness.framesMin || timing.rate < verdictTables.liveness.rateMin;
