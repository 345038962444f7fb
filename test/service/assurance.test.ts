/** Demands of a project and a backend on a pass: a judged camera capture, the project's own mode of the widget, this person, once. */
import t from 'tap';
import { deviceOnlyExample } from '../../src/contract/envelope-examples.js';
import { createClient, isPass } from '../../sdk/node/index.js';
import { createPatch } from '../helpers/project-fields.js';
import { startTestService } from '../helpers/service.js';
import { createSession, page, readResult, verify } from '../helpers/verifications.js';

const service = await startTestService(t);
const patch = createPatch(t, service);
const { siteKey, projectKey } = service.bootstrap;
const create = (body: object, headers: Readonly<Record<string, string>> = page) =>
  service.call('POST', headers === page ? '/public/sessions' : '/sessions', { body: { siteKey, ...body }, headers });

t.test(
  'under minimumAssurance biometric a session without a camera fails, with its outcome and a reason',
  async (t) => {
    await patch({ config: { minimumAssurance: 'biometric' } });
    const declined = { consent: { biometric: false, at: new Date().toISOString() }, cameraFailureReason: undefined };
    for (const [over, verificationOutcome] of [
      [{}, 'unverified_technical'],
      [declined, 'declined_by_user'],
    ] as const) {
      const session = await createSession(service);
      const { body } = await verify(service, session, over);
      t.match(body, { status: 'fail', failureCategory: 'liveness', verificationOutcome, biometricEvidence: null });
      t.match(body.failureReasons[0], /camera check/);
      t.match((await readResult(service, session)).body, { status: 'fail', biometricEvidence: null });
    }
    const invisible = await createSession(service, { widgetMode: 'invisible' });
    t.match((await verify(service, invisible)).body, { status: 'fail', failureCategory: 'liveness' });
    await patch({ config: { minimumAssurance: null } });
    t.match((await verify(service, await createSession(service))).body, { status: 'pass' });
  },
);

t.test('a biometric pass is asked as many challenges in every mode of the widget', async (t) => {
  const countIn = async (widgetMode: string): Promise<number> =>
    (await createSession(service, { widgetMode })).challengeConfig.count;
  t.same([await countIn('standard'), await countIn('captcha'), await countIn('invisible')], [3, 2, 0]);
  await patch({ config: { minimumAssurance: 'biometric' } });
  const { studyConfig } = await createSession(service, { widgetMode: 'invisible' });
  t.same(studyConfig.livenessModels, ['landmarks', 'embedding']);
  t.same([await countIn('standard'), await countIn('captcha'), await countIn('invisible')], [3, 3, 3]);
  await patch({ config: { escalateOnSuspicion: true } });
  t.same([await countIn('standard'), await countIn('captcha'), await countIn('invisible')], [3, 3, 3]);
  await patch({ config: { challengeEnabled: false } });
  t.same([await countIn('standard'), await countIn('captcha'), await countIn('invisible')], [3, 3, 3]);
  await patch({ config: { minimumAssurance: null } });
  t.same([await countIn('standard'), await countIn('captcha'), await countIn('invisible')], [0, 0, 0]);
  await patch({ config: { evidenceFrames: 'sampled' } });
  t.same([await countIn('standard'), await countIn('captcha'), await countIn('invisible')], [3, 2, 2], 'with pictures');
  await patch({ config: { challengeEnabled: null, escalateOnSuspicion: null, evidenceFrames: null } });
});

t.test('lockWidgetMode refuses the page another mode of the widget', async (t) => {
  await patch({ config: { lockWidgetMode: true, widgetMode: 'captcha' } });
  t.match(await create({ widgetMode: 'invisible' }), {
    status: 400,
    body: { code: 'VALIDATION_FAILED', issues: [{ path: '/widgetMode', message: /captcha/ }] },
  });
  t.match(await create({ widgetMode: 'captcha' }), { status: 201 });
  t.match(await create({}), { status: 201, body: { studyConfig: { widgetMode: 'captcha' } } });
  const key = { 'x-api-key': projectKey };
  t.match(await create({ widgetMode: 'invisible' }, key), { status: 201 }, 'a backend may choose');
  await patch({ config: { lockWidgetMode: null, widgetMode: null } });
  t.match(await create({ widgetMode: 'invisible' }), { status: 201 });
});

t.test('the documented envelope passes no live session', async (t) => {
  const { body } = await verify(service, await createSession(service), { behavior: deviceOnlyExample.behavior });
  t.match(body, { status: 'fail', failureCategory: 'fraud_signal' });
  t.ok(body.fraudSignals.some(({ type }) => type === 'published_example'));
});

const ask = (body: object, headers: object = {}) =>
  service.call('POST', '/token/verify', { body, headers: { 'x-api-key': projectKey, ...headers } });
const pass = async (fields: object = { studyId: 'study', respondentId: 'person' }): Promise<string> =>
  (await verify(service, await createSession(service, fields as Record<string, unknown>))).body.verificationToken;

t.test('a token says what it rests on, and what is expected of it is checked in one order', async (t) => {
  const token = await pass();
  t.match((await ask({ token })).body, {
    success: true,
    mode: 'live',
    dispatch: 'pass',
    assuranceLevel: 'device_only',
    verificationOutcome: 'unverified_technical',
    biometricEvidence: null,
    widgetMode: 'standard',
  });
  const expected = { studyId: 'study', respondentId: 'person', minimumAssurance: 'device_only' };
  t.match((await ask({ token, ...expected })).body, { success: true });
  const failed = (field: string) => ({ success: false, error: 'EXPECTATION_FAILED', field });
  const all = { studyId: 'x', respondentId: 'x', minimumAssurance: 'biometric', use: 'x' };
  t.strictSame((await ask({ token, ...all })).body, failed('studyId'));
  t.strictSame((await ask({ token, ...all, studyId: 'study' })).body, failed('respondentId'));
  t.strictSame(
    (await ask({ token, ...all, ...expected, minimumAssurance: 'biometric' })).body,
    failed('minimumAssurance'),
  );
  t.strictSame((await ask({ token: await pass({}), respondentId: 'person' })).body, failed('respondentId'));
  t.strictSame((await ask({ token: 'x', ...all })).body, { success: false, error: 'MALFORMED' });
  const { body } = await service.call('POST', '/token/verify-batch', {
    body: { tokens: [{ token, ...expected }, token, { token, studyId: 'x' }, { token: null, use: 'x' }, null] },
    headers: { 'x-api-key': projectKey },
  });
  t.match(body, {
    results: [{ success: true }, { success: true }, failed('studyId'), { error: 'MALFORMED' }, { error: 'MALFORMED' }],
  });
  t.equal((await ask({ token, studyId: '' })).status, 400);
});

t.test('an expectation of an unknown name is refused with the name that is meant, and spends nothing', async (t) => {
  const token = await pass();
  const meant = { study_id: 'studyId', respondent_id: 'respondentId', minimum_assurance: 'minimumAssurance' };
  for (const [name, known] of Object.entries(meant)) {
    const { status, body } = await ask({ token, [name]: 'x', use: 'one' });
    t.equal(status, 400, name);
    const issues = [{ path: `/${name}`, message: `is not a known name; did you mean "${known}"?` }];
    t.match(body, { code: 'VALIDATION_FAILED', issues });
  }
  for (const name of ['require', 'expect', 'mode']) t.equal((await ask({ token, [name]: {} })).status, 400, name);
  t.match((await ask({ token, use: 'two' })).body, { success: true });
  const batch = async (body: unknown) =>
    service.call('POST', '/token/verify-batch', { body, headers: { 'x-api-key': projectKey } });
  t.match(await batch({ tokens: [token, { token, study_id: 'x' }] }), {
    status: 400,
    body: { issues: [{ path: '/tokens/1/study_id' }] },
  });
  t.match(await batch({ tokens: [token], studyId: 'x' }), { status: 400, body: { issues: [{ path: '/studyId' }] } });
});

t.test('a data collector that the page named is held to the one that the backend expects', async (t) => {
  await patch({ config: { deduplication: { perDataCollector: true } } });
  const session = await createSession(service, { dataCollector: 'another site' });
  const token = (await verify(service, session)).body.verificationToken;
  const failed = { success: false, error: 'EXPECTATION_FAILED', field: 'dataCollector' };
  t.strictSame((await ask({ token, dataCollector: 'north' })).body, failed);
  t.match((await ask({ token, dataCollector: 'another site' })).body, { success: true, dataCollector: 'another site' });
  t.strictSame((await ask({ token: await pass(), dataCollector: 'north' })).body, failed, 'one without any');
  const live = createClient({ apiKey: projectKey, baseUrl: service.bootstrap.baseUrl });
  t.match(await live.verifyToken(token, { require: { dataCollector: 'north' } }), failed);
  await patch({ config: { deduplication: null } });
});

t.test('a pass is spent on one thing: of uses at once one gets it, and the same again succeeds', async (t) => {
  const token = await pass();
  t.match((await ask({ token, studyId: 'x', use: 'first' })).body, { error: 'EXPECTATION_FAILED' }, 'spends nothing');
  const uses = Array.from({ length: 8 }, (_, n) => `complete-${n}`);
  const replies = await Promise.all(uses.map(async (use) => (await ask({ token, use })).body as { success: boolean }));
  t.equal(replies.filter(({ success }) => success).length, 1);
  const spent = uses[replies.findIndex(({ success }) => success)] ?? '';
  t.match((await ask({ token, use: spent })).body, { success: true });
  t.match((await ask({ token })).body, { success: true }, 'asking without a use is not using');
  t.strictSame((await ask({ token, use: 'other' })).body, { success: false, error: 'ALREADY_USED', field: 'use' });
});

t.test('a pass whose session was erased can be spent on nothing, and is not said to have been used', async (t) => {
  const token = await pass();
  const path = `/projects/${service.bootstrap.projectId}/respondents/person`;
  const erased = await service.call('DELETE', path, { headers: { 'x-api-key': service.bootstrap.organizationKey } });
  t.equal(erased.status, 200);
  t.strictSame((await ask({ token, use: 'one' })).body, { success: false, error: 'SESSION_ERASED', field: 'use' });
});

t.test('the vh_token of a redirect is verified by the service too, and shares the use of its session', async (t) => {
  const urls = { redirectPassUrl: 'https://survey.example/pass', redirectFailUrl: 'https://survey.example/fail' };
  await patch({ verificationMode: 'score', scoreModeConfig: urls });
  const session = await createSession(service, { studyId: 'study' });
  const { verificationToken } = (await verify(service, session)).body;
  const follow = async () => {
    const { redirectUrl } = (await readResult(service, session)).body.dispatch;
    const answer = await fetch(redirectUrl ?? '', { redirect: 'manual' });
    return new URL(answer.headers.get('location') ?? '').searchParams.get('vh_token');
  };
  const token = await follow();
  t.match((await ask({ token, studyId: 'study', use: 'one' })).body, { success: true, dispatch: 'scored' });
  t.match((await ask({ token: verificationToken, use: 'two' })).body, { success: false, error: 'ALREADY_USED' });
  await patch({ scoreModeConfig: { ...urls, blockAboveRisk: 0 } });
  const fenced = (await verify(service, await createSession(service))).body;
  t.match((await ask({ token: fenced.verificationToken })).body, { status: 'pass', dispatch: 'score_blocked' });
  await patch({ verificationMode: null, scoreModeConfig: null });
});

t.test('the client for Node.js checks what is required, and takes tests only when asked', async (t) => {
  const live = createClient({ apiKey: projectKey, baseUrl: service.bootstrap.baseUrl });
  const token = await pass();
  const require = { studyId: 'study', respondentId: 'person' };
  const reply = await live.verifyToken(token, { require, use: 'one' });
  t.ok(isPass(reply), JSON.stringify(reply));
  t.match(await live.verifyToken(token, { require: { assurance: 'biometric' } }), {
    success: false,
    error: 'EXPECTATION_FAILED',
    field: 'minimumAssurance',
  });
  t.match(await live.verifyTokens([token, { token, require }, { token, use: 'two' }, null]), [
    { success: true },
    { success: true },
    { error: 'ALREADY_USED' },
    { error: 'MALFORMED' },
  ]);
  t.notOk(isPass({ ...reply, dispatch: 'score_blocked' }));
  const { body: minted } = await service.call('POST', `/public/projects/${siteKey}/demo-key`, { headers: page });
  const { apiKey } = minted as { apiKey: string };
  const { body: session } = await create({}, { 'x-api-key': apiKey });
  const demo = (await verify(service, session)).body.verificationToken;
  const asDemo = createClient({ apiKey, baseUrl: service.bootstrap.baseUrl });
  t.strictSame(await asDemo.verifyToken(demo), { success: false, error: 'INVALID', hint: 'mode' });
  t.ok(isPass(await asDemo.verifyToken(demo, { mode: 'demo' })));
});
