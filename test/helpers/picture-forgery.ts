/** A program without a camera that verifies over HTTP: points of a head that does what is asked, and one picture for every frame. */
import { createHash } from 'node:crypto';
import { biometricExample } from '../../src/contract/envelope-examples.js';
import type { ChallengeRequest } from '../../src/contract/session.js';
import type { VerifyReply } from '../../src/contract/score-envelope.js';
import { createRandom } from '../../workers/seeded-random.js';
import { embeddingOf, randomDirection } from './faces.js';
import type { FaceService } from './face-sessions.js';
import { askerOf, playCapture } from './play.js';
import type { TestService } from './service.js';
import { createSession, verify } from './verifications.js';

export interface Forger extends FaceService {
  readonly service: Pick<TestService, 'call' | 'bootstrap'>;
}

/** Answers with the verdict. `picture` is a grey square, or null to send none; the clock goes on by as much as the capture takes. */
export async function playPictures(
  { service, clock }: Forger,
  picture: Buffer | null,
  seed = 41,
): Promise<VerifyReply> {
  const session = await createSession(service, { widgetMode: 'standard' });
  const asker = askerOf(service, session);
  let named: readonly number[] = [];
  const ask = async (request: ChallengeRequest) => {
    const reply = await asker(request);
    if ('done' in reply) named = reply.frameIndices;
    return reply;
  };
  const pass = (ms: number): void => void (clock.aheadMs += ms);
  const hash = picture === null ? null : createHash('sha256').update(picture).digest('hex').slice(0, 16);
  const { frames, challenges, endMs } = await playCapture(session.challengeConfig.count, { ask, pass }, { seed, hash });
  const { consent, camera, features } = biometricExample;
  const side = Math.sqrt(picture?.length ?? 0);
  const grey = picture?.toString('base64');
  const { status, body } = await verify(service, session, {
    ...{ consent, camera, features, frames, challenges },
    cameraFailureReason: undefined,
    embedding: embeddingOf(randomDirection(createRandom(seed))),
    timings: { totalMs: Math.ceil(endMs) },
    ...(grey === undefined
      ? {}
      : { evidenceFrames: named.map((index) => ({ index, width: side, height: side, grey })) }),
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}
