/** Pictures as evidence over HTTP: points without a camera never pass, nothing of a picture is kept, and only such a project takes large envelopes. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { biometricExample } from '../../src/contract/envelope-examples.js';
import { envelopeBytesMax, evidenceBytesMax } from '../../src/limits.js';
import { createRandom } from '../../workers/seeded-random.js';
import { captureHuman } from '../helpers/captures.js';
import { startFaceService } from '../helpers/face-sessions.js';
import { embeddingOf, randomDirection } from '../helpers/faces.js';
import { playPictures } from '../helpers/picture-forgery.js';
import { createPatch } from '../helpers/project-fields.js';
import { automated, createSession, page, verify } from '../helpers/verifications.js';

t.setTimeout(120_000);

const faces = await startFaceService(t);
const { service } = faces;
const patch = createPatch(t, service);

t.test('points that pass as a claim never pass where pictures are asked for', async (t) => {
  await patch({ config: { evidenceFrames: 'off' } });
  t.match(await playPictures(faces, null), { status: 'pass', biometricEvidence: 'claimed' });
  await patch({ config: { evidenceFrames: 'sampled' } });
  for (let seed = 50; seed < 60; seed += 1) {
    const { status, failureCategory, failureReasons, biometricEvidence } = await playPictures(faces, null, seed);
    t.same([status, failureCategory, biometricEvidence], ['fail', 'authenticity', 'claimed']);
    t.match(failureReasons, ['The requested pictures are missing or could not be checked.']);
  }
});

t.test('a capture without pictures never counts, although the camera was asked for while it was judged', async (t) => {
  await patch({ config: { evidenceFrames: 'sampled' } });
  const passive = { device: automated.device, cameraFailureReason: undefined, canEscalate: true };
  for (let seed = 170; seed < 178; seed += 1) {
    const session = await createSession(service, { widgetMode: 'invisible' });
    const capture = captureHuman({ seed, challenges: [] });
    faces.clock.aheadMs += capture.endMs;
    const { consent, camera, features } = biometricExample;
    const { frames, challenges } = capture;
    const embedding = embeddingOf(randomDirection(createRandom(seed)));
    const claimed = { consent, camera, features, frames, challenges, embedding, cameraFailureReason: undefined };
    const [asked, judged] = await Promise.all([passive, claimed].map((each) => verify(service, session, each)));
    if (asked?.status === 202)
      t.match(judged?.body, { status: 'fail', failureCodes: ['liveness_low', 'pictures_missing'] });
    else t.match(judged?.body, { assuranceLevel: 'device_only' }, 'the capture came first, unasked');
  }
});

t.test('a call that does not say where the answer went furthest is refused before anything is named', async (t) => {
  await patch({ config: { evidenceFrames: 'sampled' } });
  const { sessionId, clientSecret } = await createSession(service, { widgetMode: 'standard' });
  const headers = { ...page, 'x-client-secret': clientSecret };
  const ask = (body: object) => service.call('POST', `/public/sessions/${sessionId}/challenges`, { body, headers });
  const none = { commitment: null, frameCount: 0 };
  t.equal((await ask({ index: 0, ...none })).status, 200);
  for (const over of [{}, { peakFrame: 0 }])
    t.match(await ask({ index: 1, ...none, ...over }), { status: 400, body: { issues: [{ path: '/peakFrame' }] } });
  t.equal((await ask({ index: 1, ...none, peakFrame: null })).status, 200);
});

t.test('pictures of nobody fail, and nothing of them is stored, logged or told', async (t) => {
  await patch({ config: { evidenceFrames: 'sampled' } });
  const picture = randomBytes(96 * 96);
  const reply = await playPictures(faces, picture, 70);
  t.equal(reply.status, 'fail');
  t.ok(
    reply.failureReasons.includes('The pictures do not show the face that was measured.'),
    reply.failureReasons.join(),
  );
  // Any run of bytes of the picture, as it is, and as it was sent, whatever its place in a longer text.
  const bytes = picture.subarray(300, 348);
  const text = [0, 1, 2].map((skip) =>
    picture
      .subarray(300 + skip, 348)
      .toString('base64')
      .slice(0, 40),
  );
  const marks = [bytes.toString('latin1'), bytes.toString('hex'), ...text];
  const held = [JSON.stringify(reply), ...service.log, ...readFiles(service.dataDirectory)];
  t.ok(held.length > 20, 'files are read');
  t.notOk(held.some((each) => marks.some((mark) => each.includes(mark))));
});

t.test('pictures of a capture that fails anyway are not judged, and its answer says why it failed', async (t) => {
  await patch({ config: { evidenceFrames: 'sampled' } });
  const judged = async (): Promise<number> => {
    const text = await (await fetch(`${service.bootstrap.adminUrl}/metrics`)).text();
    return Number(/^vh_picture_judgements_total\{result="judged"\} (\d+)/m.exec(text)?.[1] ?? 0);
  };
  const before = await judged();
  const { device } = automated;
  const reply = await playPictures(faces, randomBytes(96 * 96), 71, { device });
  t.match(reply, { status: 'fail', failureCategory: 'fraud_signal' });
  t.notOk(
    reply.failureReasons.some((reason) => /pictures|compared/i.test(reason)),
    reply.failureReasons.join(),
  );
  t.equal(await judged(), before);
  await playPictures(faces, randomBytes(96 * 96), 72, { embedding: null });
  t.equal(await judged(), before + 1, 'those of a capture that would pass are, whether a face was claimed or not');
});

t.test('an envelope as large as pictures make it is taken from a page of such a project alone', async (t) => {
  const padding = { locale: 'en', padding: 'x'.repeat(envelopeBytesMax) };
  for (const [evidenceFrames, status] of [
    ['off', 413],
    ['sampled', 200],
  ] as const) {
    await patch({ config: { evidenceFrames } });
    const answer = await verify(service, await createSession(service), padding);
    t.equal(answer.status, status, evidenceFrames);
  }
  const larger = { padding: 'x'.repeat(envelopeBytesMax + evidenceBytesMax) };
  t.equal((await verify(service, await createSession(service), larger)).status, 413);
});

function readFiles(directory: string): readonly string[] {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true });
  return names
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
}
