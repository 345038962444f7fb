/**
 * Holds the answers against the challenges revealed: in their order, each in frames committed to after it was revealed and before the next
 * was, neither before a person can react nor after its time. A missing answer is no fraud; a track that cannot have happened is both.
 */
import type { Envelope, EnvelopeChallenge, EnvelopeFrames } from '../../src/contract/envelope.js';
import type { ChallengeCall } from '../../src/contract/session.js';
import type { IssuedChallenge } from '../../src/contract/verdict.js';
import type { Blink } from './blink.js';
import { claimsHaste, keepsCommitments } from './commitments.js';
import type { Motion } from './geometry.js';
import { findResponse } from './gestures.js';
import type { Track } from './landmarks.js';
import { keptOfAnswer } from './other-movements.js';

export const challengeEdges = {
  /** Nobody moves on purpose sooner after a challenge is shown, ms. */
  reactionMsMin: 120,
  /** A widget’s timer may be late by this much, ms. */
  timeoutSlackMs: 500,
  /** Frames may lie outside their challenge’s times by this much, ms. */
  frameSlackMs: 50,
  /** Fewer frames show no movement: one before it, one in it and one after. */
  framesMin: 3,
} as const;

/** The challenges of the session, and the page’s calls for them. */
export interface AskedChallenges {
  readonly count: number;
  readonly calls: readonly ChallengeCall[];
}

interface Movement {
  readonly track: Track;
  readonly motion: Motion;
  readonly blinks: readonly Blink[];
}

/** An answer as its points show it, and the frame of the envelope at which the page says that it went furthest. */
export interface Answer extends Pick<EnvelopeChallenge, 'endedAtMs'> {
  readonly challenge: IssuedChallenge;
  /** From its showing to the next call, by the service's clock. What the page says of its times may begin again, and ends with a frame. */
  readonly openMs: number;
  readonly peakFrame: number | null;
  /** Places in the track. */
  readonly range: readonly [first: number, last: number];
}

export interface ChallengeOutcome {
  readonly answers: readonly Answer[];
  readonly asked: number;
  readonly answered: number;
  /** Mean quality over all that the session asks for, unanswered ones counting 0; null where it asks for none. */
  readonly share: number | null;
  /** Tracks came in another order than revealed, or name challenges that were not. */
  readonly outOfOrder: boolean;
  /** Tracks overlap, or frames lie outside the times that their track claims. */
  readonly contradictory: boolean;
  /** An answer that began before a person can react. */
  readonly premature: boolean;
  /** Frames are not those that were committed to. */
  readonly broken: boolean;
  /** The capture claims more time than passed between the calls. */
  readonly hasty: boolean;
}

export function judgeChallenges(
  { count, calls }: AskedChallenges,
  { frames, challenges: tracks = [] }: Pick<Envelope, 'challenges'> & { readonly frames: EnvelopeFrames },
  movement: Movement,
): ChallengeOutcome {
  const answers: Answer[] = [];
  let quality = 0;
  let contradictory = false;
  let premature = false;
  let endedAtMs = 0;
  const revealed = calls.flatMap(({ atMs, reply, frameCount }) =>
    'done' in reply ? [] : [{ ...reply, frameCount, shownAtMs: atMs + reply.startAfterMs }],
  );
  for (const [index, challenge] of revealed.entries()) {
    const claimed = tracks.find(({ id }) => id === challenge.id);
    const next = calls[index + 1];
    // Without the call that ends it, nobody knows when an answer was there.
    if (claimed === undefined || next === undefined) continue;
    const consistent =
      claimed.startedAtMs >= endedAtMs &&
      claimed.firstFrame >= challenge.frameCount &&
      claimed.lastFrame < next.frameCount &&
      claimed.endedAtMs > claimed.startedAtMs &&
      areFramesWithin(claimed, movement.track);
    endedAtMs = Math.max(endedAtMs, claimed.endedAtMs);
    if (!consistent) {
      contradictory = true;
      continue;
    }
    const response = answer(challenge, claimed, movement);
    if (response === null) continue;
    if (response.onsetMs - claimed.startedAtMs < challengeEdges.reactionMsMin) {
      premature = true;
      continue;
    }
    const range = rangeOf(claimed, movement.track);
    const [first, last] = range;
    const kept = keptOfAnswer(challenge.type, movement.motion, { first, last }, response.frames);
    if (kept === 0) continue;
    const openMs = next.atMs - challenge.shownAtMs;
    answers.push({ challenge, openMs, endedAtMs: claimed.endedAtMs, peakFrame: next.peakFrame ?? null, range });
    quality += response.quality * kept;
  }
  return {
    asked: count,
    answers,
    answered: answers.length,
    share: count === 0 ? null : quality / count,
    // Whoever was asked for nothing may show what they like.
    outOfOrder: count > 0 && !isInOrder(tracks.map((track) => revealed.findIndex(({ id }) => id === track.id))),
    contradictory,
    premature,
    broken: !keepsCommitments(frames, calls),
    hasty: claimsHaste(frames, tracks, calls),
  };
}

/** Places that go up, each of something that was revealed: what showed no face may be missing. */
const isInOrder = (places: readonly number[]): boolean =>
  places.every((place, index) => place > (index === 0 ? -1 : (places[index - 1] ?? -1)));

function answer(
  challenge: IssuedChallenge,
  claimed: EnvelopeChallenge,
  { track, motion, blinks }: Movement,
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
