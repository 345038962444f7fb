/** A session whose passive signals do not pass: kept open, once, for a camera check, and told of when it ends. */
import t from 'tap';
import { biometricExample, deviceOnlyExample } from '../../src/contract/envelope-examples.js';
import { passiveBytesMax } from '../../src/limits.js';
import type { CameraCheckReply, VerifyReply } from '../../src/contract/score-envelope.js';
import type { SessionReply } from '../../src/contract/session.js';
import type { TokenReply } from '../../src/contract/token.js';
import { createRandom } from '../../workers/seeded-random.js';
import { writeSystems } from '../helpers/autonomous-systems.js';
import { measurePerson, startFaceService } from '../helpers/face-sessions.js';
import { randomDirection } from '../helpers/faces.js';
import { startReceiver } from '../helpers/receiver.js';
import { automated, createSession, readResult, verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

const systems = writeSystems(t, { '91.0.0.0/8': 'home', '45.9.0.0/16': 'hosting' });
const faces = await startFaceService(t, { GEOIP_ASN_DB: systems, VH_TRUSTED_PROXIES: '127.0.0.1' });
const { service, organization } = faces;
const { bootstrap } = service;
const random = createRandom(11);
let seed = 400;

interface Told {
  readonly event: string;
  readonly data: { readonly session_id: string; readonly status: string };
}
const receiver = await startReceiver(t);
await service.call('POST', `/projects/${bootstrap.projectId}/webhooks`, {
  body: {
    url: receiver.url,
    events: ['verification.completed', 'verification.passed', 'verification.failed', 'verification.scored'],
  },
});
const toldOf = (sessionId: string): string[] =>
  receiver.received
    .map(({ body }) => JSON.parse(body) as Told)
    .filter(({ data }) => data.session_id === sessionId)
    .map(({ event, data }) => `${event} ${data.status}`)
    .sort();

async function patch(config: object, fields: object = {}): Promise<void> {
  const defaults = { maxRetries: null, challengeEnabled: null, minimumAssurance: null };
  const body = { verificationMode: null, ...fields, config: { ...defaults, ...config } };
  const answer = await service.call('PATCH', `/projects/${bootstrap.projectId}`, { body, headers: organization });
  t.equal(answer.status, 200, JSON.stringify(answer.body));
}

/** Signals that do not pass by themselves, from a page that can go on to the camera. */
const passive = { device: automated.device, cameraFailureReason: undefined, canEscalate: true };
const ask = async (session: SessionReply, over: object = {}) => {
  const { status, body } = await verify(service, session, { ...passive, ...over });
  return { status, body: body as VerifyReply | CameraCheckReply };
};
function checkOf({ body }: { readonly body: VerifyReply | CameraCheckReply }): CameraCheckReply['cameraCheck'] {
  if (!('cameraCheck' in body)) throw new Error(JSON.stringify(body));
  return body.cameraCheck;
}
/** The person does before the camera what the check asks for. */
async function showFace(session: SessionReply, check: CameraCheckReply['cameraCheck'], headers = {}) {
  const asked = { ...session, challengeConfig: check.challengeConfig };
  const measured = await measurePerson(faces, asked, { person: randomDirection(random), seed: (seed += 1), random });
  return verify(service, session, measured, headers);
}

await waitUntil(async () => (await fetch(`${bootstrap.adminUrl}/readyz`)).ok, 'face index ready');
const consent = { biometric: true, at: '2026-05-04T12:00:00Z' };
const cases = [
  { name: 'invisible, as the page asked', body: { widgetMode: 'invisible' } },
  {
    name: 'invisible, as the project has it',
    body: { widgetMode: 'invisible' },
    config: { escalateOnSuspicion: true },
  },
  { name: 'invisible with consent passed', body: { widgetMode: 'invisible', consent } },
  { name: 'captcha', body: { widgetMode: 'captcha' } },
  { name: 'captcha with consent passed', body: { widgetMode: 'captcha', consent } },
  { name: 'without retries', body: { widgetMode: 'invisible' }, config: { maxRetries: 0 } },
  { name: 'biometric', body: { widgetMode: 'invisible' }, config: { minimumAssurance: 'biometric' }, count: 3 },
  {
    name: 'biometric, captcha without challenges',
    body: { widgetMode: 'captcha' },
    config: { minimumAssurance: 'biometric', challengeEnabled: false },
    count: 3,
  },
  { name: 'in score mode', body: { widgetMode: 'invisible' }, fields: { verificationMode: 'score' } },
] as const;

for (const { name, body, ...of } of cases)
  t.test(`${name}: one session, one end, and only the end is told`, async (t) => {
    const fields = 'fields' in of ? of.fields : {};
    await patch('config' in of ? of.config : {}, fields);
    const session = await createSession(service, body);
    const first = await ask(session);
    t.equal(first.status, 202, JSON.stringify(first.body));
    t.same(Object.keys(first.body).sort(), ['cameraCheck', 'sessionId'], 'no verdict, no token');
    const check = checkOf(first);
    t.match(check, { challengeConfig: { nonce: session.challengeConfig.nonce }, livenessModels: [/./] });
    t.match(check.challengeConfig, { sequential: true, count: 'count' in of ? of.count : 2, challenges: [] });
    t.match(await readResult(service, session), { status: 409, body: { code: 'CONFLICT' } }, 'there is no result yet');
    const retry = { body: { previousSessionId: session.sessionId, siteKey: bootstrap.siteKey } };
    t.match(await service.call('POST', '/sessions', retry), { status: 409, body: { reason: 'not_completed' } });
    t.same((await ask(session)).body, first.body, 'an answer that got lost is given again');
    const seen = await showFace(session, check);
    t.equal(seen.status, 200, JSON.stringify(seen.body));
    t.match(seen.body, {
      sessionId: session.sessionId,
      status: 'pass',
      assuranceLevel: 'biometric',
      verificationToken: String,
    });
    await waitUntil(() => toldOf(session.sessionId).length >= 2, 'the end is told');
    const second = 'verificationMode' in fields ? 'verification.scored scored' : 'verification.passed pass';
    t.same(toldOf(session.sessionId), ['verification.completed pass', second]);
  });

t.test('who declines the check, or has no camera, ends the same session by the device', async (t) => {
  await patch({});
  const endings = [
    [{ consent: { ...consent, biometric: false } }, 'declined_by_user'],
    [{ cameraFailureReason: 'NotFoundError' }, 'unverified_technical'],
  ] as const;
  for (const [over, verificationOutcome] of endings) {
    const session = await createSession(service, { widgetMode: 'invisible' });
    t.equal((await ask(session)).status, 202);
    t.match(await ask(session, over), { status: 200, body: { status: 'fail', verificationOutcome } });
    await waitUntil(() => toldOf(session.sessionId).length >= 2, 'the end is told');
    t.same(toldOf(session.sessionId), ['verification.completed fail', 'verification.failed fail']);
  }
});

t.test(
  'after the check was asked for, no other device or behaviour takes the place of the one that asked',
  async (t) => {
    const { frames } = biometricExample;
    const noFace = { ...frames, points: Buffer.alloc(Buffer.byteLength(frames.points, 'base64')).toString('base64') };
    const embedding = { model: 'x', dimension: 128, values: Buffer.alloc(256, 7).toString('base64') };
    for (const widgetMode of ['invisible', 'captcha'])
      for (const over of [
        { cameraFailureReason: 'NotAllowedError' },
        {},
        { consent, embedding },
        { consent, embedding, cameraFailureReason: 'NotReadableError' },
        { consent, frames: noFace },
        { consent, frames: noFace, embedding },
      ]) {
        const session = await createSession(service, { widgetMode });
        t.equal((await ask(session)).status, 202);
        const clean = { device: deviceOnlyExample.device, locale: 'fr', canEscalate: undefined, ...over };
        t.match(
          await ask(session, clean),
          { status: 200, body: { status: 'fail' } },
          JSON.stringify(Object.keys(over)),
        );
      }
  },
);

t.test('an envelope that is judged while another one asks for the check does not take its place', async (t) => {
  await patch({});
  for (let n = 0; n < 8; n += 1) {
    const session = await createSession(service, { widgetMode: 'invisible' });
    const clean = { device: deviceOnlyExample.device, cameraFailureReason: undefined, canEscalate: undefined };
    const [asked, other] = await Promise.all([ask(session), ask(session, clean)]);
    if (asked.status === 202) t.match(other, { status: 200, body: { status: 'fail' } });
    else t.match([asked.status, other.status], [409, 200], 'the other one came first');
  }
});

t.test('headers that asked for the check are not replaced either', async (t) => {
  const agent = deviceOnlyExample.device.ua.ua;
  const own = { device: deviceOnlyExample.device, cameraFailureReason: undefined };
  for (const over of [{ canEscalate: true }, { cameraFailureReason: 'NotAllowedError' }]) {
    const session = await createSession(service, { widgetMode: 'invisible' });
    const headless = { 'user-agent': agent.replace('Chrome/', 'HeadlessChrome/') };
    const first = { ...own, canEscalate: true };
    t.equal((await verify(service, session, first, headless)).status, 202);
    t.equal((await verify(service, session, first)).status, 202, 'sent again, it is the same envelope');
    t.match(await verify(service, session, { ...own, ...over, locale: 'fr' }), {
      status: 200,
      body: { status: 'fail' },
    });
  }
});

/** Everything that a backend learns of a verdict. */
async function signalsOf({ body }: { readonly body: VerifyReply | CameraCheckReply }): Promise<string[]> {
  const token = 'verificationToken' in body ? body.verificationToken : null;
  const told = await service.call('POST', '/token/verify', { body: { token }, headers: organization });
  return ((told.body as TokenReply).fraudSignals ?? []).map(({ type }) => type);
}

t.test('the network that asked for the check is not replaced by another, with a face and without', async (t) => {
  await patch({});
  const [host, home] = [{ 'x-forwarded-for': '45.9.0.7' }, { 'x-forwarded-for': '91.7.7.7' }];
  for (const [before, after, isHosted] of [
    [host, home, true],
    [home, host, true],
    [home, home, false],
  ] as const) {
    const session = await createSession(service, { widgetMode: 'invisible' });
    const first = await verify(service, session, passive, before);
    t.equal(first.status, 202);
    const check = checkOf(first);
    t.equal((await signalsOf(await showFace(session, check, after))).includes('network_hosting'), isHosted);
    const declined = await createSession(service, { widgetMode: 'invisible' });
    t.equal((await verify(service, declined, passive, before)).status, 202);
    const over = { ...passive, consent: { ...consent, biometric: false } };
    t.equal((await signalsOf(await verify(service, declined, over, after))).includes('network_hosting'), isHosted);
  }
});

t.test('no page has more kept of it than a browser says of itself', async (t) => {
  const { device } = automated;
  const padded = (bytes: number) => ({ device: { ...device, ua: { ...device.ua, more: 'x'.repeat(bytes) } } });
  t.match(await ask(await createSession(service, { widgetMode: 'invisible' }), padded(40_000)), { status: 202 });
  const large = await ask(await createSession(service, { widgetMode: 'invisible' }), padded(passiveBytesMax));
  t.match(large, { status: 200, body: { status: 'fail' } }, 'judged at once');
});

t.test('who used the page only after the check was asked for has used it', async (t) => {
  const own = { device: deviceOnlyExample.device, cameraFailureReason: undefined };
  const session = await createSession(service, { widgetMode: 'captcha' });
  t.equal((await verify(service, session, { ...own, behavior: undefined, canEscalate: true })).status, 202);
  const declined = await verify(service, session, { ...own, consent: { ...consent, biometric: false } });
  t.match(declined, { status: 200, body: { status: 'pass', verificationOutcome: 'declined_by_user' } });
});

t.test('a session stays open once: another envelope without the camera is judged', async (t) => {
  const session = await createSession(service, { widgetMode: 'invisible' });
  t.equal((await ask(session)).status, 202);
  t.match(await ask(session, { locale: 'fr' }), { status: 200, body: { status: 'fail' } });
  const raced = await createSession(service, { widgetMode: 'invisible' });
  const answers = await Promise.all(['de', 'en', 'fr', 'es'].map((locale) => ask(raced, { locale })));
  t.same(answers.map(({ status }) => status).sort(), [200, 202, 409, 409], 'one is asked, one ends it');
});

t.test('the verdict stands where the page cannot ask, the project forbids it, or the camera was tried', async (t) => {
  const judged = async (body: object, over: object, config: object = {}) => {
    await patch(config);
    const answer = await ask(await createSession(service, { ...body }), over);
    t.match(answer, { status: 200, body: { status: 'fail', verificationToken: String } }, JSON.stringify([body, over]));
  };
  await judged({ widgetMode: 'invisible' }, { canEscalate: undefined });
  await judged({ widgetMode: 'invisible' }, { cameraFailureReason: 'NotAllowedError' });
  await judged({ widgetMode: 'invisible' }, { consent: { ...consent, biometric: false } });
  await judged({ widgetMode: 'captcha' }, {}, { challengeEnabled: false });
  await judged({ widgetMode: 'standard' }, {});
  await patch({});
  const session = await createSession(service, { widgetMode: 'captcha' });
  const measured = await measurePerson(faces, session, { person: randomDirection(random), seed: (seed += 1), random });
  const forged = { ...measured, device: automated.device, nonce: 'of another session', canEscalate: true };
  t.match(await verify(service, session, forged), { status: 200, body: { status: 'fail' } }, 'seen, and not believed');
});
