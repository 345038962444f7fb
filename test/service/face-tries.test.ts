/** The limit of failed tries with a face, over HTTP: a capture counts by what its verdict showed, not by what it claims. */
import t from 'tap';
import { biometricExample } from '../../src/contract/envelope-examples.js';
import type { SessionReply } from '../../src/contract/session.js';
import { failedFacesPerAddress } from '../../src/verification/verify/face-tries.js';
import { createRandom } from '../../workers/seeded-random.js';
import { captureHuman } from '../helpers/captures.js';
import { startFaceService } from '../helpers/face-sessions.js';
import { directionNear, embeddingOf, randomDirection } from '../helpers/faces.js';
import { askerOf, playAny } from '../helpers/play.js';
import { verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(120_000);
const faces = await startFaceService(t, { VH_TRUSTED_PROXIES: '127.0.0.1' });
const { service, clock } = faces;
const { bootstrap } = service;
const checks = async (): Promise<unknown> =>
  ((await (await fetch(`${bootstrap.adminUrl}/readyz`)).json()) as { checks: { faces: string } }).checks.faces;
await waitUntil(async () => (await checks()) === 'ok', 'face index ready');
// The tries of an hour are counted together. All of the test lies in one.
const hourMs = 3_600_000;
clock.aheadMs += hourMs - (Date.now() % hourMs);
const random = createRandom(11);
const person = randomDirection(random);
const headers = { 'x-forwarded-for': '198.51.101.7' };
let seed = 0;

/** A capture that claims less time than anybody needs for its challenges, which passes by its points all the same. */
async function tryFace() {
  const { body: session }: { readonly body: SessionReply } = await service.call('POST', '/sessions', {
    body: { respondentId: `forged-${(seed += 1)}` },
    headers: { 'x-api-key': bootstrap.projectKey },
  });
  const pass = (ms: number): void => void (clock.aheadMs += ms + 700);
  const player = { ask: askerOf(service, session), pass };
  const { frames, challenges, endMs } = await playAny(session.challengeConfig.count, player, (asked) =>
    captureHuman({ seed, challenges: asked, leadMs: 100, gapMs: 0, shownMs: 1_250, reactionMs: 300 }),
  );
  t.ok(endMs < 1_000 * (1 + session.challengeConfig.count));
  const { consent, camera, features, demographics, glassesDetected } = biometricExample;
  const over = {
    ...{ consent, camera, features, demographics, glassesDetected, frames, challenges },
    cameraFailureReason: undefined,
    embedding: embeddingOf(directionNear(person, 0.93, random)),
    timings: { totalMs: Math.ceil(endMs) },
  };
  return verify(service, session, over, headers);
}

t.test('an address learns of no more comparisons than its tries, however short its captures claim to be', async (t) => {
  let passed = 0;
  let told = 0;
  for (let count = 0; count <= failedFacesPerAddress * 3; count += 1) {
    const { status, body } = await tryFace();
    if (status === 429) break;
    passed += Number(body.status === 'pass');
    told += Number(body.failureCategory === 'duplicate');
  }
  t.equal(passed, 1, 'one of them was let in');
  t.equal(told, failedFacesPerAddress);
});
