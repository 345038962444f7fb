/** A program without a camera that verifies over HTTP: points of a head that does what is asked, and for every frame one picture but for its corner. */
import { createHash } from 'node:crypto';
import { biometricExample } from '../../src/contract/envelope-examples.js';
import type { ChallengeRequest } from '../../src/contract/session.js';
import type { VerifyReply } from '../../src/contract/score-envelope.js';
import { createRandom } from '../../workers/seeded-random.js';
import { embeddingOf, randomDirection } from './faces.js';
import type { FaceService } from './face-sessions.js';
import { askerOf, playCapture } from './play.js';
import type { TestService } from './service.js';
import { createSession, sendUntilJudged, verify } from './verifications.js';

export interface Forger extends FaceService {
  readonly service: Pick<TestService, 'call' | 'bootstrap'>;
}

/** Answers with the verdict. `picture` is a grey square, or null to send none; the clock goes on by as much as the capture takes. */
export async function playPictures(
  { service, clock }: Forger,
  picture: Buffer | null,
  seed = 41,
  over: Readonly<Record<string, unknown>> = {},
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
  const hash = (frame: number) =>
    createHash('sha256')
      .update(pictureOf(picture ?? Buffer.alloc(2), frame))
      .digest('hex')
      .slice(0, 16);
  const { frames, challenges, endMs } = await playCapture(
    session.challengeConfig.count,
    { ask, pass },
    { seed, hash: picture === null ? null : hash },
  );
  const { consent, camera, features } = biometricExample;
  const side = Math.sqrt(picture?.length ?? 0);
  const envelope = {
    ...{ consent, camera, features, frames, challenges },
    cameraFailureReason: undefined,
    embedding: embeddingOf(randomDirection(createRandom(seed))),
    timings: { totalMs: Math.ceil(endMs) },
    ...(picture !== null && {
      evidenceFrames: named.map((index) => ({
        ...{ index, width: side, height: side },
        grey: pictureOf(picture, index).toString('base64'),
      })),
    }),
    ...over,
  };
  const { status, body } = await sendUntilJudged(() => verify(service, session, envelope));
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

/** The same picture but for two of its points, so that no two frames are equal. */
function pictureOf(picture: Buffer, frame: number): Buffer {
  const copy = Buffer.from(picture);
  copy.writeUInt16BE(frame);
  return copy;
}
