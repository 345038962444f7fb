/** Respondents that end a verification the same every time in test mode, from a backend and from a page, and mean nothing in live sessions. */
import { decodeJwt } from 'jose';
import t from 'tap';
import type { SessionReply } from '../../src/contract/session.js';
import { fixedRespondentIds } from '../../src/verification/fixed-respondents/fixed-respondents.js';
import { createPatch } from '../helpers/project-fields.js';
import { startReceiver } from '../helpers/receiver.js';
import { readRepositoryFile } from '../helpers/repository.js';
import { startTestService } from '../helpers/service.js';
import { automated, createSession, createTestKey, page, readResult, verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

const service = await startTestService(t, { VH_WEBHOOK_ALLOW_PRIVATE: 'on' });
const { projectId, siteKey } = service.bootstrap;
const patch = createPatch(t, service);
const testKey = await createTestKey(service);

type Start = (body: object) => Promise<{ status: number; body: SessionReply }>;
const byBackend: Start = (body) => service.call('POST', '/sessions', { body, headers: { 'x-api-key': testKey } });
const byPage: Start = (body) =>
  service.call('POST', '/public/sessions', { body: { siteKey: `${siteKey}:test`, ...body }, headers: page });
const starts = { 'a backend': byBackend, 'a page': byPage };

const failed = (failureCategory: string) => ({ status: 'fail', failureCategory });
const passed = (assuranceLevel: string, verificationOutcome: string) => ({
  ...{ status: 'pass', failureCategory: null, assuranceLevel, verificationOutcome, failureReasons: [] },
});
const endings: Readonly<Record<string, object>> = {
  test_pass: { ...passed('biometric', 'completed'), isDuplicate: false, biometricEvidence: 'claimed' },
  test_pass_device_only: passed('device_only', 'completed'),
  test_fail_liveness: failed('liveness'),
  test_fail_authenticity: failed('authenticity'),
  test_fail_fraud: failed('fraud_signal'),
  test_duplicate: { ...failed('duplicate'), isDuplicate: true, duplicateMatch: { fingerprintId: 'fp_test' } },
  test_prior: { ...passed('biometric', 'completed'), priorParticipation: { lastSeenAt: 1_736_942_400 } },
  test_declined: passed('device_only', 'declined_by_user'),
  test_camera_error: { ...passed('device_only', 'unverified_technical'), cameraFailureReason: 'NotReadableError' },
  test_step_up: passed('biometric', 'completed'),
};

for (const [name, start] of Object.entries(starts)) {
  for (const [respondentId, ending] of Object.entries(endings))
    t.test(`${respondentId} ends the same whatever the browser sends, from ${name}`, async (t) => {
      for (const sent of [{}, automated]) {
        const { body: session } = await start({ respondentId, studyId: 'study' });
        const answer = await verify(service, session, sent);
        t.equal(answer.status, 200);
        t.match(answer.body, { ...ending, sessionId: session.sessionId });
        t.match(decodeJwt(answer.body.verificationToken), { mode: 'test', purpose: 'verification' });
        const { status, body: result } = await readResult(service, session);
        t.equal(status, 200);
        t.match(result, { respondentId, studyId: 'study', token: answer.body.verificationToken });
        const { body: checked } = await service.call('POST', '/token/verify', {
          body: { token: answer.body.verificationToken },
          headers: { 'x-api-key': testKey },
        });
        t.match(checked, { mode: 'test', assuranceLevel: answer.body.assuranceLevel });
      }
    });

  t.test(`a session of test_expired has expired, from ${name}`, async (t) => {
    const { status, body: session } = await start({ respondentId: 'test_expired' });
    t.equal(status, 201);
    const { status: refused, body } = await verify(service, session);
    t.equal(refused, 410);
    t.match(body, { code: 'SESSION_EXPIRED' });
    t.equal((await readResult(service, session)).status, 410);
  });

  t.test(`test_step_up is asked for the camera where the page can ask, from ${name}`, async (t) => {
    const { body: session } = await start({ respondentId: 'test_step_up', widgetMode: 'captcha' });
    const passive = { canEscalate: true, cameraFailureReason: null };
    for (const again of [false, true]) {
      const { status, body } = await verify(service, session, passive);
      t.equal(status, 202, `again: ${again}`);
      t.match(body, { cameraCheck: { challengeConfig: { nonce: session.challengeConfig.nonce } } });
    }
    const { status, body } = await verify(service, session);
    t.equal(status, 200);
    t.match(body, endings['test_step_up'] ?? {});
  });

  t.test(`an unknown test respondent is refused with the nearest one, from ${name}`, async (t) => {
    const { status, body } = await start({ respondentId: 'test_fail_livness' });
    t.equal(status, 400);
    t.match(body, {
      code: 'VALIDATION_FAILED',
      issues: [{ path: '/respondentId', message: /did you mean "test_fail_liveness"\?/ }],
    });
  });
}

t.test('no test respondent waits for a camera check but test_step_up', async (t) => {
  const { body: session } = await byPage({ respondentId: 'test_fail_fraud', widgetMode: 'captcha' });
  const { status } = await verify(service, session, { canEscalate: true, cameraFailureReason: null });
  t.equal(status, 200);
});

t.test('endings hold under the strictest thresholds and where pictures are asked for', async (t) => {
  const config = { evidenceFrames: 'sampled', livenessThreshold: 1, uniquenessThreshold: 1 };
  await patch({ config, customThresholds: { liveness: 1, uniqueness: 1, authenticity: 1, screenDetection: 1 } });
  const { body: session } = await byPage({ respondentId: 'test_pass' });
  t.match((await verify(service, session)).body, endings['test_pass'] ?? {});
  await patch({ config: null, customThresholds: null });
});

t.test('minimumAssurance of the project fails a test respondent without a camera', async (t) => {
  await patch({ config: { minimumAssurance: 'biometric' } });
  for (const respondentId of ['test_pass_device_only', 'test_declined', 'test_camera_error']) {
    const { body: session } = await byPage({ respondentId });
    t.match((await verify(service, session)).body, failed('liveness'), respondentId);
  }
  await patch({ config: { minimumAssurance: null } });
});

t.test('a failed test respondent can be tried again, and a passed one cannot', async (t) => {
  const retry = async (respondentId: string) => {
    const { body: session } = await byPage({ respondentId });
    await verify(service, session);
    const path = `/sessions/${session.sessionId}/retry`;
    return service.call('POST', path, { body: {}, headers: { 'x-api-key': testKey } });
  };
  t.equal((await retry('test_fail_liveness')).status, 201);
  t.equal((await retry('test_pass')).status, 409);
});

t.test('a live session takes the ids of test respondents like any other', async (t) => {
  const session = await createSession(service, { respondentId: 'test_fail_liveness' });
  t.equal((await verify(service, session)).body.status, 'pass');
  t.ok(await createSession(service, { respondentId: 'test_nobody' }));
});

t.test('a page of test mode is held by the same origins as any other', async (t) => {
  await patch({ config: { allowedDomains: ['https://elsewhere.example'] } });
  const { status, body } = await byPage({ respondentId: 'test_pass' });
  t.equal(status, 403);
  t.match(body, { code: 'ORIGIN_NOT_ALLOWED' });
  await patch({ config: { allowedDomains: null } });
});

t.test('the widget of a test site key gets what it needs to mount', async (t) => {
  const read = (path: string) => service.call('GET', path, { headers: page });
  t.equal((await read(`/projects/${encodeURIComponent(`${siteKey}:test`)}/public-config`)).status, 200);
  t.match((await read(`/origin-check?siteKey=${siteKey}:test`)).body, { allowed: true });
  t.equal((await read(`/origin-check?siteKey=${siteKey}:tset`)).status, 404);
});

t.test('nothing of a test respondent reaches live sessions', async (t) => {
  const receiver = await startReceiver(t);
  const quiet = await startReceiver(t);
  const path = `/projects/${projectId}/webhooks`;
  await service.call('POST', path, { body: { url: receiver.url, includeTest: true } });
  await service.call('POST', path, { body: { url: quiet.url } });
  const { body: session } = await byPage({ respondentId: 'test_duplicate' });
  await verify(service, session);
  const live = await createSession(service, { respondentId: 'somebody' });
  t.match((await verify(service, live)).body, { status: 'pass', isDuplicate: false });
  const sessionsOf = ({ received }: typeof receiver): string[] =>
    received.map(({ body }) => (JSON.parse(body) as { data: { session_id: string } }).data.session_id);
  await waitUntil(() => sessionsOf(receiver).length >= 2 && sessionsOf(quiet).length >= 1, 'events arrive');
  t.ok(sessionsOf(receiver).includes(session.sessionId));
  t.notOk(sessionsOf(quiet).includes(session.sessionId));
});

t.test('the page of test values and the SDK’s page name each test respondent', (t) => {
  for (const file of ['docs/reference/test-values.md', 'docs/reference/browser-sdk.md']) {
    const text = readRepositoryFile(file);
    for (const id of fixedRespondentIds) t.ok(text.includes(`\`${id}\``), `${file}: ${id}`);
  }
  t.same([...Object.keys(endings), 'test_expired'].sort(), [...fixedRespondentIds].sort());
  t.end();
});
