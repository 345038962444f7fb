import t from 'tap';
import { printLink } from '../helpers/console-page.js';
import { startTestService } from '../helpers/service.js';

const service = await startTestService(t);
const { siteUrl, baseUrl, organizationId, projectId } = service.bootstrap;
const own = { origin: siteUrl };

const post = (path: string, headers: Readonly<Record<string, string>>, body?: unknown): Promise<Response> =>
  fetch(`${siteUrl}/console/${path}`, {
    method: 'POST',
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function signIn(args: readonly string[] = []): Promise<string> {
  const link = new URL(await printLink(service, args)).hash.slice('#link='.length);
  const answer = await post('sign-in', own, { link });
  t.equal(answer.status, 200);
  const cookie = answer.headers.get('set-cookie') ?? '';
  for (const attribute of ['HttpOnly', 'SameSite=Strict', 'Path=/console'])
    t.ok(cookie.split('; ').includes(attribute), attribute);
  return cookie.split(';')[0] ?? '';
}

t.test('the page is strict about what it loads, at every path below /console', async (t) => {
  for (const path of ['/console', '/console/', `/console/${projectId}/sessions`]) {
    const answer = await fetch(siteUrl + path);
    t.equal(answer.status, 200, path);
    const html = await answer.text();
    t.notMatch(html, /<style|style=|<script>|\son\w+=/);
    const policy = answer.headers.get('content-security-policy') ?? '';
    t.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    t.match(policy, /frame-ancestors 'none'/);
    t.notMatch(policy, /unsafe/);
  }
  t.equal((await fetch(`${siteUrl}/console/assets/nothing.js`)).status, 404);
});

t.test('a session’s token reads the API with the rights of its role', async (t) => {
  const cookie = await signIn(['--role', 'member']);
  const answer = await post('token', { ...own, cookie });
  const { token, ...identity } = (await answer.json()) as Record<string, string>;
  t.match(identity, { organizationId, role: 'member', baseUrl });
  const headers = { authorization: `Bearer ${token}` };
  t.match(await service.call('GET', `/lite/sessions?projectId=${projectId}`, { headers }), { status: 200 });
  t.match(await service.call('PATCH', `/projects/${projectId}`, { headers, body: { name: 'Mine' } }), { status: 403 });
  t.equal((await post('sign-out', { ...own, cookie })).headers.get('set-cookie')?.includes('Max-Age=0'), true);
});

t.test('signing out ends the session, whoever kept its cookie, and no other', async (t) => {
  const [cookie, other] = [await signIn(), await signIn()];
  t.equal((await post('sign-out', { origin: 'https://evil.example', cookie })).status, 403);
  t.equal((await post('token', { ...own, cookie })).status, 200);
  t.equal((await post('sign-out', { ...own, cookie })).status, 200);
  t.match(await (await post('token', { ...own, cookie })).json(), { code: 'INVALID_TOKEN' });
  t.equal((await post('token', { ...own, cookie: other })).status, 200);
  for (const ended of [cookie, 'vh_console=a.b.c', ''])
    t.equal((await post('sign-out', { ...own, cookie: ended })).status, 200, 'again, or without a session');
});

t.test('tokens of one use are refused in another, and the cookie opens nothing but the console', async (t) => {
  const cookie = await signIn();
  const session = cookie.slice(cookie.indexOf('=') + 1);
  const link = new URL(await printLink(service)).hash.slice('#link='.length);
  for (const token of [session, link])
    t.match(await service.call('GET', '/projects', { headers: { authorization: `Bearer ${token}` } }), { status: 401 });
  t.match(await service.call('GET', '/projects', { headers: { cookie } }), { status: 401 });
  t.equal((await post('sign-in', own, { link: session })).status, 401);
  t.equal((await post('token', own)).status, 401);
  t.equal((await post('token', { ...own, cookie: 'vh_console=a.b.c' })).status, 401);
});

t.test('calls of other sites are refused, whatever cookie they carry', async (t) => {
  const cookie = await signIn();
  for (const headers of [{}, { origin: 'https://evil.example' }, { ...own, 'sec-fetch-site': 'same-site' }])
    t.match(await (await post('token', { ...headers, cookie })).json(), { code: 'ORIGIN_NOT_ALLOWED' });
  t.equal((await post('token', { 'sec-fetch-site': 'same-origin', cookie })).status, 200);
});

t.test('a link works once, and not after a restart of the service', async (t) => {
  const link = new URL(await printLink(service)).hash.slice('#link='.length);
  t.same(
    await Promise.all([1, 2, 3].map(async () => (await post('sign-in', own, { link })).status)).then((all) =>
      all.sort(),
    ),
    [200, 401, 401],
  );
});
