/**
 * Chooses the frames that a session has to show as pictures, once all are committed to: of each challenge the frame at which the page says that its
 * answer went furthest, one on the way there and one on the way back; one of the rest before; and others at random.
 */
import type { ChallengeCall } from '../../contract/session.js';
import { evidenceFramesMax } from '../../limits.js';
import type { Randomness } from './challenges.js';

/** How long a movement takes to get to its furthest, or back, ms. */
const wayMs = { blink: 200, other: 600 } as const;

/** Indices of the envelope’s frames, ascending. `end` is the call that ends the capture. */
export function chooseEvidenceFrames(
  calls: readonly ChallengeCall[],
  end: Pick<ChallengeCall, 'atMs' | 'frameCount' | 'peakFrame'>,
  random: Pick<Randomness, 'integer'>,
): number[] {
  const chosen = new Set<number>();
  const rest = calls[0]?.frameCount ?? 0;
  if (rest > 0) chosen.add(random.integer(rest));
  for (const [place, { atMs, frameCount, reply }] of calls.entries()) {
    const next = calls[place + 1] ?? end;
    const { peakFrame = null } = next;
    if ('done' in reply || peakFrame === null) continue;
    const framesPerMs = (next.frameCount - frameCount) / Math.max(1, next.atMs - atMs);
    const way = Math.max(1, Math.round(wayMs[reply.type === 'blink' ? 'blink' : 'other'] * framesPerMs));
    for (const offset of [0, -1 - random.integer(way), 1 + random.integer(way)])
      chosen.add(Math.min(next.frameCount - 1, Math.max(frameCount, peakFrame + offset)));
  }
  const left = Array.from({ length: end.frameCount }, (_, index) => index).filter((index) => !chosen.has(index));
  while (chosen.size < evidenceFramesMax && left.length > 0)
    chosen.add(left.splice(random.integer(left.length), 1)[0] ?? 0);
  return [...chosen].sort((a, b) => a - b);
}
