/**
 * Holds the answers against the challenges issued: in their order, each in its own frames, neither before a person can react nor after its
 * time. A missing answer is no fraud; a track that cannot have happened is both.
 */
import type { EnvelopeChallenge } from '../../src/contract/envelope.js';
import type { IssuedChallenge } from '../../src/contract/verdict.js';
import type { Blink } from './blink.js';
import type { Motion } from './geometry.js';
import { findResponse } from './gestures.js';
import type { Track } from './landmarks.js';

export const challengeEdges = {
  /** Nobody moves on purpose sooner after a challenge is shown, ms. */
  reactionMsMin: 120,
  /** A widget’s timer may be late by this much, ms. */
  timeoutSlackMs: 500,
  /** Frames may lie outside their challenge’s times by this much, ms: two frames of a slow camera. */
  frameSlackMs: 350,
  /** Fewer frames show no movement. */
  framesMin: 4,
} as const;

export interface ChallengeOutcome {
  readonly issued: number;
  readonly answered: number;
  /** Mean quality over all that were issued, unanswered ones counting 0; null where none was issued. */
  readonly share: number | null;
  /** Tracks came in another order than issued, or name challenges that were not. */
  readonly outOfOrder: boolean;
  /** Tracks overlap, or frames lie outside the times that their track claims. */
  readonly contradictory: boolean;
  /** An answer that began before a person can react. */
  readonly premature: boolean;
}

export function judgeChallenges(
  issued: readonly IssuedChallenge[],
  tracks: readonly EnvelopeChallenge[],
  track: Track,
  motion: Motion,
  blinks: readonly Blink[],
): ChallengeOutcome {
  let quality = 0;
  let answered = 0;
  let contradictory = false;
  let premature = false;
  let endedAtMs = 0;
  let endedFrame = -1;
  for (const [index, challenge] of issued.entries()) {
    const claimed = tracks[index];
    if (claimed?.id !== challenge.id) continue;
    const consistent =
      claimed.startedAtMs >= endedAtMs &&
      claimed.firstFrame > endedFrame &&
      claimed.endedAtMs > claimed.startedAtMs &&
      areFramesWithin(claimed, track);
    endedAtMs = Math.max(endedAtMs, claimed.endedAtMs);
    endedFrame = Math.max(endedFrame, claimed.lastFrame);
    if (!consistent) {
      contradictory = true;
      continue;
    }
    const response = answer(challenge, claimed, track, motion, blinks);
    if (response === null) continue;
    if (response.onsetMs - claimed.startedAtMs < challengeEdges.reactionMsMin) {
      premature = true;
      continue;
    }
    answered += 1;
    quality += response.quality;
  }
  return {
    issued: issued.length,
    answered,
    share: issued.length === 0 ? null : quality / issued.length,
    // Whoever was asked for nothing may show what they like.
    outOfOrder: issued.length > 0 && tracks.some(({ id }, index) => id !== issued[index]?.id),
    contradictory,
    premature,
  };
}

function answer(
  challenge: IssuedChallenge,
  claimed: EnvelopeChallenge,
  track: Track,
  motion: Motion,
  blinks: readonly Blink[],
): ReturnType<typeof findResponse> {
  if (claimed.endedAtMs - claimed.startedAtMs > challenge.timeoutMs + challengeEdges.timeoutSlackMs) return null;
  const [first, last] = rangeOf(claimed, track);
  return last - first + 1 < challengeEdges.framesMin ? null : findResponse(challenge.type, motion, blinks, first, last);
}

/** Places in the track of the frames that the client named by their number in the envelope. */
function rangeOf({ firstFrame, lastFrame }: EnvelopeChallenge, { source, count }: Track): readonly [number, number] {
  let first = 0;
  while (first < count && (source[first] ?? 0) < firstFrame) first += 1;
  let last = count - 1;
  while (last >= 0 && (source[last] ?? 0) > lastFrame) last -= 1;
  return [first, last];
}

function areFramesWithin(claimed: EnvelopeChallenge, track: Track): boolean {
  const [first, last] = rangeOf(claimed, track);
  if (first > last) return true;
  const slack = challengeEdges.frameSlackMs;
  return (
    (track.atMs[first] ?? 0) >= claimed.startedAtMs - slack && (track.atMs[last] ?? 0) <= claimed.endedAtMs + slack
  );
}
