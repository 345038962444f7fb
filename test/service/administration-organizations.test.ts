import t from 'tap';
import type { AuditEntry } from '../../src/contract/audit.js';
import type { ErrorBody } from '../../src/contract/common.js';
import { operatorPath, sendOperatorCommand } from '../../src/projects/operator/operator-channel.js';
import { loadMasterKey } from '../../src/crypto/master-key.js';
import { probeExample } from '../../src/scoring/examples.js';
import { keyHeaders, startOrganizations, type Headers } from '../helpers/organizations.js';
import { createStandingClock } from '../helpers/standing-clock.js';
import { waitUntil } from '../helpers/wait-until.js';

const clock = createStandingClock();
const organizations = await startOrganizations(t, { VH_PUBLIC_PER_MINUTE: '20', VH_ENV: 'production' }, clock);
const { service, credentials, other, sibling } = organizations;
const { bootstrap } = service;
const settings = '/organizations/me/settings';
const consent = { controller: 'Demo organization', privacyUrl: null };

const call = <T = ErrorBody>(
  method: string,
  path: string,
  body?: unknown,
  headers: Headers = credentials.organizationKey,
): Promise<{ readonly status: number; readonly body: T; readonly headers: globalThis.Headers }> =>
  service.call(method, path, { ...(body === undefined ? {} : { body }), headers });
const setProject = (patterns: readonly string[], projectId = bootstrap.projectId) =>
  call('PATCH', `/projects/${projectId}`, { config: { allowedDomains: patterns } });
const setOrganization = (patterns: readonly string[]) =>
  call<{ allowedDomains: string[] }>('PATCH', settings, { allowedDomains: patterns });
const check = async (
  origin: string | null,
  siteKey = bootstrap.siteKey,
): Promise<{ allowed: boolean; origin: string | null; decidedBy: string }> =>
  (
    await call<{ allowed: boolean; origin: string | null; decidedBy: string }>(
      'GET',
      `/origin-check?siteKey=${siteKey}`,
      undefined,
      origin === null ? {} : { origin },
    )
  ).body;

/** A project whose public calls nobody has made yet. */
let projects = 0;
async function freshProject(fields: object = {}): Promise<string> {
  return (
    await call<{ projectId: string }>('POST', '/projects/provision', { name: `Fresh ${(projects += 1)}`, ...fields })
  ).body.projectId;
}

t.test('with both lists empty nothing is allowed in production, and the page can read why', async (t) => {
  t.same(await check('https://a.example'), { allowed: false, origin: 'https://a.example', decidedBy: 'environment' });
  const refused = await call('POST', `/public/projects/${bootstrap.siteKey}/demo-key`, undefined, {
    origin: 'https://a.example',
  });
  t.match({ status: refused.status, ...refused.body }, { status: 403, code: 'ORIGIN_NOT_ALLOWED' });
  t.equal(refused.headers.get('access-control-allow-origin'), 'https://a.example');
  t.match(refused.headers.get('vary'), /origin/i);
});

t.test(
  'a project without a list follows the organization’s at once; its own list replaces it and does not merge',
  async (t) => {
    t.same((await setOrganization(['https://Org.example', '*.org.example'])).body, {
      allowedDomains: ['https://org.example', '*.org.example'],
      consent,
    });
    t.same(await check('https://org.example'), {
      allowed: true,
      origin: 'https://org.example',
      decidedBy: 'organization',
    });
    await setProject(['https://own.example']);
    t.same(await check('https://own.example'), { allowed: true, origin: 'https://own.example', decidedBy: 'project' });
    t.same(await check('https://org.example'), { allowed: false, origin: 'https://org.example', decidedBy: 'project' });
    t.match(await check('https://deep.org.example', sibling.projectId), { allowed: true, decidedBy: 'organization' });
    await setProject([]);
    t.match(await check('https://org.example'), { allowed: true, decidedBy: 'organization' });
    t.same((await setOrganization([])).body, { allowedDomains: [], consent });
    t.match(await check('https://org.example'), { allowed: false, decidedBy: 'environment' });
  },
);

t.test('a request without an origin is not allowed where a list decides', async (t) => {
  await setProject(['https://own.example']);
  t.same(await check(null), { allowed: false, origin: null, decidedBy: 'project' });
  t.equal((await call('POST', `/public/projects/${bootstrap.siteKey}/demo-key`, undefined, {})).status, 403);
  await setProject([]);
});

t.test('settings keep what is left out, clear by null, and explain a pattern that is none', async (t) => {
  await setOrganization(['https://kept.example']);
  t.same((await call('PATCH', settings, {})).body, { allowedDomains: ['https://kept.example'], consent });
  t.match(await call('PATCH', settings, { allowedDomains: ['https://a.example', '*.com'] }), {
    status: 400,
    body: { issues: [{ path: '/allowedDomains/1', message: /com is a public suffix/ }] },
  });
  t.same(
    (await call('GET', settings)).body,
    { allowedDomains: ['https://kept.example'], consent },
    'a refused change changes nothing',
  );
  t.same((await call('PATCH', settings, { allowedDomains: null })).body, { allowedDomains: [], consent });
});

t.test('PUT of the organization by an admin sets the same list', async (t) => {
  const answer = await call(
    'PUT',
    `/organizations/${bootstrap.organizationId}`,
    { settings: { allowedDomains: ['localhost:*'] } },
    credentials.admin,
  );
  t.match(answer, {
    status: 200,
    body: {
      organizationId: bootstrap.organizationId,
      tier: 'enterprise',
      liteEnabled: true,
      monthlyQuota: null,
      trialEndsAt: null,
      settings: { allowedDomains: ['localhost:*'] },
    },
  });
  t.same((await call('GET', settings)).body, { allowedDomains: ['localhost:*'], consent });
  t.match(
    await call(
      'PUT',
      `/organizations/${bootstrap.organizationId}`,
      { settings: { allowedDomains: ['nope/'] } },
      credentials.owner,
    ),
    { status: 400, body: { issues: [{ path: '/settings/allowedDomains/0' }] } },
  );
});

t.test('public config is cached by ETag, follows the project, and keeps other pages out', async (t) => {
  const siteKey = await freshProject({ allowedOrigins: ['https://page.example'] });
  const read = (headers: Headers) => fetch(`${bootstrap.baseUrl}/projects/${siteKey}/public-config`, { headers });
  const first = await read({ origin: 'https://page.example' });
  t.equal(first.status, 200);
  t.equal(first.headers.get('access-control-allow-origin'), 'https://page.example');
  t.match(first.headers.get('cache-control'), /max-age=60/);
  t.match(await first.json(), {
    siteKey,
    verificationMode: 'block',
    widgetMode: 'standard',
    minimumAssurance: 'device_only',
    challengeEnabled: true,
    maxRetries: 3,
    degradedMode: 'FAIL_OPEN_FLAGGED',
    userDisclosure: 'NEUTRAL',
    userDisclosureCustomText: null,
    branding: null,
    models: { baseUrl: /^http/ },
  });
  const etag = first.headers.get('etag') ?? '';
  const unchanged = await read({ origin: 'https://page.example', 'if-none-match': etag });
  t.equal(unchanged.status, 304);
  t.equal(await unchanged.text(), '');
  await call('PATCH', `/projects/${siteKey}`, { config: { widgetMode: 'captcha', degradedMode: 'FAIL_CLOSED' } });
  const changed = await read({ origin: 'https://page.example', 'if-none-match': etag });
  t.equal(changed.status, 200);
  t.match(await changed.json(), { widgetMode: 'captcha', degradedMode: 'FAIL_CLOSED' });
  t.equal((await read({ origin: 'https://evil.example' })).status, 403);
  t.equal((await read({})).status, 200, 'a request that no page makes is not kept out');
  t.equal(
    (await call('GET', '/projects/proj_00000000000000000000000000000000/public-config', undefined, {})).status,
    404,
  );
});

t.test('every preflight is answered', async (t) => {
  for (const path of [
    `/projects/${bootstrap.siteKey}/public-config`,
    '/origin-check',
    `/public/projects/${bootstrap.siteKey}/demo-key`,
  ]) {
    const answer = await fetch(bootstrap.baseUrl + path, {
      method: 'OPTIONS',
      headers: { origin: 'https://any.example', 'access-control-request-method': 'POST' },
    });
    t.equal(answer.status, 204, path);
    t.equal(answer.headers.get('access-control-allow-origin'), 'https://any.example');
    t.match(answer.headers.get('access-control-allow-headers'), /content-type/);
  }
});

t.test('sessions are limited by project and origin, and one origin does not use up another’s', async (t) => {
  const siteKey = await freshProject({ allowedOrigins: ['https://a.example', 'https://b.example'] });
  const ask = (origin: string, key = siteKey) => call('POST', '/public/sessions', { siteKey: key }, { origin });
  for (let n = 0; n < 20; n += 1) t.equal((await ask('https://a.example')).status, 201);
  const refused = await ask('https://a.example');
  t.equal(refused.status, 429);
  for (const header of ['retry-after', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
    t.ok(refused.headers.get(header) !== null, header);
  t.equal(refused.headers.get('access-control-allow-origin'), 'https://a.example', 'the page can read it');
  t.equal((await ask('https://b.example')).status, 201);
  const another = await freshProject({ allowedOrigins: ['https://a.example'] });
  t.equal((await ask('https://a.example', another)).status, 201, 'nor another project’s');
});

t.test(
  'every message of a probe counts apart from other public calls: loads, updates and malformed ones',
  async (t) => {
    const kinds: readonly (readonly [string, number, (n: number) => object])[] = [
      ['load', 202, (n) => ({ sessionId: `load-${n}`, nonce: `nonce-load-${n}`, phase: 'load', seq: 0 })],
      ['update', 202, (n) => ({ sessionId: 'visit', nonce: 'nonce-of-visit', phase: 'update', seq: n })],
      ['malformed', 400, () => ({ sessionId: 7 })],
    ];
    for (const [kind, taken, fields] of kinds) {
      const siteKey = await freshProject();
      const { probeKey } = (
        await call<{ probeKey: string }>('GET', `/projects/${siteKey}`, undefined, credentials.owner)
      ).body;
      const statuses: number[] = [];
      for (let n = 0; n < 21; n += 1)
        statuses.push(
          (await call('POST', '/public/lite/probe', { ...probeExample(probeKey), ...fields(n) }, {})).status,
        );
      t.equal(statuses[0], taken, kind);
      t.ok(statuses.includes(429), kind);
      t.same(new Set(statuses), new Set([taken, 429]), kind);
    }
  },
);

t.test('demo keys are test keys of an hour that only measure, ten a minute', async (t) => {
  const siteKey = await freshProject({ allowedOrigins: ['https://try.example'] });
  const mint = () =>
    call<Record<string, unknown>>('POST', `/public/projects/${siteKey}/demo-key`, undefined, {
      origin: 'https://try.example',
    });
  const { status, body } = await mint();
  t.equal(status, 201);
  t.match(body, {
    apiKey: /^vf_test_/,
    keyId: /^key_/,
    apiKeyPrefix: /^vf_test_/,
    projectId: siteKey,
    isTest: true,
    isDemo: true,
  });
  t.equal(Date.parse(String(body['expiresAt'])), clock.now() + 3_600_000);
  const headers = keyHeaders(String(body['apiKey']));
  t.match((await call('GET', '/api-keys/current', undefined, headers)).body, {
    isDemo: true,
    isTest: true,
    scope: 'project',
  });
  t.equal((await call('POST', '/lite/score', { sessionId: 'd', clientIp: '203.0.113.1' }, headers)).status, 200);
  t.equal(
    (await call('POST', `/projects/${siteKey}/api-keys/${String(body['keyId'])}/rotate`, undefined, headers)).status,
    403,
  );
  const statuses: number[] = [];
  for (let n = 0; n < 19; n += 1) statuses.push((await mint()).status);
  const minted = statuses.filter((status) => status === 201).length;
  t.ok(statuses.includes(429));
  t.equal(minted, 9, 'with the first, ten in one minute');
});

const masterKey = loadMasterKey(service.dataDirectory);
const operate = (command: Parameters<typeof sendOperatorCommand>[2]) =>
  sendOperatorCommand(bootstrap.adminUrl, masterKey, command);

t.test('when a trial has ended keys are answered 402, apart from what describes and secures', async (t) => {
  const headers = keyHeaders(other.organizationKey);
  t.match(
    await operate({ command: 'trial', organizationId: other.organizationId, trialEndsAt: '2026-01-31T00:00:00.000Z' }),
    { outcome: 'done', reply: { monthlyQuota: 100_000, trialEndsAt: '2026-01-31T00:00:00.000Z' } },
  );
  await waitUntil(
    async () => (await call('GET', '/projects', undefined, headers)).status === 402,
    'the end of the trial is in force',
  );
  t.match((await call('GET', '/projects', undefined, headers)).body, {
    code: 'TRIAL_EXPIRED',
    trialEndsAt: '2026-01-31T00:00:00.000Z',
    limit: 100_000,
  });
  for (const [method, path, body] of [
    ['POST', '/projects/provision', { name: 'x' }],
    ['POST', '/lite/score', { sessionId: 's', clientIp: '203.0.113.1' }],
    ['GET', `/projects/${other.projectId}`, undefined],
  ] as const) {
    t.equal((await call(method, path, body, headers)).status, 402, path);
  }
  for (const path of ['/api-keys/current', settings, `/organizations/${other.organizationId}/api-keys`])
    t.equal((await call('GET', path, undefined, headers)).status, 200, path);
  t.equal(
    (await call('GET', '/projects', undefined, await organizations.dashboard('owner', other.organizationId))).status,
    200,
    'the dashboard stays open',
  );
  await operate({ command: 'trial', organizationId: other.organizationId, trialEndsAt: null });
  await waitUntil(
    async () => (await call('GET', '/projects', undefined, headers)).status === 200,
    'the trial is lifted',
  );
});

t.test('an operator’s command needs the master key', async (t) => {
  const stranger = await sendOperatorCommand(bootstrap.adminUrl, new Uint8Array(32), {
    command: 'set-tier',
    organizationId: other.organizationId,
    tier: 'enterprise',
  });
  t.same(stranger, { outcome: 'nobody' });
  const bare = await fetch(bootstrap.adminUrl + operatorPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  t.equal(bare.status, 401);
  t.equal(
    (await fetch(bootstrap.siteUrl + operatorPath, { method: 'POST' })).status,
    404,
    'and is not on the public port',
  );
});

t.test('a back-up is neither of the future nor older than the database', async (t) => {
  const restored = (at: number) => operate({ command: 'restored', backupAt: new Date(at).toISOString() });
  const now = Date.now();
  t.match(await restored(now + 60_000), { outcome: 'refused', message: /is later than the database/ });
  t.match(await restored(now - 366 * 86_400_000), {
    outcome: 'refused',
    message: /before the creation of this database/,
  });
  t.match(await restored(now - 60_000), { outcome: 'done', reply: { recordsResent: 0 } });
});

t.test('every administrative write is in the audit trail: who, what, when, and no secret', async (t) => {
  const before = new Set((await audit()).map(({ entryId }) => entryId));
  const project = (await call<{ projectId: string }>('POST', '/projects', { name: 'Audited' }, credentials.admin)).body
    .projectId;
  await call('PATCH', `/projects/${project}`, { config: { maxRetries: 1 } }, credentials.owner);
  await call('POST', `/projects/${project}/signing-secret/rotate`);
  const key = (await call<{ keyId: string; apiKey: string }>('POST', `/projects/${project}/api-keys`, { name: 'K' }))
    .body;
  await call('PATCH', `/projects/${project}/api-keys/${key.keyId}`, { rateLimits: { perMinute: 9 } });
  const replaced = (
    await call<{ keyId: string; apiKey: string }>('POST', `/projects/${project}/api-keys/${key.keyId}/rotate`)
  ).body;
  await call('DELETE', `/projects/${project}/api-keys/${replaced.keyId}`);
  await setOrganization(['https://audited.example']);
  await operate({ command: 'set-quota', organizationId: bootstrap.organizationId, monthlyQuota: 5 });
  await call('PATCH', `/projects/${project}`, { config: { maxRetries: 99 } }, credentials.owner);
  const entries = (await audit()).filter(({ entryId }) => !before.has(entryId)).reverse();
  t.same(
    entries.map(({ action }) => action),
    [
      'project.created',
      'project.updated',
      'project.signing_secret_rotated',
      'key.created',
      'key.limits_changed',
      'key.rotated',
      'key.revoked',
      'organization.updated',
      'organization.updated',
    ],
    'a refused write leaves none',
  );
  t.match(entries[0], { actor: { kind: 'dashboard', role: 'admin' }, subject: { kind: 'project', id: project } });
  t.match(entries[1], { actor: { role: 'owner' }, detail: { changed: ['/config/maxRetries'] } });
  t.match(entries[2]?.actor, { kind: 'key', role: null });
  t.match(entries[5]?.detail, { replaced: key.keyId });
  t.match(entries[7]?.detail, { allowedDomains: { to: ['https://audited.example'] } });
  t.match(entries[8]?.actor, { kind: 'operator' });
  for (const secret of [key.apiKey, replaced.apiKey]) t.notOk(JSON.stringify(entries).includes(secret));
  for (const entry of entries) t.ok(Date.parse(entry.at) > 0 && entry.entryId.startsWith('audit_'));
});

async function audit(): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { entries: AuditEntry[]; nextCursor: string | null } = (
      await call<{ entries: AuditEntry[]; nextCursor: string | null }>(
        'GET',
        `/organizations/${bootstrap.organizationId}/audit?limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`,
        undefined,
        credentials.admin,
      )
    ).body;
    entries.push(...page.entries);
    cursor = page.nextCursor;
  }
  return entries;
}
