/** A test key manages what is of test mode. What is live, or governs live data, it neither sees nor changes. */
import t from 'tap';
import { startOrganizations, type Headers } from '../helpers/organizations.js';
import { startReceiver } from '../helpers/receiver.js';
import { verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';
import type { SessionReply } from '../../src/contract/session.js';
import type { WebhookReply } from '../../src/contract/webhook.js';

const { service, credentials } = await startOrganizations(t, { VH_WEBHOOK_ALLOW_PRIVATE: 'on' });
const { projectId, organizationId } = service.bootstrap;
const testKeys: readonly Headers[] = [credentials.testKey, credentials.organizationTestKey];
const webhooks = `/projects/${projectId}/webhooks`;

async function register(headers: Headers, body: object = {}) {
  const receiver = await startReceiver(t);
  const events = ['verification.completed', 'verification.passed'];
  const answer = await service.call('POST', webhooks, { body: { url: receiver.url, events, ...body }, headers });
  t.equal(answer.status, 201, JSON.stringify(answer.body));
  return { receiver, webhook: answer.body as WebhookReply };
}

async function complete(headers: Headers): Promise<string> {
  const body = { siteKey: projectId };
  const session: SessionReply = (await service.call('POST', '/sessions', { body, headers })).body;
  await verify(service, session);
  return session.sessionId;
}

const listed = async (headers: Headers): Promise<readonly string[]> => {
  const { body } = await service.call('GET', `${webhooks}?limit=200`, { headers });
  return (body as { webhooks: readonly WebhookReply[] }).webhooks.map(({ webhookId }) => webhookId);
};

t.test('a webhook of a test key gets events of test sessions, and of no live one', async (t) => {
  const [tested, both] = [
    await register(credentials.testKey),
    await register(credentials.owner, { includeTest: true }),
  ];
  t.match(tested.webhook, { mode: 'test', includeTest: true });
  t.match(both.webhook, { mode: 'live', includeTest: true });
  const live = await complete(credentials.projectKey);
  const test = await complete(credentials.testKey);
  await waitUntil(() => both.receiver.received.length === 4 && tested.receiver.received.length >= 2, 'events arrive');
  const arrived = tested.receiver.received.map(
    ({ body }) => (JSON.parse(body) as { data: { session_id: string } }).data.session_id,
  );
  t.notOk(arrived.includes(live));
  t.same([...new Set(arrived)], [test]);
});

t.test('a webhook of a test key cannot leave out test events, whoever changes it', async (t) => {
  const { webhook } = await register(credentials.testKey);
  const path = `${webhooks}/${webhook.webhookId}`;
  for (const headers of [credentials.testKey, credentials.owner]) {
    const refused = await service.call('PATCH', path, { body: { includeTest: false }, headers });
    t.match(refused, { status: 400, body: { issues: [{ path: '/includeTest', message: /test key/ }] } });
    const reset = await service.call('PATCH', path, { body: { includeTest: null }, headers });
    t.match(reset, { status: 200, body: { includeTest: true, mode: 'test' } });
  }
  const url = { url: 'https://hooks.example.com/', includeTest: false };
  t.equal((await service.call('POST', webhooks, { body: url, headers: credentials.testKey })).status, 400);
});

t.test(
  'a test key manages webhooks of test keys, and the refusal of a live one names the key that is needed',
  async (t) => {
    const live = (await register(credentials.projectKey)).webhook.webhookId;
    const test = (await register(credentials.testKey)).webhook.webhookId;
    for (const headers of testKeys) {
      const ids = await listed(headers);
      t.ok(ids.includes(test));
      t.notOk(ids.includes(live));
      for (const [method, rest, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { url: 'https://thief.example.com/' }],
        ['DELETE', '', undefined],
        ['GET', '/deliveries', undefined],
        ['POST', '/rotate-secret', {}],
        ['POST', '/test', undefined],
        ['POST', '/recover', { since: '2026-01-01T00:00:00Z' }],
      ] as const) {
        const options = { headers, ...(body === undefined ? {} : { body }) };
        const refused = await service.call(method, `${webhooks}/${live}${rest}`, options);
        t.equal(refused.status, 403, `${method} ${rest}`);
        t.match(refused.body, { code: 'INSUFFICIENT_SCOPE', message: /Use a live key/ });
      }
      t.equal((await service.call('POST', `${webhooks}/${test}/rotate-secret`, { body: {}, headers })).status, 200);
    }
    const ids = await listed(credentials.projectKey);
    t.ok(ids.includes(live) && ids.includes(test), 'a live key manages both');
  },
);

t.test('webhooks of test keys do not take the room of live ones', async (t) => {
  const own = await service.call('POST', '/projects', { body: { name: 'Room' }, headers: credentials.owner });
  const { projectId: room } = own.body as { projectId: string };
  const make = (headers: Headers) =>
    service.call('POST', `/projects/${room}/webhooks`, { body: { url: 'https://hooks.example.com/' }, headers });
  let last = await make(credentials.organizationTestKey);
  for (let made = 1; last.status === 201 && made < 60; made += 1) last = await make(credentials.organizationTestKey);
  t.match(last, { status: 409, body: { code: 'CONFLICT' } });
  t.equal((await make(credentials.owner)).status, 201);
});

t.test('a test key lists test keys', async (t) => {
  for (const path of [`/projects/${projectId}/api-keys`, `/organizations/${organizationId}/api-keys`]) {
    const keysOf = async (headers: Headers) => {
      const { body } = await service.call('GET', `${path}?limit=200`, { headers });
      return (body as { apiKeys: readonly { isTest: boolean; isDemo: boolean }[] }).apiKeys;
    };
    t.ok((await keysOf(credentials.organizationKey)).some(({ isTest }) => !isTest));
    const own = await keysOf(credentials.organizationTestKey);
    t.ok(own.length > 0);
    t.ok(own.every(({ isTest, isDemo }) => isTest && !isDemo));
  }
});

t.test('a test key of the organization changes nothing that governs live data', async (t) => {
  const project = `/projects/${projectId}`;
  const clients = `/organizations/${organizationId}/oauth-clients`;
  const read = async () => (await service.call('GET', project, { headers: credentials.owner })).body;
  const before = await read();
  for (const [method, path, body] of [
    ['PATCH', project, { config: { allowedDomains: ['https://thief.example.com'] } }],
    ['POST', `${project}/signing-secret/rotate`, { revokePrevious: true }],
    ['DELETE', `${project}/respondents/somebody`, undefined],
    ['PATCH', '/organizations/me/settings', { allowedDomains: [] }],
    ['GET', clients, undefined],
    ['POST', clients, { name: 'Thief', scopes: ['verifications:read'] }],
  ] as const) {
    const options = { headers: credentials.organizationTestKey, ...(body === undefined ? {} : { body }) };
    const refused = await service.call(method, path, options);
    t.equal(refused.status, 403, `${method} ${path}`);
    t.match(refused.body, { code: 'INSUFFICIENT_SCOPE', message: /Use a live key/ });
  }
  t.same(await read(), before);
  const [settings, own] = [
    await service.call('GET', '/organizations/me/settings', { headers: credentials.organizationTestKey }),
    await service.call('GET', project, { headers: credentials.organizationTestKey }),
  ];
  t.match([settings.status, own.status], [200, 200], 'it reads settings as before');
});
