import { createHmac } from 'node:crypto';
import t from 'tap';
import { deviceOnlyExample } from '../../src/contract/envelope-examples.js';
import type { CreatedLinkReply, LinkReply } from '../../src/contract/hosted-link.js';
import type { SessionReply } from '../../src/contract/session.js';
import { startTestService } from '../helpers/service.js';
import { createStandingClock } from '../helpers/standing-clock.js';
import { automated, createSession, envelopeFor, verify as verifyAnywhere } from '../helpers/verifications.js';

const clock = createStandingClock();
const service = await startTestService(t, { VH_TRUSTED_PROXIES: '127.0.0.1' }, clock);
const { bootstrap } = service;
const { siteUrl, projectId, organizationKey, projectKey } = bootstrap;
const links = `/projects/${projectId}/links`;
const organization = { 'x-api-key': organizationKey };
// The hosted page's own origin is not in the list: only a link opens the project to it.
await patchProject({ config: { allowedDomains: ['https://survey.example'], maxRetries: 1 } });

async function patchProject(body: unknown): Promise<void> {
  const answer = await service.call('PATCH', `/projects/${projectId}`, { body, headers: organization });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}

async function makeLink(body: Readonly<Record<string, unknown>> = {}): Promise<CreatedLinkReply> {
  const answer = await service.call('POST', links, { body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

type Answer<T> = { readonly status: number; readonly body: T };
const own = { origin: new URL(siteUrl).origin };

const startSession = (
  linkId: string,
  {
    headers = own,
    ...body
  }: { readonly headers?: Readonly<Record<string, string>>; readonly [name: string]: unknown } = {},
): Promise<Answer<SessionReply & { readonly code: string; readonly reason: string }>> =>
  service.call('POST', '/public/sessions', { body: { siteKey: projectId, linkId, ...body }, headers });

const verify = (
  session: SessionReply,
  over: Readonly<Record<string, unknown>> = {},
): Promise<Answer<{ readonly verificationToken: string; readonly code: string; readonly status: string }>> =>
  service.call('POST', '/public/verify', {
    body: envelopeFor(session, over),
    headers: { ...own, 'user-agent': deviceOnlyExample.device.ua.ua, 'x-client-secret': session.clientSecret },
  });

async function visit(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(siteUrl + path, { headers, redirect: 'manual' });
}

async function finish(
  linkId: string,
  token: string,
): Promise<{ status: number; body: { status: string; location: string | null } }> {
  const response = await fetch(`${siteUrl}/v/${linkId}/return`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  return { status: response.status, body: (await response.json()) as never };
}

t.test('a link is made, listed, read and deleted; its address is the page', async (t) => {
  const made = await makeLink({
    studyId: 'study-7',
    respondentId: 'r-1',
    metadata: { wave: 2 },
    maxUses: 3,
    expiresInDays: 2,
  });
  t.equal(made.url, `${siteUrl}/v/${made.linkId}`);
  t.ok(Date.parse(made.expiresAt) - clock.now() > 47 * 3_600_000, 'two days from now');
  const listed = (await service.call('GET', `${links}?limit=1`)).body as {
    links: LinkReply[];
    nextCursor: string | null;
  };
  t.match(listed.links, [
    {
      linkId: made.linkId,
      studyId: 'study-7',
      respondentId: 'r-1',
      metadata: { wave: 2 },
      uses: 0,
      maxUses: 3,
      state: 'alive',
    },
  ]);
  t.equal((await visit(`/v/${made.linkId}`)).status, 200);
  t.match(await service.call('DELETE', `${links}/${made.linkId}`), { status: 200, body: { state: 'deleted' } });
  t.match(await service.call('DELETE', `${links}/${made.linkId}`), { status: 404 });
  const dead = await visit(`/v/${made.linkId}`);
  t.equal(dead.status, 404);
  t.match(await dead.text(), /no longer exists/);
  t.match(await startSession(made.linkId), { status: 410, body: { code: 'LINK_ENDED', reason: 'deleted' } });
  const trail = await service.call('GET', `/organizations/${bootstrap.organizationId}/audit`, {
    headers: organization,
  });
  t.equal(trail.status, 403, 'the trail is for people');
});

t.test('pages of the list follow one another without gaps', async (t) => {
  for (let made = 0; made < 3; made += 1) await makeLink();
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = (await service.call('GET', `${links}?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)).body as {
      links: LinkReply[];
      nextCursor: string | null;
    };
    seen.push(...page.links.map(({ linkId }) => linkId));
    cursor = page.nextCursor;
  }
  t.same(seen, [...new Set(seen)].sort().reverse(), 'newest first, each once');
  t.ok(seen.length >= 3);
});

t.test('a returnUrl leads where the allow-list allows, and nothing else is taken', async (t) => {
  for (const returnUrl of ['https://survey.example/back?x=1', 'HTTPS://SURVEY.example/back'])
    t.match(await service.call('POST', links, { body: { returnUrl } }), { status: 201 }, returnUrl);
  const refused = await service.call('POST', links, { body: { returnUrl: 'https://evil.example/' } });
  t.match(refused, { status: 403, body: { code: 'ORIGIN_NOT_ALLOWED', issues: [{ path: '/returnUrl' }] } });
  t.match(
    (refused.body as { message: string }).message,
    /Origin https:\/\/evil\.example .* Add it to `config\.allowedDomains`/,
  );
  const hostile = [
    'https://survey.example@evil.example/',
    'https://user:secret@survey.example/',
    'https:\\\\evil.example\\',
    'https://survey.example\\@evil.example/',
    'https:/\\evil.example',
    'https:evil.example',
    '//survey.example/',
    '/back',
    'javascript:alert(1)',
    'JavaScript:alert(1)//https://survey.example/',
    'data:text/html,x',
    ' https://survey.example/',
    'https://survey.example/\nx',
    'http://survey.example/',
    'https://',
  ];
  for (const returnUrl of hostile) {
    const { status, body } = await service.call('POST', links, { body: { returnUrl } });
    t.match({ status, body }, { status: 400, body: { issues: [{ path: '/returnUrl' }] } }, JSON.stringify(returnUrl));
  }
});

t.test('a link opens its project to the service’s own page, and to no other', async (t) => {
  const { linkId } = await makeLink();
  t.match(await startSession(linkId), { status: 201 });
  t.match(await startSession(linkId, { headers: { origin: 'https://evil.example' } }), {
    status: 403,
    body: { code: 'ORIGIN_NOT_ALLOWED' },
  });
  t.match(await startSession(linkId, { headers: { origin: 'null' } }), { status: 403 });
  t.match(await startSession(`link_${'0'.repeat(32)}`), { status: 404 }, 'a link that there is not');
  const unlinked = await service.call('POST', '/public/sessions', { body: { siteKey: projectId }, headers: own });
  t.match(unlinked, { status: 403, body: { code: 'ORIGIN_NOT_ALLOWED' } }, 'without a link the list holds');
  const label = await service.call('POST', '/public/sessions', {
    body: { siteKey: projectId, linkId: 'my-own-label' },
    headers: own,
  });
  t.match(
    label,
    { status: 404, body: { code: 'NOT_FOUND' } },
    'what is no link of the project is not taken for a label',
  );
  const { body: session } = await startSession(linkId);
  await verify(session);
  const read = (headers: Readonly<Record<string, string>>) =>
    service.call('GET', `/public/sessions/${session.sessionId}/result`, {
      headers: { ...headers, 'x-client-secret': session.clientSecret },
    });
  t.match(
    await read({ 'sec-fetch-site': 'same-origin' }),
    { status: 200 },
    'a browser names no origin on its own site',
  );
  t.match(await read({ origin: 'https://evil.example' }), { status: 403 });
  t.match(await read({ 'sec-fetch-site': 'cross-site' }), { status: 403 });
});

const claims = { studyId: 'other', respondentId: 'somebody else', dataCollector: 'south', metadata: { bonus: 100 } };

async function validate(session: SessionReply): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await verify(session);
  return (await service.call('POST', '/token/verify', { body: { token: body.verificationToken } })).body;
}

t.test('a session carries what its link carries, and nothing that the page says', async (t) => {
  const carried = { studyId: 'study-7', respondentId: 'r-1', dataCollector: 'north' };
  const { linkId } = await makeLink({ ...carried, metadata: { wave: 2, vh_retry_count: 9 } });
  const { body } = await startSession(linkId, claims);
  t.match(body, { studyConfig: { studyId: 'study-7' } });
  t.same(body.metadata, { wave: 2 });
  t.match(await validate(body), { success: true, ...carried });

  const { body: bare } = await startSession((await makeLink({})).linkId, claims);
  t.same(bare.metadata, {});
  const told = await validate(bare);
  t.match(told, { success: true });
  for (const name of Object.keys(claims)) t.notOk(name in told, name);
});

/** A body that tries a failed session again. */
const again = ({ sessionId, clientSecret }: SessionReply) => ({
  previousSessionId: sessionId,
  previousClientSecret: clientSecret,
});

t.test('uses are passes: a reload and a failure use nothing up, and the last use is taken once', async (t) => {
  const { linkId } = await makeLink({ maxUses: 2 });
  const sessions = await Promise.all(Array.from({ length: 6 }, async () => (await startSession(linkId)).body));
  const [failing, late, ...others] = sessions as unknown as [SessionReply, SessionReply, ...SessionReply[]];
  t.match((await verify(failing, automated)).body, { status: 'fail' });
  t.match((await service.call('GET', `${links}/${linkId}`)).body, { uses: 0, sessions: 6, state: 'alive' });
  const retry = await startSession(linkId, again(failing));
  t.match(retry, { status: 201 }, 'who failed may try again');
  const answers = await Promise.all([retry.body, ...others].map((session) => verify(session)));
  t.same(answers.map(({ status }) => status).sort(), [200, 200, 410, 410, 410]);
  t.match(answers.find(({ status }) => status === 410)?.body, { code: 'LINK_ENDED', reason: 'used_up' });
  t.match((await service.call('GET', `${links}/${linkId}`)).body, { uses: 2, state: 'used_up' });
  const page = await visit(`/v/${linkId}`);
  t.equal(page.status, 410);
  t.match(await page.text(), /already been used/);
  t.match(await startSession(linkId), { status: 410, body: { reason: 'used_up' } });
  t.match(await verify(late, automated), { status: 410 }, 'nor does a failure come after the last pass');
  const { linkId: another } = await makeLink({ maxUses: 1 });
  for (const end of [{ linkId: another }, { linkId: undefined, headers: { origin: 'https://survey.example' } }]) {
    const moved = await startSession('', { ...end, ...again(failing) });
    t.match(moved, { status: 410, body: { reason: 'used_up' } }, 'no way from one link to another');
  }
});

t.test('a link that ended starts no retry', async (t) => {
  const { linkId } = await makeLink({});
  const { body: failed } = await startSession(linkId);
  await verify(failed, automated);
  await service.call('DELETE', `${links}/${linkId}`);
  for (const named of [linkId, undefined]) {
    const retry = await startSession('', { linkId: named, ...again(failed) });
    t.match(retry, { status: 410, body: { code: 'LINK_ENDED', reason: 'deleted' } });
  }
  const ofBackend = await service.call('POST', `/sessions/${failed.sessionId}/retry`, {
    headers: { 'x-api-key': service.bootstrap.projectKey },
  });
  t.match(ofBackend, { status: 410, body: { code: 'LINK_ENDED', reason: 'deleted' } });
});

t.test('of a link for one use comes one signed return, whatever is tried again', async (t) => {
  const { linkId } = await makeLink({ maxUses: 1, returnUrl: 'https://survey.example/back' });
  await patchProject({ config: { maxRetries: 3 } });
  const { body: failed } = await startSession(linkId);
  await verify(failed, automated);
  const retries = await Promise.all([1, 2, 3].map(async () => (await startSession(linkId, again(failed))).body));
  const answers = await Promise.all(retries.map((session) => verify(session)));
  const passed = answers.filter(({ status, body }) => status === 200 && body.status === 'pass');
  t.equal(passed.length, 1);
  t.match(await startSession(linkId, again(failed)), { status: 410, body: { reason: 'used_up' } });
  await patchProject({ config: { maxRetries: 1 } });
});

t.test('an address starts ten sessions an hour for each use of a link, and spends it for nobody else', async (t) => {
  const { linkId } = await makeLink({ maxUses: 1 });
  const from = (address: string) => startSession(linkId, { headers: { ...own, 'x-forwarded-for': address } });
  const storm = await Promise.all(Array.from({ length: 13 }, () => from('198.51.100.7')));
  const sessions = storm.filter(({ status }) => status === 201);
  t.equal(sessions.length, 10);
  const refused = storm.find(({ status }) => status !== 201);
  t.match(refused, { status: 429, body: { code: 'RATE_LIMIT_EXCEEDED' } });
  t.match((await service.call('GET', `${links}/${linkId}`)).body, { sessions: 10, state: 'alive' });
  for (const { body } of sessions.slice(1)) t.match((await verify(body, automated)).body, { status: 'fail' });
  const honest = await from('203.0.113.9');
  t.match(honest, { status: 201 }, 'who was handed the link keeps it');
  t.match(await verify(honest.body), { status: 200, body: { status: 'pass' } });
  t.match(await from('203.0.113.10'), { status: 410, body: { code: 'LINK_ENDED', reason: 'used_up' } });
});

t.test('who has no address of their own shares the sessions of a link', async (t) => {
  const { linkId } = await makeLink({ maxUses: 1 });
  const started = await Promise.all(Array.from({ length: 13 }, () => startSession(linkId)));
  t.equal(started.filter(({ status }) => status === 201).length, 10);
  const { linkId: another } = await makeLink({ maxUses: 2 });
  const more = await Promise.all(Array.from({ length: 13 }, () => startSession(another)));
  t.equal(more.filter(({ status }) => status === 201).length, 13, 'each link for itself');
});

t.test('the way back carries the server’s verdict and token; a page can make neither', async (t) => {
  const { linkId } = await makeLink({ returnUrl: 'https://survey.example/back?keep=1&status=pass&vh_token=forged' });
  for (const [over, expected] of [
    [{}, 'pass'],
    [automated, 'fail'],
  ] as const) {
    const { body: session } = await startSession(linkId);
    const { body: verified } = await verify(session, over);
    const { status, body } = await finish(linkId, verified.verificationToken);
    t.match({ status, body }, { status: 200, body: { status: expected } });
    const target = new URL(body.location ?? '');
    t.equal(target.origin + target.pathname, 'https://survey.example/back');
    t.same([...target.searchParams.keys()].sort(), ['keep', 'status', 'vh_token'], 'each once');
    t.equal(target.searchParams.get('status'), expected);
    const claims = JSON.parse(
      Buffer.from(target.searchParams.get('vh_token')?.split('.')[1] ?? '', 'base64url').toString(),
    ) as Record<string, unknown>;
    t.match(claims, { status: expected, sub: session.sessionId, aud: projectId });
  }
  t.match(await finish(linkId, 'a.b.c'), { status: 404 });
  const { linkId: another } = await makeLink({ returnUrl: 'https://survey.example/' });
  const { body: session } = await startSession(linkId);
  const { body: verified } = await verify(session);
  t.match(await finish(another, verified.verificationToken), { status: 404 }, 'a session of another link');
  const flipped = verified.verificationToken.replace(
    /\.[^.]+\./,
    (part) =>
      `.${Buffer.from(Buffer.from(part.slice(1, -1), 'base64url').toString().replace('"fail"', '"pass"').replace('study', 'other')).toString('base64url')}x.`,
  );
  t.match(await finish(linkId, flipped), { status: 404 }, 'a token that was changed');
  const leave = await visit(`/v/${linkId}/leave`);
  t.equal(leave.status, 303);
  t.equal(leave.headers.get('location'), 'https://survey.example/back?keep=1&status=incomplete');
  await patchProject({ config: { allowedDomains: ['https://elsewhere.example'] } });
  t.match(
    await finish(linkId, verified.verificationToken),
    { status: 200, body: { location: null } },
    'the list changed meanwhile',
  );
  t.equal((await visit(`/v/${linkId}/leave`)).status, 404);
  await patchProject({ config: { allowedDomains: ['https://survey.example'] } });
});

t.test('no token but the one that the service signed for a session of the link leads anywhere', async (t) => {
  const { linkId } = await makeLink({ returnUrl: 'https://survey.example/back' });
  const { body: session } = await startSession(linkId);
  const { body: verified } = await verify(session, automated);
  const [header = '', payload = '', signature = ''] = verified.verificationToken.split('.');
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const read = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;
  const passing = part({ ...read(payload), status: 'pass' });
  const sign = (head: object, secret: string): string => {
    const signed = `${part(head)}.${passing}`;
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  };
  const genuine = read(header);
  const { body: answer } = await finish(linkId, verified.verificationToken);
  t.match(answer, { status: 'fail' }, 'the genuine one says what it was');
  const unlinked = await createSession(service);
  const { body: elsewhere } = await verifyAnywhere(service, unlinked);
  const forged: Readonly<Record<string, string>> = {
    'without a signature': `${part({ ...genuine, alg: 'none' })}.${passing}.`,
    'of no algorithm': `${part({ ...genuine, alg: 'none' })}.${passing}.${signature}`,
    'another verdict under the old signature': `${header}.${passing}.${signature}`,
    'signed with nothing': sign(genuine, ''),
    'signed with the site key': sign(genuine, projectId),
    'signed with the session’s secret': sign(genuine, session.clientSecret),
    'of a version that there is not': sign({ ...genuine, kid: '999' }, projectId),
    'of a version by a name of every object': sign({ ...genuine, kid: 'constructor' }, projectId),
    'of an address as its key': sign(
      { ...genuine, jku: 'https://evil.example/jwks', jwk: { kty: 'oct', k: 'AA' } },
      'x',
    ),
    'with one part more': `${verified.verificationToken}.x`,
    'the signature spelled otherwise': `${header}.${payload}.${signature}=`,
    'the respondent’s own vh_token': new URL(answer.location ?? '').searchParams.get('vh_token') ?? '',
    'of a session without a link': elsewhere.verificationToken,
  };
  for (const [name, token] of Object.entries(forged)) {
    const { status, body } = await finish(linkId, token);
    t.match({ status, body }, { status: 404, body: { code: 'NOT_FOUND' } }, name);
    t.notMatch(JSON.stringify(body), /location|survey\.example/, name);
  }
  for (const token of ['', 'x'.repeat(4_097), null, { toString: 'x' }, ['a.b.c']])
    t.equal((await finish(linkId, token as string)).status, 400, JSON.stringify(token)?.slice(0, 20));
});

t.test('a link of a test key makes sessions of the test world', async (t) => {
  const key = await service.call('POST', `/projects/${projectId}/api-keys`, {
    body: { name: 'Test', isTest: true },
    headers: organization,
  });
  const { apiKey } = key.body as { apiKey: string };
  const made = await service.call('POST', links, {
    body: { returnUrl: 'https://survey.example/' },
    headers: { 'x-api-key': apiKey },
  });
  const { linkId } = made.body as CreatedLinkReply;
  const { body: verified } = await verify((await startSession(linkId)).body);
  const ask = (secret: string) =>
    service.call('POST', '/token/verify', {
      body: { token: verified.verificationToken },
      headers: { 'x-api-key': secret },
    });
  t.match((await ask(projectKey)).body, { success: false, error: 'INVALID' });
  t.match((await ask(apiKey)).body, { success: true, mode: 'test' });
  t.match(await finish(linkId, verified.verificationToken), { status: 200 });
});
