/**
 * Which frames a session has to show as pictures, chosen when all are committed to: of each challenge some of the time in which its answer was
 * under way, just before the page asked for the next, and others at random.
 */
import type { ChallengeCall } from '../../contract/session.js';
import { evidenceFramesMax } from '../../limits.js';
import type { Randomness } from './challenges.js';

/** How long before the end of its challenge an answer is under way, ms: a blink is short. */
const answerMs = { blink: 600, other: 1_500 } as const;
/** The page goes on watching for this long after the last answer, ms (`tailMs` of its director). */
const tailMs = 400;
const picturesPerChallenge = 3;

/** Indices of the envelope’s frames, ascending. `end` is the call that ends the capture. */
export function chooseEvidenceFrames(
  calls: readonly ChallengeCall[],
  end: Pick<ChallengeCall, 'atMs' | 'frameCount'>,
  random: Pick<Randomness, 'integer'>,
): number[] {
  const chosen = new Set<number>();
  for (const [place, { atMs, frameCount, reply }] of calls.entries()) {
    if ('done' in reply) continue;
    const next = calls[place + 1] ?? end;
    const count = next.frameCount - frameCount;
    const framesPerMs = count / Math.max(1, next.atMs - atMs);
    const last = next.frameCount - (next === end ? Math.round(tailMs * framesPerMs) : 0);
    const span = answerMs[reply.type === 'blink' ? 'blink' : 'other'] * framesPerMs;
    const first = Math.max(frameCount, Math.round(last - span));
    // One from each third, so that they do not fall on one moment.
    const step = (last - first) / picturesPerChallenge;
    for (let third = 0; third < picturesPerChallenge && step > 0; third += 1)
      chosen.add(first + Math.floor(third * step) + random.integer(Math.max(1, Math.floor(step))));
  }
  const left = Array.from({ length: end.frameCount }, (_, index) => index).filter((index) => !chosen.has(index));
  while (chosen.size < evidenceFramesMax && left.length > 0)
    chosen.add(left.splice(random.integer(left.length), 1)[0] ?? 0);
  return [...chosen].sort((a, b) => a - b);
}
