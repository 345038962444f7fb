/** A capture counts once in an organization, also after each of its frames was nudged. */
import t from 'tap';
import type { Envelope } from '../../src/contract/envelope.js';
import type { SessionReply } from '../../src/contract/session.js';
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

type Frames = NonNullable<Envelope['frames']>;

async function send(session: SessionReply, measured: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const { status, body } = await verify(service, session, measured);
  t.equal(status, 200, JSON.stringify(body));
  return body.fraudSignals.map(({ type }) => type);
}

/** Changes each frame by one unit, at a place of its own. */
function nudge({ points, ...frames }: Frames): Frames {
  const bytes = Buffer.from(points, 'base64');
  const stride = bytes.length / frames.atMs.length;
  for (let frame = 0; frame < frames.atMs.length; frame += 1) {
    const at = frame * stride + 2 * Math.floor((random() * stride) / 2);
    bytes.writeInt16LE(bytes.readInt16LE(at) + 1, at);
  }
  return { ...frames, points: bytes.toString('base64') };
}

t.test('a capture is known again in another project, and after one unit of each frame was changed', async (t) => {
  const first = await start();
  const measured = await measure(first, 1);
  t.notOk((await send(first, measured)).includes('capture_replayed'));
  const { frames } = measured;
  const copies = [
    ['verbatim, in another project', { siteKey }, frames],
    ['nudged', {}, nudge(frames)],
    ['nudged, in another project', { siteKey }, nudge(frames)],
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
