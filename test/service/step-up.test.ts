/** From a score that recommends step_up to a verification of its session, and from that into its next score. */
import t from 'tap';
import { createClient, isPass } from '../../sdk/node/index.js';
import { personDevice } from '../../src/contract/person-example.js';
import { probeExample } from '../../src/scoring/examples.js';
import type { ScoreReply } from '../../src/contract/score.js';
import type { SessionReply } from '../../src/contract/session.js';
import { createPatch } from '../helpers/project-fields.js';
import { startTestService } from '../helpers/service.js';
import { automated, createSession, createTestKey, page, readResult, verify } from '../helpers/verifications.js';

const service = await startTestService(t);
const { projectKey } = service.bootstrap;
const patch = createPatch(t, service);
const testKey = await createTestKey(service);

/** Every score is asked to step up. */
const asking = { stepUpEnabled: true, stepUpThreshold: 0 };
const light = { liteConfig: { ...asking, stepUpIntensityThreshold: 100 } };
const heavy = { liteConfig: { ...asking, stepUpIntensityThreshold: 0 } };

const score = async (sessionId: string, key = projectKey): Promise<ScoreReply> => {
  const body = { sessionId, clientIp: '203.0.113.24' };
  return (await service.call('POST', '/lite/score', { body, headers: { 'x-api-key': key } })).body;
};
const start = (body: object, key = projectKey): Promise<{ status: number; body: SessionReply }> =>
  service.call('POST', '/sessions', { body, headers: { 'x-api-key': key } });
const { hw, gfx, env } = personDevice;
const elsewhere = {
  ...personDevice,
  hw: { ...hw, cores: 64, memory: 2 },
  gfx: { ...gfx, renderer: 'ANGLE (AMD, AMD Radeon RX 6600, D3D11)', canvas: '1a2b3c4d', audio: 99.5 },
  env: { ...env, fonts: '5e6f7a8b' },
};
const codesOf = ({ evidence }: ScoreReply): string[] =>
  [...evidence.against, ...evidence.for, ...evidence.notes].map(({ code }) => code);

t.test('a passed light step-up leads to a score that asks no more', async (t) => {
  await patch({ config: light });
  const first = await score('light-pass');
  t.match(first, { recommendation: 'step_up', stepUpIntensity: 'light' });
  const { status, body: session } = await start({ stepUpFor: first.receiptId, widgetMode: 'invisible' });
  t.equal(status, 201);
  t.equal(session.studyConfig.widgetMode, 'captcha');
  t.equal((await score('light-pass')).receiptId, first.receiptId, 'while it is open, the first answer stands');
  t.match((await verify(service, session)).body, { status: 'pass' });
  const second = await score('light-pass');
  t.match(second, { recommendation: 'allow', stepUpIntensity: 'none', supersedes: first.receiptId });
  t.ok(codesOf(second).includes('step_up_passed'));
  const { body: evidence } = await service.call('GET', `/lite/score/${second.receiptId}/evidence`, {
    headers: { 'x-api-key': projectKey },
  });
  t.match(evidence, { provenance: { faithful: true } });
});

t.test('the client for Node.js takes the token of a step-up for no pass, unless its receipt is required', async (t) => {
  await patch({ config: light });
  const { receiptId } = await score('light-token');
  const { body: session } = await start({ stepUpFor: receiptId, widgetMode: 'invisible' });
  const token = (await verify(service, session)).body.verificationToken;
  const client = createClient({ apiKey: projectKey, baseUrl: service.bootstrap.baseUrl });
  const require = { stepUpFor: receiptId };
  const refused = { success: false, error: 'EXPECTATION_FAILED', field: 'stepUpFor' };
  const alone = await client.verifyToken(token);
  t.notOk(isPass(alone));
  t.strictSame(alone, refused);
  t.ok(isPass(await client.verifyToken(token, { require })));
  const [first, second] = await client.verifyTokens([token, { token, require }]);
  t.strictSame(first, refused);
  t.match(second, { success: true, stepUpFor: receiptId });
});

t.test(
  'a step-up from another device than the one that was scored fails, and a retry on that one passes',
  async (t) => {
    await patch({ config: light });
    const scored = {
      ...probeExample(service.bootstrap.probeKey),
      sessionId: 'on-one-device',
      nonce: 'nonce-on-one-device',
    };
    t.equal((await service.call('POST', '/public/lite/probe', { body: scored })).status, 202);
    const first = await score('on-one-device');
    t.equal(first.recommendation, 'step_up');
    const { body: session } = await start({ stepUpFor: first.receiptId });
    const { body } = await verify(service, session, { device: elsewhere });
    t.match(body, { status: 'fail', failureReasons: [/differs from the one whose score/] });
    t.ok(codesOf(await score('on-one-device')).includes('step_up_failed'));
    const { body: retry } = await service.call('POST', `/sessions/${session.sessionId}/retry`, {
      body: {},
      headers: { 'x-api-key': projectKey },
    });
    t.match((await verify(service, retry)).body, { status: 'pass' });
    t.ok(codesOf(await score('on-one-device')).includes('step_up_passed'));
  },
);

t.test('a page that knows a receipt decides nothing of its step-up', async (t) => {
  await patch({ config: light });
  const { receiptId } = await score('known-receipt');
  for (const stepUpFor of [receiptId, null]) {
    const session = await createSession(service, { stepUpFor });
    t.match((await verify(service, session)).body, { status: 'pass' });
  }
  t.equal((await score('known-receipt')).receiptId, receiptId, 'nobody stepped up');
});

t.test('a heavy step-up takes no pass without a capture', async (t) => {
  await patch({ config: heavy });
  const { receiptId, stepUpIntensity } = await score('heavy-fail');
  t.equal(stepUpIntensity, 'heavy');
  const { body: session } = await start({ stepUpFor: receiptId });
  t.equal(session.studyConfig.widgetMode, 'standard');
  t.match((await verify(service, session)).body, { status: 'fail', failureCategory: 'liveness' });
  const second = await score('heavy-fail');
  t.not(second.recommendation, 'step_up');
  t.ok(codesOf(second).includes('step_up_failed'));
});

t.test('a retry of a step-up asks as much, and its pass replaces the failure', async (t) => {
  await patch({ config: light });
  const { receiptId } = await score('retried');
  const { body: session } = await start({ stepUpFor: receiptId });
  await verify(service, session, automated);
  t.ok(codesOf(await score('retried')).includes('step_up_failed'));
  const { body: retry } = await service.call('POST', `/sessions/${session.sessionId}/retry`, {
    body: {},
    headers: { 'x-api-key': projectKey },
  });
  t.equal((retry as SessionReply).studyConfig.widgetMode, 'captcha');
  await verify(service, retry);
  t.ok(codesOf(await score('retried')).includes('step_up_passed'));
});

t.test('a receipt of a respondent starts a step-up of that respondent alone', async (t) => {
  await patch({ config: light });
  const respondentId = 'a3f1c0de55b1a3f1c0de55b1a3f1c0de';
  const visit = { sessionId: 'of-somebody', clientIp: '203.0.113.24', respondentId };
  const { body } = await service.call('POST', '/lite/score', { body: visit, headers: { 'x-api-key': projectKey } });
  const { receiptId: stepUpFor } = body as ScoreReply;
  for (const [over, message] of [
    [{ respondentId: 'b3f1c0de55b1a3f1c0de55b1a3f1c0de' }, /differs from the respondent/],
    [{}, /^is required\. Send the respondentId/],
  ] as const)
    t.match(await start({ stepUpFor, ...over }), {
      status: 400,
      body: { code: 'VALIDATION_FAILED', issues: [{ path: '/respondentId', message }] },
    });
  t.equal((await start({ stepUpFor, respondentId })).status, 201);
});

t.test('a pass is of its respondent, device and intensity alone, whoever has the session id', async (t) => {
  await patch({ config: light });
  const windows =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
  const visit = { sessionId: 'shared', clientIp: '203.0.113.24', respondentId: 'alice', userAgent: windows };
  const scoreOf = async (over: object): Promise<ScoreReply> => {
    const body = { ...visit, ...over };
    return (await service.call('POST', '/lite/score', { body, headers: { 'x-api-key': projectKey } })).body;
  };
  const first = await scoreOf({});
  const { body: session } = await start({ stepUpFor: first.receiptId, respondentId: 'alice' });
  t.match((await verify(service, session)).body, { status: 'pass' });
  t.equal((await scoreOf({})).recommendation, 'allow');
  const others = [
    { respondentId: 'bob' },
    { respondentId: undefined },
    { userAgent: windows.replace('Windows NT 10.0; Win64; x64', 'X11; Linux x86_64') },
  ];
  for (const over of others) {
    const asked = await scoreOf(over);
    t.match(asked, { recommendation: 'step_up', stepUpIntensity: 'light' }, JSON.stringify(over));
    t.notOk(codesOf(asked).includes('step_up_passed'));
  }
  await patch({ config: heavy });
  t.match(await scoreOf({ clientIp: '203.0.113.25' }), { recommendation: 'step_up', stepUpIntensity: 'heavy' });
});

t.test('where no probe came before the step-up, a later one must show the device that passed', async (t) => {
  await patch({ config: light });
  for (const [sessionId, device, holds] of [
    ['probed-after', personDevice, true],
    ['probed-elsewhere', elsewhere, false],
  ] as const) {
    const first = await score(sessionId);
    const { body: session } = await start({ stepUpFor: first.receiptId });
    t.match((await verify(service, session)).body, { status: 'pass' });
    const body = { ...probeExample(service.bootstrap.probeKey), ...device, sessionId, nonce: `nonce-${sessionId}` };
    t.equal((await service.call('POST', '/public/lite/probe', { body })).status, 202);
    const reply = await score(sessionId);
    t.equal(codesOf(reply).includes('step_up_passed'), holds, sessionId);
    t.equal(reply.recommendation === 'step_up', !holds, sessionId);
  }
});

t.test('a step-up is no participation: none before it fails it, and it fails none after it', async (t) => {
  await patch({ config: light });
  const respondentId = 'c3f1c0de55b1c3f1c0de55b1c3f1c0de';
  const stepUp = async (sessionId: string) => {
    const body = { sessionId, clientIp: '203.0.113.24', respondentId };
    const { body: scored } = await service.call('POST', '/lite/score', { body, headers: { 'x-api-key': projectKey } });
    const { receiptId: stepUpFor } = scored as ScoreReply;
    const { body: session } = await start({ stepUpFor, respondentId });
    return (await verify(service, session)).body;
  };
  const takePart = async () => (await verify(service, (await start({ respondentId })).body)).body;
  t.match(await stepUp('before-taking-part'), { status: 'pass', isDuplicate: false });
  t.match(await takePart(), { status: 'pass', isDuplicate: false });
  t.match(await takePart(), { status: 'fail', failureCategory: 'duplicate' }, 'a participation is one');
  t.match(await stepUp('after-taking-part'), { status: 'pass', isDuplicate: false });
});

t.test('a review fails no step-up, and another session of the receipt decides', async (t) => {
  await patch({ config: light, verificationMode: 'score' });
  const sessionId = 'reviewed-step-up';
  const scored = { ...probeExample(service.bootstrap.probeKey), sessionId, nonce: 'nonce-reviewed-step-up' };
  t.equal((await service.call('POST', '/public/lite/probe', { body: scored })).status, 202);
  const { receiptId } = await score(sessionId);
  const { body: session } = await start({ stepUpFor: receiptId });
  await verify(service, session, { device: elsewhere });
  t.match((await readResult(service, session)).body, { status: 'review' });
  const still = await score(sessionId);
  t.equal(still.recommendation, 'step_up');
  t.notOk(codesOf(still).includes('step_up_failed'));
  const { body: again } = await start({ stepUpFor: receiptId });
  await verify(service, again);
  t.ok(codesOf(await score(sessionId)).includes('step_up_passed'));
  await patch({ config: light, verificationMode: 'block' });
});

t.test('a step-up that a limit of score mode stops counts as failed', async (t) => {
  await patch({ config: light, verificationMode: 'score', scoreModeConfig: { blockAboveRisk: 0 } });
  const { receiptId } = await score('stopped-step-up');
  const { body: session } = await start({ stepUpFor: receiptId });
  t.match((await verify(service, session)).body, { status: 'pass' });
  t.match((await readResult(service, session)).body, { dispatch: { status: 'score_blocked' } });
  const next = await score('stopped-step-up');
  t.equal(next.recommendation, 'review');
  t.match(codesOf(next), ['step_up_failed']);
  t.match(await start({ stepUpFor: receiptId }), { status: 409, body: { code: 'NOT_RETRYABLE' } });
  await patch({ config: light, verificationMode: 'block', scoreModeConfig: null });
});

t.test(
  'the token of a step-up is no pass of its own: it is named, and meets no expectation of a participation without its receipt',
  async (t) => {
    await patch({ config: light });
    const { receiptId } = await score('named-step-up');
    const respondent = { respondentId: 'r-1', studyId: 'study-1', dataCollector: 'north' };
    const { body: session } = await start({ stepUpFor: receiptId, ...respondent });
    const { verificationToken: token } = (await verify(service, session)).body;
    const headers = { 'x-api-key': projectKey };
    const check = async (body: object) =>
      (await service.call('POST', '/token/verify', { body: { token, ...body }, headers })).body;
    const unmet = { success: false, error: 'EXPECTATION_FAILED', field: 'stepUpFor' };
    t.match(await check({}), { success: true, stepUpFor: receiptId });
    t.same(await check({ use: 'one' }), unmet, 'no use is kept');
    for (const [name, value] of Object.entries({ ...respondent, minimumAssurance: 'device_only' }))
      t.same(await check({ [name]: value }), unmet, name);
    t.match(await check({ ...respondent, stepUpFor: receiptId }), { success: true });
    t.same(await check({ stepUpFor: 'rcpt_of_another' }), unmet);
    t.match(await check({ stepUpFor: receiptId, use: 'two' }), { success: true, stepUpFor: receiptId });
    const { body: result } = await service.call('GET', `/public/sessions/${session.sessionId}/result`, { headers });
    t.match(result, { stepUpFor: receiptId });
    const { body: other } = await start({});
    const { verificationToken } = (await verify(service, other)).body;
    t.same(await check({ token: verificationToken, stepUpFor: receiptId }), unmet);
    t.notOk('stepUpFor' in (await check({ token: verificationToken })));
  },
);

t.test('a receipt has one pass, and as many sessions as a chain', async (t) => {
  await patch({ config: { ...light, maxRetries: 2 } });
  const { receiptId } = await score('many-sessions');
  const sessions = [];
  for (let made = 0; made < 3; made += 1) sessions.push((await start({ stepUpFor: receiptId })).body);
  const refused = (reason: string) => ({ status: 409, body: { code: 'NOT_RETRYABLE', reason } });
  t.match(await start({ stepUpFor: receiptId }), refused('budget_exhausted'));
  const [first, ...others] = await Promise.all(sessions.map((session) => verify(service, session)));
  const ended = [first, ...others].map((answer) => (answer?.status === 200 ? answer.body.status : answer?.status));
  t.same(ended.sort(), [409, 409, 'pass']);
  t.match(await start({ stepUpFor: receiptId }), refused('chain_passed'));
  await patch({ config: { ...light, maxRetries: null } });
});

t.test('retries of all chains of a receipt share its budget and its one pass', async (t) => {
  await patch({ config: { ...light, maxRetries: 2 } });
  const retryOf = ({ sessionId }: SessionReply) =>
    service.call('POST', `/sessions/${sessionId}/retry`, { body: {}, headers: { 'x-api-key': projectKey } });
  const retryOfPage = ({ sessionId: previousSessionId, clientSecret: previousClientSecret }: SessionReply) => {
    const body = { siteKey: service.bootstrap.siteKey, previousSessionId, previousClientSecret };
    return service.call('POST', '/public/sessions', { body, headers: page });
  };
  const fail = async (stepUpFor: string): Promise<SessionReply> => {
    const { body: session } = await start({ stepUpFor });
    t.match((await verify(service, session, automated)).body, { status: 'fail' });
    return session;
  };
  const refused = (code: string, reason: string) => ({ status: 409, body: { code, reason } });

  const { receiptId } = await score('many-chains');
  const [one, other] = [await fail(receiptId), await fail(receiptId)];
  const retries = await Promise.all([one, other, one, other].map(retryOf));
  t.same(retries.map(({ status }) => status).sort(), [201, 409, 409, 409], 'one session was left');
  t.match(await retryOf(one), refused('NOT_RETRYABLE', 'budget_exhausted'));
  t.match(await retryOfPage(other), refused('RETRY_BUDGET_EXHAUSTED', 'budget_exhausted'));

  const { receiptId: passedId } = await score('passed-chain');
  const failed = await fail(passedId);
  const { body: passing } = await start({ stepUpFor: passedId });
  t.match((await verify(service, passing)).body, { status: 'pass' });
  t.match(await retryOf(failed), refused('NOT_RETRYABLE', 'chain_passed'));
  t.match(await retryOfPage(failed), refused('NOT_RETRYABLE', 'chain_passed'));
  await patch({ config: { ...light, maxRetries: null } });
});

t.test('a step-up comes through no link', async (t) => {
  await patch({ config: light });
  const { receiptId: stepUpFor } = await score('of-a-link');
  const { body: link } = await service.call('POST', `/projects/${service.bootstrap.projectId}/links`, {
    body: {},
    headers: { 'x-api-key': service.bootstrap.organizationKey },
  });
  t.match(await start({ stepUpFor, linkId: link['linkId'] }), {
    status: 400,
    body: { code: 'VALIDATION_FAILED', issues: [{ path: '/stepUpFor', message: /linkId/ }] },
  });
});

t.test('a retry of a session that is no step-up takes no receipt, and one of a step-up its own', async (t) => {
  await patch({ config: light });
  const { receiptId: stepUpFor } = await score('of-a-retry');
  const failed = (await start({})).body;
  await verify(service, failed, automated);
  t.match(await start({ stepUpFor, previousSessionId: failed.sessionId }), {
    status: 400,
    body: { code: 'VALIDATION_FAILED', issues: [{ path: '/stepUpFor', message: /previousSessionId/ }] },
  });
  const stepUp = (await start({ stepUpFor })).body;
  await verify(service, stepUp, automated);
  t.equal((await start({ stepUpFor, previousSessionId: stepUp.sessionId })).status, 201);
});

t.test('step-up is tried with a test key and a test respondent, and live scores do not learn of it', async (t) => {
  await patch({ config: heavy });
  const { receiptId } = await score('tried', testKey);
  const { body: session } = await start({ stepUpFor: receiptId, respondentId: 'test_pass' }, testKey);
  t.match((await verify(service, session)).body, { status: 'pass', assuranceLevel: 'biometric' });
  t.match(await score('tried', testKey), { recommendation: 'allow' });
  t.match(await score('tried'), { recommendation: 'step_up' });
});

t.test('a receipt that asks for nothing, or is not of the project and mode, starts no step-up', async (t) => {
  await patch({ config: heavy });
  const { receiptId: asked } = await score('of-live');
  await patch({ config: { liteConfig: null } });
  const { receiptId: unasked } = await score('not-asked');
  const answers = await Promise.all([
    start({ stepUpFor: unasked }),
    start({ stepUpFor: asked }, testKey),
    start({ stepUpFor: 'rcpt_of_nobody' }),
  ]);
  t.same(
    answers.map(({ status }) => status),
    [400, 404, 404],
  );
});
