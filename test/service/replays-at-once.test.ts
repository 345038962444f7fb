/** Copies of one capture at other paces, sent at one moment, over HTTP, on either database. */
import t, { type Test } from 'tap';
import { biometricExample } from '../../src/contract/envelope-examples.js';
import { createRandom } from '../../workers/seeded-random.js';
import { captureHuman, challengesOf } from '../helpers/captures.js';
import { changePoints } from '../helpers/change-points.js';
import { randomDirection, shippedEmbeddingOf } from '../helpers/faces.js';
import { startTestService } from '../helpers/service.js';
import { createDatabase, findStack } from '../helpers/stores.js';
import { createSession, verify } from '../helpers/verifications.js';

/** Each finds the other, but keeps none of its marks. */
const paces = [1, 1.2] as const;
const captures = 4;

async function sendAtOnce(t: Test, environment: Readonly<Record<string, string>> = {}): Promise<void> {
  const random = createRandom(29);
  const nudge = (value: number): number => value + Math.round((random() * 2 - 1) * 4);
  let aheadMs = 0;
  const service = await startTestService(t, environment, { now: () => Date.now() + aheadMs });
  const { organizationKey, projectId } = service.bootstrap;
  // Without challenges a copy of any capture answers a session.
  const body = { config: { challengeEnabled: false } };
  await service.call('PATCH', `/projects/${projectId}`, { body, headers: { 'x-api-key': organizationKey } });
  const { consent, camera, features } = biometricExample;
  for (let seed = 1; seed <= captures; seed += 1) {
    const capture = captureHuman({ seed, challenges: challengesOf('turn_left', 'nod', 'smile') });
    const copies = [];
    for (const pace of paces) {
      const { frames } = changePoints(capture, (x, y) => [nudge(x), nudge(y)]);
      const measured = {
        ...{ consent, camera, features, challenges: [], cameraFailureReason: undefined },
        frames: { ...frames, atMs: frames.atMs.map((at) => at * pace) },
        embedding: shippedEmbeddingOf(randomDirection(random), random),
        timings: { totalMs: Math.ceil(capture.endMs * pace) },
      };
      copies.push({ session: await createSession(service), measured });
    }
    aheadMs += 30_000;
    const answers = await Promise.all(copies.map(({ session, measured }) => verify(service, session, measured)));
    const statuses = answers.map(({ body: { status } }) => status);
    t.strictSame(statuses.sort(), ['fail', 'pass'], `capture ${seed}`);
    const failed = answers.find(({ body: { status } }) => status === 'fail');
    t.strictSame(
      failed?.body.fraudSignals.map(({ type }) => type),
      ['capture_replayed'],
    );
  }
}

t.test('of two copies of a capture at different paces, sent at one moment, one passes', (t) => sendAtOnce(t));

const stack = findStack(t, 'completions of one capture on PostgreSQL');
if (stack !== null)
  t.test('on PostgreSQL as well', async (t) => sendAtOnce(t, { DATABASE_URL: await createDatabase(t, stack) }));
