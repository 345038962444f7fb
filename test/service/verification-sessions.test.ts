import t from 'tap';
import { startOrganizations, withDatabase } from '../helpers/organizations.js';
import { automated, createSession, verify } from '../helpers/verifications.js';

const { service, credentials, other, sibling } = await startOrganizations(t);
const { bootstrap } = service;
const page = { origin: 'https://survey.example' };

interface Session {
  readonly sessionId: string;
  readonly clientSecret: string;
  readonly expiresAt: number;
  readonly challengeConfig: { readonly nonce: string };
  readonly studyConfig: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const create = (body: object, headers: Readonly<Record<string, string>> = page) =>
  service.call('POST', '/public/sessions', { body: { siteKey: bootstrap.siteKey, ...body }, headers });

t.test(
  'a page creates a session with a secret, an expiry in half an hour, a nonce and a count of challenges, none of them revealed',
  async (t) => {
    const beforeMs = Date.now();
    const { status, body, headers } = await create({ studyId: 's', respondentId: 'r', metadata: { wave: 2 } });
    const session: Session = body;
    t.equal(status, 201);
    t.equal(headers.get('access-control-allow-origin'), page.origin);
    t.match(session.sessionId, /^sess_[0-9a-f]{32}$/);
    t.equal(Buffer.from(session.clientSecret, 'base64url').length, 32);
    const createdAt = session.expiresAt - 1_800;
    t.ok(Math.floor(beforeMs / 1_000) <= createdAt && createdAt <= Math.ceil(Date.now() / 1_000));
    t.same(session.metadata, { wave: 2 });
    t.same(session.studyConfig, {
      studyId: 's',
      widgetMode: 'standard',
      verificationMode: 'block',
      maxRetries: 3,
      livenessModels: ['landmarks', 'embedding'],
      minimumAssurance: 'device_only',
      evidenceFrames: 'off',
    });
    t.match(session.challengeConfig, { sequential: true, count: 3, challenges: [] });
    const second: Session = (await create({})).body;
    t.not(second.challengeConfig.nonce, session.challengeConfig.nonce);
  },
);

t.test('nobody fixes a session: identifiers and secrets that a caller sends are not taken', async (t) => {
  const chosen = {
    sessionId: `sess_${'0'.repeat(32)}`,
    clientSecret: 'mine',
    nonce: 'mine',
    challengeConfig: { nonce: 'mine' },
  };
  const session: Session = (await create(chosen)).body;
  t.not(session.sessionId, chosen.sessionId);
  t.not(session.clientSecret, 'mine');
  t.not(session.challengeConfig.nonce, 'mine');
});

t.test('metadata is bounded in bytes and depth, and the service’s own names in it are taken out', async (t) => {
  const deep = { a: { b: { c: { d: { e: { f: 1 } } } } } };
  for (const metadata of [{ text: 'x'.repeat(9_000) }, deep]) {
    const { status, body } = await create({ metadata });
    t.equal(status, 400);
    t.match(body, { code: 'VALIDATION_FAILED', issues: [{ path: '/metadata' }] });
  }
  const { body } = await create({ metadata: { vh_retry_count: 0, vh_original_session_id: 'x', own: true } });
  t.same((body as Session).metadata, { own: true });
});

t.test('a consent that nobody can have given at its time is refused', async (t) => {
  const at = (time: string) => create({ consent: { biometric: true, at: time } });
  const dayMs = 86_400_000;
  for (const time of ['9999-01-01T00:00:00Z', '1970-01-01T00:00:00Z', new Date(Date.now() + 2 * dayMs).toISOString()])
    t.match(await at(time), {
      status: 400,
      body: { code: 'VALIDATION_FAILED', issues: [{ path: '/consent/at', message: /ISO 8601/ }] },
    });
  for (const aheadMs of [-300 * dayMs, -1_000, dayMs / 2])
    t.equal((await at(new Date(Date.now() + aheadMs).toISOString())).status, 201);
});

t.test('a respondentId has at most 256 characters, and text that no database keeps is told', async (t) => {
  t.equal((await create({ respondentId: 'r'.repeat(257) })).status, 400);
  t.equal((await create({ respondentId: 'r'.repeat(256) })).status, 201);
  t.equal((await create({ respondentId: 'a\u0000b' })).status, 400);
});

t.test('what is refused can be read by the page: an unknown site key, a body that is none', async (t) => {
  for (const [body, status] of [
    [{ siteKey: 'proj_00000000000000000000000000000000' }, 404],
    [{}, 400],
    ['{', 400],
  ] as const) {
    const answer = await service.call('POST', '/public/sessions', { body, headers: page });
    t.equal(answer.status, status);
    t.equal(answer.headers.get('access-control-allow-origin'), page.origin);
  }
  const preflight = await fetch(`${bootstrap.baseUrl}/public/sessions`, { method: 'OPTIONS', headers: page });
  t.equal(preflight.status, 204);
  t.match(preflight.headers.get('access-control-allow-headers'), /x-client-secret/);
});

t.test('a backend creates sessions of its own projects only; a project key needs no site key', async (t) => {
  const ask = (headers: Readonly<Record<string, string>>, body: object = {}) =>
    service.call('POST', '/sessions', { body, headers });
  t.equal((await ask(credentials.projectKey)).status, 201);
  t.equal((await ask(credentials.projectKey, { siteKey: sibling.projectId })).status, 404);
  t.equal((await ask(credentials.organizationKey)).status, 400);
  t.equal((await ask(credentials.organizationKey, { siteKey: sibling.projectId })).status, 201);
  t.equal((await ask(credentials.organizationKey, { siteKey: other.projectId })).status, 404);
});

t.test('a linkId that the project does not have is 404, from a page and from a backend', async (t) => {
  for (const linkId of ['my-own-label', `link_${'0'.repeat(32)}`]) {
    t.match(await create({ linkId }), { status: 404, body: { code: 'NOT_FOUND' } }, linkId);
    const asked = { body: { linkId }, headers: credentials.projectKey };
    t.match(await service.call('POST', '/sessions', asked), { status: 404, body: { code: 'NOT_FOUND' } }, linkId);
  }
});

t.test(
  'any key of the organization retries a failed session; another organization’s learns nothing of it',
  async (t) => {
    const failed = await createSession(service, { respondentId: 'again' });
    t.match((await verify(service, failed, automated)).body, { status: 'fail' });
    // The mode is the project’s at that time, whatever the call says.
    const retry = (headers: Readonly<Record<string, string>>) =>
      service.call('POST', `/sessions/${failed.sessionId}/retry`, { body: { widgetMode: 'invisible' }, headers });
    t.match(await retry(credentials.otherOrganizationKey), { status: 404 });
    for (const [index, headers] of [credentials.otherProjectKey, credentials.organizationKey].entries())
      t.match(await retry(headers), {
        status: 201,
        body: { metadata: { vh_retry_count: index + 1 }, studyConfig: { widgetMode: 'standard' } },
      });
  },
);

t.test('client secrets are stored as a hash, and are not in the log', async (t) => {
  const session: Session = (await create({})).body;
  await service.stop();
  const rows = await withDatabase(service.dataDirectory, (database) =>
    database.query<{ row: string }>('SELECT verification_sessions::text AS row FROM verification_sessions'),
  );
  t.ok(rows.some(({ row }) => row.includes(session.sessionId)));
  t.notOk(rows.some(({ row }) => row.includes(session.clientSecret)));
  t.notOk(service.log.some((line) => line.includes(session.clientSecret)));
});
