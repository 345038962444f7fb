/**
 * Holds a capture against the page’s calls for its challenges: the frames are those that were committed to, and between a challenge’s showing
 * and the next call at least as much time passed on the service’s clock as the capture claims.
 */
import { createHash } from 'node:crypto';
import { commitmentBytes, type CommittedFrame } from '../../src/contract/commitment.js';
import {
  pointBytes,
  topologyPoints,
  type EnvelopeChallenge,
  type EnvelopeFrames,
} from '../../src/contract/envelope.js';
import type { ChallengeCall } from '../../src/contract/session.js';
import { verdictTables } from './tables.js';

/** Whether every call’s commitment is that of its frames, and the last call covered them all. */
export function keepsCommitments(frames: EnvelopeFrames, calls: readonly ChallengeCall[]): boolean {
  const { atMs, hashes, points, topology } = frames;
  const bytes = Buffer.from(points, 'base64');
  const stride = topologyPoints[topology] * pointBytes;
  let previous: string | null = null;
  let from = 0;
  for (const { commitment, frameCount, reply } of calls) {
    if (frameCount < from || frameCount > atMs.length) return false;
    if ('done' in reply && frameCount !== atMs.length) return false;
    const since = atMs.slice(from, frameCount).map((at, index): CommittedFrame => {
      const frame = from + index;
      const ofFrame = bytes.subarray(frame * stride, (frame + 1) * stride);
      return { atMs: at, points: ofFrame, hash: hashes?.[frame] ?? '' };
    });
    if (commitment === null ? since.length > 0 || previous !== null : commitment !== digest(previous, since))
      return false;
    previous = commitment;
    from = frameCount;
  }
  return true;
}

const digest = (previous: string | null, frames: readonly CommittedFrame[]): string =>
  createHash('sha256').update(commitmentBytes(previous, frames)).digest('base64url');

/**
 * Whether the capture claims more time than passed between the showing of a challenge and a later call: each was shown no sooner than its
 * call’s answer and its start allow, and frames were taken before the call that covers them. A page’s clock may stand still, never run ahead.
 */
export function claimsHaste(
  frames: EnvelopeFrames,
  tracks: readonly EnvelopeChallenge[],
  calls: readonly ChallengeCall[],
): boolean {
  const { clockSlackMs, roundTripMsMax } = verdictTables.session;
  let roundTripMs: number = roundTripMsMax;
  let shownMs = -Infinity;
  let missingMs = -Infinity;
  for (const [index, { atMs, reply }] of calls.entries()) {
    const next = calls[index + 1];
    if ('done' in reply || next === undefined) continue;
    const shown = tracks.find(({ id }) => id === reply.id);
    if (shown === undefined) continue;
    // Differences of the service’s clock to the page’s.
    const beganMs = atMs + reply.startAfterMs - shown.startedAtMs;
    const endedMs = next.atMs - Math.max(shown.endedAtMs, ...frames.atMs.slice(0, next.frameCount));
    shownMs = Math.max(shownMs, beganMs);
    missingMs = Math.max(missingMs, shownMs - endedMs);
    roundTripMs = Math.min(roundTripMs, Math.max(0, endedMs - beganMs));
  }
  return missingMs > clockSlackMs + roundTripMs;
}
