/** A capture counts once in an organization, also after each of its frames was nudged or turned. */
import t from 'tap';
import type { SessionReply } from '../../src/contract/session.js';
import { changePoints, type PointChange } from '../helpers/change-points.js';
import { measurePerson, startFaceService } from '../helpers/face-sessions.js';
import { randomDirection } from '../helpers/faces.js';
import { createRandom } from '../../workers/seeded-random.js';
import { createSession, verify } from '../helpers/verifications.js';

const random = createRandom(11);
const faces = await startFaceService(t);
const { service, organization } = faces;
const another = await service.call('POST', '/projects', {
  body: { name: 'Another', config: { allowedDomains: ['https://survey.example'] } },
  headers: organization,
});
const siteKey = (another.body as { projectId: string }).projectId;
const start = (body: Readonly<Record<string, unknown>> = {}) => createSession(service, body);
const measure = (session: SessionReply, seed: number) =>
  measurePerson(faces, session, { person: randomDirection(random), seed, random });

async function send(session: SessionReply, measured: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const { status, body } = await verify(service, session, measured);
  t.equal(status, 200, JSON.stringify(body));
  return body.fraudSignals.map(({ type }) => type);
}

const byUnits =
  (units: number): PointChange =>
  (x, y) => [x + Math.round((random() * 2 - 1) * units), y + Math.round((random() * 2 - 1) * units)];

/** By five degrees about the corner of the picture, and nudged. */
const turn: PointChange = (x, y, frame) => byUnits(4)(x * 0.9962 - y * 0.0872, y * 0.9962 + x * 0.0872, frame);

t.test('a capture is known again in another project, and after every point of it was changed', async (t) => {
  const first = await start();
  const measured = await measure(first, 1);
  t.notOk((await send(first, measured)).includes('capture_replayed'));
  const { frames } = measured;
  const copies = [
    ['verbatim, in another project', { siteKey }, frames],
    ['nudged', {}, changePoints({ frames }, byUnits(1)).frames],
    ['nudged, in another project', { siteKey }, changePoints({ frames }, byUnits(1)).frames],
    ['turned', {}, changePoints({ frames }, turn).frames],
  ] as const;
  for (const [name, body, copy] of copies) {
    const session = await start(body);
    const fresh = await measure(session, 2);
    t.ok((await send(session, { ...fresh, frames: copy })).includes('capture_replayed'), name);
  }
  const honest = await start();
  const other = await measure(honest, 3);
  t.notOk((await send(honest, other)).includes('capture_replayed'), 'another capture is none');
});

t.test('captures of test mode and of live mode do not know each other', async (t) => {
  const testKey = { siteKey: `${service.bootstrap.siteKey}:test` };
  const measured = await measure(await start(testKey), 4);
  for (const [name, body] of [
    ['test', testKey],
    ['live', {}],
  ] as const) {
    const { frames } = measured;
    const sendCopy = async () => {
      const session = await start(body);
      return (await send(session, { ...(await measure(session, 5)), frames })).includes('capture_replayed');
    };
    t.notOk(await sendCopy(), `the first of ${name} mode`);
    t.ok(await sendCopy(), `the second of ${name} mode`);
  }
});
