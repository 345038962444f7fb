/** Retries: who may try a failed session again, and how many passes come of it. */
import t from 'tap';
import type { SessionReply } from '../../src/contract/session.js';
import { startTestService } from '../helpers/service.js';
import { automated, createSession, createTestKey, page, verify } from '../helpers/verifications.js';

const service = await startTestService(t);
const { bootstrap } = service;
const backend = { 'x-api-key': bootstrap.projectKey };
const deviceToken = '0123456789abcdef0123456789abcdef';

const startFromPage = (body: object) =>
  service.call('POST', '/public/sessions', { body: { siteKey: bootstrap.siteKey, ...body }, headers: page });
const startFromBackend = (headers: Readonly<Record<string, string>>) => (body: object) =>
  service.call('POST', '/sessions', { body, headers });
const retryFromBackend = (sessionId: string, headers: Readonly<Record<string, string>> = backend) =>
  service.call('POST', `/sessions/${sessionId}/retry`, { body: {}, headers });

async function failOnce(
  body: Readonly<Record<string, unknown>> = {},
  over: Readonly<Record<string, unknown>> = {},
): Promise<SessionReply> {
  const session = await createSession(service, body);
  t.match((await verify(service, session, { ...automated, ...over })).body, { status: 'fail' });
  return session;
}

t.test('a chain has one pass, however many of its sessions complete at the same time', async (t) => {
  const failed = await failOnce({ respondentId: 'chain' });
  const siblings = await Promise.all([1, 2, 3].map(async () => (await retryFromBackend(failed.sessionId)).body));
  const answers = await Promise.all(siblings.map((session) => verify(service, session)));
  t.same(answers.map(({ status }) => status).sort(), [200, 409, 409]);
  t.match(answers.find(({ status }) => status === 200)?.body, { status: 'pass' });
  for (const { body } of answers.filter(({ status }) => status === 409)) t.match(body, { code: 'SESSION_COMPLETED' });
});

t.test('after the pass of a chain no session of it completes, and none is tried again', async (t) => {
  const failed = await failOnce({ respondentId: 'after' });
  const [first, second] = [await retryFromBackend(failed.sessionId), await retryFromBackend(failed.sessionId)];
  t.match((await verify(service, first.body)).body, { status: 'pass' });
  for (const over of [{}, automated])
    t.match(await verify(service, second.body, over), { status: 409, body: { code: 'SESSION_COMPLETED' } });
  const refused = { status: 409, body: { code: 'NOT_RETRYABLE', reason: 'chain_passed' } };
  t.match(await retryFromBackend(failed.sessionId), refused);
  const { sessionId: previousSessionId, clientSecret: previousClientSecret } = failed;
  t.match(await startFromPage({ previousSessionId, previousClientSecret }), refused);
});

t.test('a retry keeps the respondent and the study of the failed session', async (t) => {
  for (const body of [{ respondentId: 'kept', studyId: 'study' }, {}]) {
    const { sessionId, clientSecret } = await failOnce(body);
    const again = { previousSessionId: sessionId, previousClientSecret: clientSecret };
    const { body: retry } = await startFromPage({ ...again, respondentId: 'another', studyId: 'another' });
    const { verificationToken } = (await verify(service, retry)).body;
    const told = await service.call('POST', '/token/verify', { body: { token: verificationToken } });
    t.match(told.body, { success: true, respondentId: null, studyId: null, ...body });
  }
});

t.test(
  'a retry from a page keeps collector, metadata and the stricter widget mode of the failed session',
  async (t) => {
    const created = { respondentId: 'inherits', dataCollector: 'north', metadata: { wave: 2 }, widgetMode: 'standard' };
    const { sessionId, clientSecret } = await failOnce(created);
    const again = { previousSessionId: sessionId, previousClientSecret: clientSecret };
    const claimed = {
      dataCollector: 'south',
      metadata: { bonus: 100 },
      widgetMode: 'invisible',
      linkId: 'link_of_another',
    };
    const { body, status } = await startFromPage({ ...again, ...claimed });
    t.equal(status, 201);
    const retry: SessionReply = body;
    t.match(retry, { studyConfig: { widgetMode: 'standard' } });
    t.same(retry.metadata, { wave: 2, vh_original_session_id: sessionId, vh_retry_count: 1 });
    const { verificationToken } = (await verify(service, retry)).body;
    const told = await service.call('POST', '/token/verify', { body: { token: verificationToken } });
    t.match(told.body, { success: true, dataCollector: 'north' });
  },
);

t.test('a page tries again only what was its own: by the secret, or in the browser that failed', async (t) => {
  const failed = await failOnce({}, { device: { ...automated.device, ids: { token: deviceToken, kept: true } } });
  const previousSessionId = failed.sessionId;
  const unknown = await startFromPage({ previousSessionId: `sess_${'0'.repeat(32)}` });
  for (const proof of [{}, { previousClientSecret: 'wrong' }, { deviceToken: 'f'.repeat(32) }]) {
    const refused = await startFromPage({ previousSessionId, ...proof });
    t.match(refused, { status: 401, body: { code: 'INVALID_CLIENT_SECRET' } }, JSON.stringify(proof));
    const { message } = unknown.body as { message: string };
    t.match(unknown, { status: 401, body: { message: (refused.body as { message: string }).message } }, message);
  }
  const proofs = [{ deviceToken }, { previousClientSecret: failed.clientSecret }];
  for (const [index, proof] of proofs.entries())
    t.match(
      await startFromPage({ previousSessionId, ...proof }),
      { status: 201, body: { metadata: { vh_retry_count: index + 1 } } },
      'and the refused ones spent nothing',
    );
});

t.test('a linked session of others is answered like one that does not exist', async (t) => {
  const { body: link } = await service.call('POST', `/projects/${bootstrap.projectId}/links`, { body: {} });
  const { linkId } = link as { linkId: string };
  const linked = await failOnce({ linkId });
  const headers = { 'x-api-key': bootstrap.organizationKey };
  const { body: other } = await service.call('POST', '/projects', { body: { name: 'Other' }, headers });
  const siteKey = (other as { siteKey: string }).siteKey;
  const { body: key } = await service.call('POST', `/projects/${siteKey}/api-keys`, { body: {}, headers });
  const strangers = [
    ['page', () => startFromPage, { siteKey, previousClientSecret: 'wrong' }],
    ['key of another project', () => startFromBackend({ 'x-api-key': (key as { apiKey: string }).apiKey }), {}],
    ['test key', async () => startFromBackend({ 'x-api-key': await createTestKey(service) }), {}],
  ] as const;
  for (const [name, prepare, body] of strangers) {
    const start = await prepare();
    const ask = async (previousSessionId: string) => {
      const { status, body: refused } = await start({ ...body, previousSessionId });
      const { requestId: _, ...answer } = refused as Readonly<Record<string, unknown>>;
      return { status, answer };
    };
    const unknown = await ask(`sess_${'0'.repeat(32)}`);
    t.equal(unknown.status, name === 'page' ? 401 : 404, name);
    t.same(await ask(linked.sessionId), unknown, name);
  }
});

t.test('a key retries sessions of its own mode only', async (t) => {
  const test = { 'x-api-key': await createTestKey(service) };
  const live = await failOnce();
  t.match(await retryFromBackend(live.sessionId, test), { status: 404 });
  const { body: tried } = await service.call('POST', '/sessions', { body: {}, headers: test });
  t.match((await verify(service, tried, automated)).body, { status: 'fail' });
  const { sessionId } = tried as SessionReply;
  t.match(await retryFromBackend(sessionId), { status: 404 });
  t.match(await retryFromBackend(sessionId, test), { status: 201 });
});
