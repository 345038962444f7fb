/** Sessions of test and demo keys reach nothing live: no redirect, no use of a link, no webhook that did not ask, no key of another mode. */
import { decodeJwt, decodeProtectedHeader } from 'jose';
import t from 'tap';
import type { CreatedLinkReply } from '../../src/contract/hosted-link.js';
import type { SessionReply } from '../../src/contract/session.js';
import { createPatch } from '../helpers/project-fields.js';
import { startReceiver } from '../helpers/receiver.js';
import { startTestService } from '../helpers/service.js';
import { automated, createSession, page, readResult, verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

const service = await startTestService(t, { VH_WEBHOOK_ALLOW_PRIVATE: 'on' });
const { projectId, organizationKey, siteUrl } = service.bootstrap;
const patch = createPatch(t, service);
type Headers = Readonly<Record<string, string>>;
const organization = { 'x-api-key': organizationKey };

async function makeKey(path: string, body: object): Promise<Headers> {
  const { body: made } = await service.call('POST', path, { body, headers: { ...page, ...organization } });
  return { 'x-api-key': (made as { apiKey: string }).apiKey };
}
const keys = {
  test: await makeKey(`/projects/${projectId}/api-keys`, { name: 'Test', isTest: true }),
  demo: await makeKey(`/public/projects/${projectId}/demo-key`, {}),
};
const make = async (headers: Headers, body: object = {}): Promise<SessionReply> => {
  const answer = await service.call('POST', '/sessions', { body, headers });
  t.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
};

t.test('no session of a test or demo key redirects to the project’s addresses', async (t) => {
  const urls = { redirectPassUrl: 'https://survey.example/pass', redirectFailUrl: 'https://survey.example/fail' };
  await patch({ verificationMode: 'score', scoreModeConfig: urls });
  for (const [mode, headers] of Object.entries(keys)) {
    const session = await make(headers);
    const { body } = await verify(service, session);
    const result = (await readResult(service, session)).body;
    t.match(result.dispatch, { status: 'scored', redirectUrl: null, reason: 'not_live' }, mode);
    t.match(decodeJwt(body.verificationToken), { purpose: 'verification', mode, dispatch: 'scored' });
    t.equal(decodeProtectedHeader(body.verificationToken).typ, 'vh-verification+jwt');
  }
  await patch({ verificationMode: null, scoreModeConfig: null });
});

t.test('the vh_token of a test link has an audience of its own', async (t) => {
  await patch({ config: { allowedDomains: [page.origin, new URL(siteUrl).origin] } });
  const { body: link } = await service.call('POST', `/projects/${projectId}/links`, {
    body: { returnUrl: `${page.origin}/back` },
    headers: keys.test,
  });
  const { linkId } = link as CreatedLinkReply;
  const { body } = await verify(service, await createSession(service, { linkId }));
  const response = await fetch(`${siteUrl}/v/${linkId}/return`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: body.verificationToken }),
  });
  const { location } = (await response.json()) as { location: string };
  const token = new URL(location).searchParams.get('vh_token') ?? '';
  t.match(decodeJwt(token), { aud: `${projectId}:test`, mode: 'test', purpose: 'verification' });
  t.equal(decodeProtectedHeader(token).typ, 'vh-verification+jwt');
  await patch({ config: { allowedDomains: null } });
});

t.test('a link starts sessions of its own mode alone, whoever knows its id', async (t) => {
  const links = `/projects/${projectId}/links`;
  const link = { metadata: { wave: 'secret' }, maxUses: 1 };
  const { body: made } = await service.call('POST', links, { body: link });
  const { body: tested } = await service.call('POST', links, { body: link, headers: keys.test });
  const [live, test] = [(made as CreatedLinkReply).linkId, (tested as CreatedLinkReply).linkId];
  const refused = (mode: string) => ({
    status: 400,
    body: { code: 'VALIDATION_FAILED', issues: [{ path: '/linkId', message: new RegExp(`is a ${mode} link`) }] },
  });
  const create = (headers: Headers, linkId: string) => service.call('POST', '/sessions', { body: { linkId }, headers });
  for (const headers of Object.values(keys)) t.match(await create(headers, live), refused('live'));
  t.match(await create({ 'x-api-key': service.bootstrap.projectKey }, test), refused('test'));
  t.match(await create(keys.test, test), { status: 201, body: { metadata: { wave: 'secret' } } });
  const open = (siteKey: string, linkId: string) =>
    service.call('POST', '/public/sessions', { body: { siteKey, linkId }, headers: page });
  t.match(await open(`${projectId}:test`, live), refused('live'));
  t.equal((await open(`${projectId}:test`, test)).status, 201);
  t.equal((await open(projectId, test)).status, 201, 'a page without a mode takes that of the link');
  const { body: left } = await service.call('GET', `${links}/${live}`);
  t.match(left, { uses: 0, state: 'alive' });
});

t.test('a session is retried by a key of its own mode alone', async (t) => {
  const live = { 'x-api-key': organizationKey };
  const retry = (sessionId: string, headers: Headers) =>
    service.call('POST', `/sessions/${sessionId}/retry`, { body: {}, headers });
  const sessions = {
    live: await createSession(service),
    test: await make(keys.test),
    demo: await make(keys.demo),
  };
  for (const session of Object.values(sessions)) await verify(service, session, automated);
  for (const [mode, { sessionId }] of Object.entries(sessions))
    for (const [own, headers] of Object.entries({ live, test: keys.test, demo: keys.demo })) {
      const { status } = await retry(sessionId, headers);
      t.equal(status, mode === own ? 201 : 404, `a ${own} key, a ${mode} session`);
    }
});

t.test('a demo key reads no more of a verification than its page, however it asks', async (t) => {
  const read = async (headers: Headers) => {
    const session = await make(headers);
    const { body: shown } = await verify(service, session, automated);
    t.equal(shown.status, 'fail');
    const path = `/public/sessions/${session.sessionId}/result`;
    const { body: ofPage } = await readResult(service, session);
    const { body: ofKey } = await service.call('GET', path, { headers });
    const token = shown.verificationToken;
    const { body: checked } = await service.call('POST', '/token/verify', { body: { token }, headers });
    const { body: batch } = await service.call('POST', '/token/verify-batch', { body: { tokens: [token] }, headers });
    const [batched] = (batch as { results: readonly object[] }).results;
    t.strictSame(batched, checked);
    return { shown, ofPage, ofKey: ofKey as object, checked: checked as Readonly<Record<string, unknown>> };
  };
  const demo = await read(keys.demo);
  t.strictSame(demo.ofKey, demo.ofPage);
  for (const name of ['scores', 'fraudSignals', 'failureReasons', 'failureCategory', 'isDuplicate'] as const)
    t.strictSame(demo.checked[name], demo.shown[name], name);
  const test = await read(keys.test);
  t.match(test.ofKey, { summary: String, fraudSignals: Array });
  t.notSame(test.checked['scores'], test.shown.scores, 'a backend reads exact scores');
});

t.test('a webhook gets events of test and demo sessions where it asks for them, and not before', async (t) => {
  const path = `/projects/${projectId}/webhooks`;
  const register = async (body: object) => {
    const receiver = await startReceiver(t);
    const answer = await service.call('POST', path, { body: { url: receiver.url, ...body } });
    return { receiver, webhook: answer.body as { webhookId: string; includeTest: boolean } };
  };
  const [plain, asking] = [await register({}), await register({ includeTest: true })];
  t.match([plain.webhook, asking.webhook], [{ includeTest: false }, { includeTest: true }]);
  const complete = async (headers: Headers): Promise<string> => {
    const session = await make(headers);
    await verify(service, session);
    return session.sessionId;
  };
  const arrived = ({ receiver }: typeof plain): readonly string[] =>
    receiver.received.map(({ body }) => (JSON.parse(body) as { data: { session_id: string } }).data.session_id);
  const sent = [await complete(keys.test), await complete(keys.demo)];
  const live = await complete({ 'x-api-key': service.bootstrap.projectKey });
  await waitUntil(() => arrived(asking).length === 3 && arrived(plain).length === 1, 'events arrive');
  t.same([...arrived(asking)].sort(), [...sent, live].sort());
  t.same(arrived(plain), [live]);
  const item = `${path}/${plain.webhook.webhookId}`;
  t.match((await service.call('PATCH', item, { body: { includeTest: true } })).body, { includeTest: true });
  t.match((await service.call('GET', item)).body, { includeTest: true });
  t.match((await service.call('PATCH', item, { body: { includeTest: null } })).body, { includeTest: false });
});

t.test('a test key handles the links of test mode alone', async (t) => {
  const links = `/projects/${projectId}/links`;
  const asTest = { headers: keys.test };
  const idOf = ({ body }: { readonly body: CreatedLinkReply }): string => body.linkId;
  const live = idOf(await service.call('POST', links, { body: {} }));
  const test = idOf(await service.call('POST', links, { ...asTest, body: {} }));
  for (const method of ['GET', 'DELETE'])
    t.equal((await service.call(method, `${links}/${live}`, asTest)).status, 404, method);
  const listed = (await service.call('GET', links, asTest)).body as { links: readonly CreatedLinkReply[] };
  t.notOk(listed.links.some(({ linkId }) => linkId === live));
  t.match(await service.call('GET', `${links}/${live}`), { body: { state: 'alive' } });
  t.match(await service.call('DELETE', `${links}/${test}`, asTest), { status: 200 });
});
