/** Limits of keys. The clock stands, so that all of it is one minute and one day. */
import t from 'tap';
import type { KeyIntrospection, KeyRecord, MintedKeyReply } from '../../src/contract/api-key.js';
import type { ErrorBody } from '../../src/contract/common.js';
import { keyHeaders, startOrganizations, type Headers } from '../helpers/organizations.js';
import { createStandingClock } from '../helpers/standing-clock.js';

const clock = createStandingClock();
const { service, credentials } = await startOrganizations(t, {}, clock);
const { bootstrap } = service;
const projectKeys = `/projects/${bootstrap.projectId}/api-keys`;
const organizationKeys = `/organizations/${bootstrap.organizationId}/api-keys`;

type Answer<T> = Promise<{ readonly status: number; readonly body: T; readonly headers: globalThis.Headers }>;
const create = (body: object = {}, path = projectKeys): Answer<MintedKeyReply> =>
  service.call('POST', path, { body, headers: credentials.owner });
const limit = (
  keyId: string,
  rateLimits: object,
  headers: Headers = credentials.owner,
  path = projectKeys,
): Answer<KeyRecord & ErrorBody> => service.call('PATCH', `${path}/${keyId}`, { body: { rateLimits }, headers });
const introspect = (key: string): Answer<KeyIntrospection & ErrorBody> =>
  service.call('GET', '/api-keys/current', { headers: keyHeaders(key) });

t.test('limits changed in place are in force with the next request, lower and higher', async (t) => {
  const { apiKey, keyId } = (await create()).body;
  t.match(await limit(keyId, { perMinute: 1, perDay: 100 }), {
    status: 200,
    body: { rateLimit: { perMinute: 1, perDay: 100 } },
  });
  await introspect(apiKey);
  const refused = await introspect(apiKey);
  t.match(
    { status: refused.status, ...refused.body },
    { status: 429, code: 'RATE_LIMIT_EXCEEDED', limit: 1, usage: 1 },
  );
  t.equal(refused.headers.get('retry-after'), '60', 'the end of the minute');
  t.equal(refused.headers.get('x-ratelimit-remaining'), '0');
  t.equal(Number(refused.headers.get('x-ratelimit-reset')), clock.now() / 1_000 + 60);
  t.same((await limit(keyId, { perMinute: 1_000 })).body.rateLimit, { perMinute: 1_000, perDay: 100 });
  t.equal((await introspect(apiKey)).status, 200);
});

t.test(
  'no key lifts its own limits, nor a project key those of another: who holds one does not decide how often',
  async (t) => {
    const own = (await create()).body;
    const another = (await create()).body;
    const headers = keyHeaders(own.apiKey);
    await limit(own.keyId, { perMinute: 100, perDay: 1_000 });
    for (const [keyId, rateLimits] of [
      [own.keyId, { perMinute: 101 }],
      [own.keyId, { perDay: 1_001 }],
      [another.keyId, { perMinute: 6_001 }],
    ] as const)
      t.match(await limit(keyId, rateLimits, headers), { status: 403, body: { code: 'INSUFFICIENT_SCOPE' } });
    t.match((await limit(own.keyId, { perMinute: 50 }, headers)).body, { rateLimit: { perMinute: 50, perDay: 1_000 } });
    t.equal((await limit(own.keyId, { perMinute: 51 }, headers)).status, 403, 'nor back to where it was');
    t.equal((await limit(another.keyId, { perMinute: 5 }, headers)).status, 200);
    const organization = (await create({}, organizationKeys)).body;
    const provisioning = keyHeaders(organization.apiKey);
    t.equal((await limit(organization.keyId, { perMinute: 6_001 }, provisioning, organizationKeys)).status, 403);
    t.equal(
      (await limit(own.keyId, { perMinute: 9_000 }, provisioning)).status,
      200,
      'provisioning sets those of a project',
    );
  },
);

t.test('every request made with the key counts, also those to score that cannot be scored', async (t) => {
  const bodies: readonly (readonly [string, unknown])[] = [
    ['no field that is needed', {}],
    ['an address that is none', { sessionId: 'invalid', clientIp: '203.0.113.8:80' }],
    ['no JSON', '{'],
    ['a source that no database keeps', { sessionId: 'invalid', clientIp: '203.0.113.8', sourceId: 'a\u0000' }],
  ];
  for (const [what, body] of bodies) {
    const { apiKey, keyId } = (await create()).body;
    await limit(keyId, { perMinute: 3, perDay: 100 });
    const score = () => service.call('POST', '/lite/score', { body, headers: keyHeaders(apiKey) });
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await score()).status);
    t.same(statuses, [400, 400, 400, 429], what);
  }
});

t.test('a call that is scored counts once', async (t) => {
  const call = { body: { sessionId: 'once', clientIp: '203.0.113.8' } };
  const whole = (await create()).body;
  await limit(whole.keyId, { perMinute: 3, perDay: 100 });
  const statuses = [];
  for (let i = 0; i < 4; i += 1)
    statuses.push((await service.call('POST', '/lite/score', { ...call, headers: keyHeaders(whole.apiKey) })).status);
  t.same(statuses, [200, 200, 200, 429]);
});

t.test('scoring and everything else share one ceiling', async (t) => {
  const { apiKey, keyId } = (await create()).body;
  await limit(keyId, { perDay: 2 });
  const score = () =>
    service.call('POST', '/lite/score', {
      body: { sessionId: 'ceiling', clientIp: '203.0.113.8' },
      headers: keyHeaders(apiKey),
    });
  t.same(
    [
      (await score()).status,
      (await introspect(apiKey)).status,
      (await score()).status,
      (await introspect(apiKey)).status,
    ],
    [200, 200, 429, 429],
  );
});

t.test('limits out of range are refused by their path', async (t) => {
  const { keyId } = (await create()).body;
  for (const [rateLimits, path] of [
    [{ perMinute: 0 }, '/rateLimits/perMinute'],
    [{ perMinute: 100_000_001 }, '/rateLimits/perMinute'],
    [{ perDay: 10_000_000_001 }, '/rateLimits/perDay'],
    [{ perDay: 1.5 }, '/rateLimits/perDay'],
    [{}, '/rateLimits'],
  ] as const) {
    t.match(await limit(keyId, rateLimits), { status: 400, body: { issues: [{ path }] } }, JSON.stringify(rateLimits));
  }
});
