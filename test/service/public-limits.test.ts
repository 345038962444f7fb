/**
 * Limits by what they protect: nobody who calls too much keeps a page of somebody else from its work. The clock stands, and each test has a
 * minute of its own.
 */
import t from 'tap';
import { probeExample } from '../../src/scoring/examples.js';
import type { SessionReply } from '../../src/contract/session.js';
import { envelopeSeparatorsMax, publicBodyBytesMax } from '../../src/limits.js';
import { startTestService } from '../helpers/service.js';
import { createStandingClock } from '../helpers/standing-clock.js';
import { envelopeFor } from '../helpers/verifications.js';

const clock = createStandingClock();
t.beforeEach(() => clock.advance(60_000));
const service = await startTestService(
  t,
  { VH_PUBLIC_PER_MINUTE: '20', VH_PUBLIC_PER_ADDRESS: '8', VH_TRUSTED_PROXIES: '127.0.0.1' },
  clock,
);
const { siteKey, projectId, organizationKey } = service.bootstrap;
const allowedDomains = ['https://survey.example', '*.panel.example'];
await service.call('PATCH', `/projects/${projectId}`, {
  body: { config: { allowedDomains } },
  headers: { 'x-api-key': organizationKey },
});

const from = (address: string, origin = 'https://survey.example') => ({ origin, 'x-forwarded-for': address });
const read = async (address: string, origin?: string) =>
  (await service.call('GET', `/projects/${siteKey}/public-config`, { headers: from(address, origin) })).status;
const start = (address: string, origin?: string) =>
  service.call('POST', '/public/sessions', { body: { siteKey }, headers: from(address, origin) });
const many = async (count: number, ask: (n: number) => Promise<number>): Promise<Map<number, number>> => {
  const seen = new Map<number, number>();
  for (let n = 0; n < count; n += 1) {
    const status = await ask(n);
    seen.set(status, (seen.get(status) ?? 0) + 1);
  }
  return seen;
};

t.test('reads of one address, whatever origin it makes up, lock no page out', async (t) => {
  const seen = await many(100, () => read('81.2.69.1'));
  t.same(
    [...seen],
    [
      [200, 80],
      [429, 20],
    ],
    'it is held to the limit of its address',
  );
  t.equal(await read('81.2.69.2'), 200);
  t.equal((await start('81.2.69.1')).status, 201, 'nor does it use up sessions');
});

t.test('sessions of a wildcard share one limit, whatever subdomain they name', async (t) => {
  const seen = await many(25, async (n) => (await start(`91.198.${n}.1`, `https://a${n}.panel.example`)).status);
  t.same(
    [...seen],
    [
      [201, 20],
      [429, 5],
    ],
  );
  t.equal((await start('81.2.69.4')).status, 201, 'and another registered pattern has its own');
});

t.test('origins that are not registered take nothing off the project', async (t) => {
  const seen = await many(25, async (n) => (await start(`5.9.1.${n}`, 'https://evil.example')).status);
  t.same([...seen], [[403, 25]]);
  t.equal((await start('81.2.69.5')).status, 201);
});

t.test('probes of one network use up no page’s, and neither do repeated challenges of one session', async (t) => {
  const message = async (address: string) =>
    (
      await service.call('POST', '/public/lite/probe', {
        body: { projectKey: service.bootstrap.probeKey },
        headers: from(address),
      })
    ).status;
  const flood = await many(40, (n) => message(`81.2.70.${n + 1}`));
  t.same([...flood.keys()].sort(), [400, 429], 'malformed ones count, too');
  t.equal(await message('91.199.1.1'), 400, 'of another network');
  const { body } = await start('81.2.71.1');
  const { sessionId, clientSecret } = body as SessionReply;
  const challenge = async (address: string) =>
    (
      await service.call('POST', `/public/sessions/${sessionId}/challenges`, {
        body: { index: 0, commitment: null, frameCount: 0 },
        headers: { ...from(address), 'x-client-secret': clientSecret },
      })
    ).status;
  const repeated = await many(100, () => challenge('81.2.71.1'));
  t.same(Object.fromEntries(repeated), { 200: 80, 429: 20 }, 'held to the reads of its address');
  t.equal(await challenge('91.199.2.1'), 200);
});

t.test('calls that are refused for their form count as requests of their address', async (t) => {
  const wrong = [
    ['POST', '/public/sessions', { siteKey: 7 }],
    ['GET', '/origin-check', undefined],
    ['POST', `/public/sessions/sess_${'0'.repeat(32)}/challenges`, { index: 'first' }],
    ['POST', '/public/verify', {}],
    ['GET', `/public/sessions/${'x'.repeat(129)}/result`, undefined],
  ] as const;
  const statusOf = async (address: string, n: number): Promise<number> => {
    const [method, path, body] = wrong[n % wrong.length] ?? wrong[0];
    const headers = { ...from(address), 'x-client-secret': 'any' };
    return (await service.call(method, path, { ...(body === undefined ? {} : { body }), headers })).status;
  };
  const seen = await many(100, (n) => statusOf('81.2.75.1', n));
  t.same(Object.fromEntries(seen), { 400: 64, 422: 16, 429: 20 });
  t.equal((await start('81.2.75.1')).status, 429);
  t.equal((await start('81.2.75.2')).status, 201);
});

t.test('so do those to addresses that answer errors in a form of their own', async (t) => {
  const { siteUrl, audienceUrl, baseUrl } = service.bootstrap;
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const wrong: readonly (readonly [string, RequestInit])[] = [
    [`${baseUrl}/public/lite/probe`, { method: 'POST', body: JSON.stringify({ projectKey: 'pk_x' }) }],
    [`${siteUrl}/oauth/token`, { method: 'POST', body: 'grant_type=any', headers: form }],
    [`${siteUrl}/oauth/token`, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }],
    [`${audienceUrl}/return`, {}],
    [`${audienceUrl}/return?vh_token=a&vh_token=b&status=complete`, {}],
  ];
  for (const [index, [url, init]] of wrong.entries()) {
    const headers = { ...init.headers, 'x-forwarded-for': `81.2.76.${index}` };
    const seen = await many(85, async () => (await fetch(url, { ...init, headers })).status);
    t.same([...seen.values()], [80, 5], url);
    t.equal([...seen.keys()][1], 429, url);
  }
});

t.test('probes of a key that nobody has count as requests of their address', async (t) => {
  const probe = async () =>
    (
      await service.call('POST', '/public/lite/probe', {
        body: probeExample(`pk_${'x'.repeat(24)}`),
        headers: from('81.2.69.77'),
      })
    ).status;
  t.same(
    [...(await many(90, probe))],
    [
      [404, 80],
      [429, 10],
    ],
  );
});

t.test('an envelope is parsed for whoever has a secret, and has no more values than honest ones', async (t) => {
  const headers = { ...from('81.2.69.78'), 'x-client-secret': 'invented' };
  const send = (body: string, over: object = headers) =>
    service.call('POST', '/public/verify', { body, headers: { ...over } });
  t.match(await send('{', from('81.2.69.78')), { status: 401, body: { code: 'INVALID_CLIENT_SECRET' } });
  t.match(await send('{'), { status: 400 });
  const values = (count: number): string =>
    JSON.stringify({ sessionId: 'x', values: Array.from({ length: count }, () => 0) });
  t.match(await send(values(envelopeSeparatorsMax - 10)), { status: 401 }, 'as many are parsed');
  const tooMany = await many(90, async () => (await send(values(envelopeSeparatorsMax + 10))).status);
  t.same([...tooMany.keys()], [413, 429], 'and counts as a request of its address');
});

t.test('who calls without a credential sends no more than such a call needs', async (t) => {
  const body = { siteKey, padding: 'x'.repeat(publicBodyBytesMax) };
  const large = (path: string) => service.call('POST', path, { body, headers: from('81.2.69.79') });
  for (const path of ['/public/sessions', `/public/sessions/sess_${'0'.repeat(32)}/challenges`])
    t.match(await large(path), { status: 413, body: { code: 'BODY_TOO_LARGE' } }, path);
});

t.test('a session through a link that nobody made counts as a request of its address', async (t) => {
  const body = { siteKey, linkId: `link_${'0'.repeat(32)}` };
  const ask = async () =>
    (await service.call('POST', '/public/sessions', { body, headers: from('81.2.69.76') })).status;
  t.same(
    [...(await many(90, ask))],
    [
      [404, 80],
      [429, 10],
    ],
  );
});

t.test('a /64 of IPv6 is one address', async (t) => {
  const seen = await many(84, async (n) => (await start(`2001:4860:0:1::${n + 1}`)).status);
  t.same(
    [...seen],
    [
      [201, 4],
      [428, 76],
      [429, 4],
    ],
    'half of its minute costs nothing, the rest a proof; requests for sessions have a limit as well',
  );
  t.equal((await start('2001:4860:1:2::1')).status, 201);
});

t.test('wrong secrets do not cut off an address that has right ones', async (t) => {
  const address = '81.2.69.6';
  const session: SessionReply = (await start(address)).body;
  const send = async (clientSecret: string) => {
    const headers = { ...from(address), 'x-client-secret': clientSecret };
    return (await service.call('POST', '/public/verify', { body: envelopeFor(session), headers })).status;
  };
  const seen = await many(110, () => send('wrong'));
  t.same(
    [...seen],
    [
      [401, 100],
      [429, 10],
    ],
    'wrong ones are counted',
  );
  t.equal(await send(session.clientSecret), 200);
});

t.test('an envelope that asked for the camera gets its answer again, and uses up no completion', async (t) => {
  const session: SessionReply = (
    await service.call('POST', '/public/sessions', {
      body: { siteKey, widgetMode: 'captcha' },
      headers: from('91.203.0.1'),
    })
  ).body;
  const send = async (network: number, over: object = {}) =>
    service.call('POST', '/public/verify', {
      body: {
        v: 1,
        sdk: '1',
        sessionId: session.sessionId,
        nonce: session.challengeConfig.nonce,
        canEscalate: true,
        ...over,
      },
      headers: { ...from(`91.${204 + network}.0.1`), 'x-client-secret': session.clientSecret },
    });
  const first = await send(0);
  t.equal(first.status, 202);
  for (let n = 1; n <= 30; n += 1) t.same((await send(n)).body, first.body);
  const other = { behavior: { ...envelopeFor(session).behavior, ms: 9_000 } };
  t.match(await send(40, other), { status: 200, body: { status: 'fail' } }, 'another envelope ends the session');
});

t.test('completions that are not judged use up no page’s, nor do reports of a session that has expired', async (t) => {
  const networks = (n: number): string => `91.200.${n}.1`;
  const begin = async (address: string): Promise<SessionReply> => (await start(address)).body;
  const [finished, honest] = [await begin('81.2.72.1'), await begin('81.2.73.1')];
  const send = async (address: string, { clientSecret }: SessionReply, body: object) => {
    const headers = { ...from(address), 'x-client-secret': clientSecret };
    return (await service.call('POST', '/public/verify', { body, headers })).status;
  };
  t.equal(await send('81.2.72.1', finished, envelopeFor(finished)), 200);
  const { sessionId } = finished;
  const invalid = await many(20, (n) => send(networks(n), finished, { sessionId }));
  const again = await many(20, (n) => send(networks(n), finished, envelopeFor(finished)));
  t.same(
    [...invalid, ...again],
    [
      [422, 20],
      [409, 20],
    ],
  );
  t.equal(await send('81.2.73.1', honest, envelopeFor(honest)), 200);
  const held = await many(90, () => send('81.2.72.1', finished, { sessionId }));
  t.ok(held.has(429), 'one address is held to its requests');

  clock.advance(3_600_000);
  const running = await begin('81.2.74.1');
  const report = async (address: string, session: SessionReply) =>
    (
      await service.call('POST', `/public/sessions/${session.sessionId}/activity`, {
        body: { questions: [] },
        headers: { ...from(address), 'x-client-secret': session.clientSecret },
      })
    ).status;
  t.same([...(await many(30, (n) => report(networks(n), finished)))], [[410, 30]]);
  t.equal(await report('81.2.74.1', running), 202);
});
