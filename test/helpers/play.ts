/**
 * Plays a capture against a service, as a page does: asks for each challenge once the one before it is answered, and lets as much time pass
 * as the capture claims.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChallengeReply, ChallengeRequest, SessionReply } from '../../src/contract/session.js';
import type { IssuedChallenge } from '../../src/contract/verdict.js';
import { captureHuman, commitmentOf, peakOf, type Capture, type CaptureOptions } from './captures.js';
import type { TestService } from './service.js';
import { page } from './verifications.js';

export interface Player {
  readonly ask: (request: ChallengeRequest) => Promise<ChallengeReply>;
  /** Lets time pass, ms: in reality unless said otherwise. */
  readonly pass?: (ms: number) => unknown;
}

/** Plays a person who does what is asked, each answer made after its challenge was revealed. */
export const playCapture = (count: number, player: Player, over: Partial<CaptureOptions> = {}): Promise<Capture> =>
  playAny(count, player, (challenges) => captureHuman({ seed: 1, leadMs: 1_000, gapMs: 1_000, ...over, challenges }));

/** Plays what `make` makes of the challenges so far. What it shows of one may not depend on those after it. */
export async function playAny(
  count: number,
  { ask, pass = sleep }: Player,
  make: (challenges: readonly IssuedChallenge[]) => Capture,
): Promise<Capture> {
  const revealed: IssuedChallenge[] = [];
  let commitment: string | null = null;
  let frameCount = 0;
  let atMs = 0;
  for (let index = 0; ; index += 1) {
    const rest = Array.from({ length: count - revealed.length }, (_, next): IssuedChallenge => {
      return { id: `later-${next}`, type: 'blink', timeoutMs: 8_000 };
    });
    const capture = make([...revealed, ...rest]);
    const { frames, challenges, endMs } = capture;
    const last = challenges[index - 1];
    const until = index === count ? frames.atMs.length : (last?.lastFrame ?? -1) + 1;
    if (until > 0) commitment = commitmentOf(frames, commitment, frameCount, until);
    frameCount = until;
    const endedMs = index === count ? endMs : (last?.endedAtMs ?? 0);
    await pass(endedMs - atMs);
    atMs = endedMs;
    const asked = revealed.at(-1);
    const peakFrame = asked === undefined ? null : peakOf(capture, asked.id, asked.type);
    const reply = await ask({ index, commitment, frameCount, peakFrame });
    if ('done' in reply) return capture;
    revealed.push(reply);
  }
}

/** Asks a service for a session’s challenges. */
export const askerOf =
  (service: Pick<TestService, 'call'>, { sessionId, clientSecret }: Pick<SessionReply, 'sessionId' | 'clientSecret'>) =>
  async (body: ChallengeRequest): Promise<ChallengeReply> => {
    const headers = { ...page, 'x-client-secret': clientSecret };
    const answer = await service.call('POST', `/public/sessions/${sessionId}/challenges`, { body, headers });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  };
