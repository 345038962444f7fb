/** Demands of a session on its page: it says so when it is created, and a project that changes meanwhile demands no more of it. */
import t from 'tap';
import type { SessionReply } from '../../src/contract/session.js';
import { envelopeBytesMax } from '../../src/limits.js';
import { createPatch } from '../helpers/project-fields.js';
import { startTestService } from '../helpers/service.js';
import { createSession, verify } from '../helpers/verifications.js';

t.setTimeout(120_000);
const service = await startTestService(t);
const { projectKey } = service.bootstrap;
const patch = createPatch(t, service);

t.test('a session says what it demands, by its project’s settings', async (t) => {
  const demands = async () => (await createSession(service)).studyConfig;
  t.match(await demands(), { minimumAssurance: 'device_only', evidenceFrames: 'off' });
  await patch({ config: { minimumAssurance: 'biometric', evidenceFrames: 'sampled' } });
  t.match(await demands(), { minimumAssurance: 'biometric', evidenceFrames: 'sampled' });
});

t.test('a heavy step-up demands a capture, whatever its project does, and so does a retry of it', async (t) => {
  await patch({ config: null });
  const headers = { 'x-api-key': projectKey };
  const stepUpOf = async (intensity: number, sessionId: string): Promise<SessionReply> => {
    const asking = { stepUpEnabled: true, stepUpThreshold: 0, stepUpIntensityThreshold: intensity };
    await patch({ config: { liteConfig: asking } });
    const score = await service.call('POST', '/lite/score', { body: { sessionId, clientIp: '203.0.113.24' }, headers });
    const { receiptId: stepUpFor } = score.body as { readonly receiptId: string };
    return (await service.call('POST', '/sessions', { body: { stepUpFor }, headers })).body;
  };
  t.match((await stepUpOf(100, 'light')).studyConfig, { minimumAssurance: 'device_only' });
  const heavy = await stepUpOf(0, 'heavy');
  t.match(heavy.studyConfig, { minimumAssurance: 'biometric' });
  t.match((await verify(service, heavy)).body, { status: 'fail', failureCategory: 'liveness' });
  const retried = await service.call('POST', `/sessions/${heavy.sessionId}/retry`, { body: {}, headers });
  t.match(retried.body, { studyConfig: { minimumAssurance: 'biometric' } });
});

t.test('what was open when a demand came is judged as it was created', async (t) => {
  await patch({ config: null });
  const [before, other] = [await createSession(service), await createSession(service)];
  await patch({ config: { minimumAssurance: 'biometric', evidenceFrames: 'sampled' } });
  t.match((await verify(service, before)).body, { status: 'pass', assuranceLevel: 'device_only' });
  const large = { locale: 'en', padding: 'x'.repeat(envelopeBytesMax) };
  t.equal((await verify(service, other, large)).status, 413, 'nor does it take pictures');
  const after = await createSession(service);
  await patch({ config: null });
  t.match(await verify(service, after, large), { status: 200, body: { status: 'fail' } });
});
