import t from 'tap';
import type { KeyIntrospection, KeyRecord, MintedKeyReply } from '../../src/contract/api-key.js';
import { keyScopes } from '../../src/contract/key-scopes.js';
import type { ErrorBody } from '../../src/contract/common.js';
import { keyHeaders, startOrganizations, withDatabase, type Headers } from '../helpers/organizations.js';
import { waitUntil } from '../helpers/wait-until.js';

const { service, credentials, earlyKey, other, sibling } = await startOrganizations(t);
const { bootstrap } = service;
const projectKeys = `/projects/${bootstrap.projectId}/api-keys`;
const organizationKeys = `/organizations/${bootstrap.organizationId}/api-keys`;

type Answer<T> = Promise<{ readonly status: number; readonly body: T; readonly headers: globalThis.Headers }>;
const create = (body: object = {}, path = projectKeys, headers: Headers = credentials.owner): Answer<MintedKeyReply> =>
  service.call('POST', path, { body, headers });
const rotate = (
  keyId: string,
  body?: object,
  headers: Headers = credentials.owner,
  path = projectKeys,
): Answer<MintedKeyReply> =>
  service.call('POST', `${path}/${keyId}/rotate`, { ...(body === undefined ? {} : { body }), headers });
const introspect = (key: string): Answer<KeyIntrospection & ErrorBody> =>
  service.call('GET', '/api-keys/current', { headers: keyHeaders(key) });
const list = async (path = projectKeys): Promise<readonly KeyRecord[]> =>
  ((await service.call('GET', `${path}?limit=200`, { headers: credentials.owner })).body as { apiKeys: KeyRecord[] })
    .apiKeys;

t.test('each tier and family has its prefix, and the secret is told once', async (t) => {
  for (const [path, isTest, prefix] of [
    [projectKeys, false, 'vf_live_'],
    [projectKeys, true, 'vf_test_'],
    [organizationKeys, false, 'vf_org_live_'],
    [organizationKeys, true, 'vf_org_test_'],
  ] as const) {
    const { status, body } = await create({ name: 'P', isTest }, path);
    t.equal(status, 201);
    t.ok(body.apiKey.startsWith(prefix) && body.apiKey.startsWith(body.apiKeyPrefix), prefix);
    t.match(body, {
      name: 'P',
      isTest,
      isDemo: false,
      diagnosticsEnabled: false,
      scope: path === projectKeys ? 'project' : 'organization',
    });
    t.notOk('expiresAt' in body, 'without expiresInDays it never expires');
    t.notOk(JSON.stringify(await list(path)).includes(body.apiKey));
  }
});

t.test('introspection answers every field, by header and as Bearer', async (t) => {
  const { body } = await create({
    expiresInDays: 7,
    scopes: ['analytics:read'],
    diagnosticsEnabled: true,
    rateLimits: { perMinute: 10 },
  });
  const { apiKey, apiKeyPrefix: _prefix, name: _name, ...record } = body;
  t.same((await introspect(apiKey)).body, record);
  t.same(
    (await service.call('GET', '/api-keys/current', { headers: { authorization: `Bearer ${apiKey}` } })).body,
    record,
  );
  t.match(record, {
    projectId: bootstrap.projectId,
    projectName: 'Demo project',
    scopes: ['analytics:read'],
    rateLimit: { perMinute: 10, perDay: 2_000_000 },
    diagnosticsEnabled: true,
  });
  const organization = await introspect(bootstrap.organizationKey);
  t.match(organization.body, { scope: 'organization', projectId: null, projectName: null });
});

t.test('expiresInDays is 1 to 365, and a misspelt scope is told the nearest', async (t) => {
  for (const expiresInDays of [0, 366, 1.5, '7'])
    t.equal((await create({ expiresInDays })).status, 400, String(expiresInDays));
  for (const expiresInDays of [1, 365]) {
    const beforeMs = Date.now();
    const { body } = await create({ expiresInDays });
    const createdAtMs = Date.parse(body.expiresAt ?? '') - expiresInDays * 86_400_000;
    t.ok(beforeMs <= createdAtMs && createdAtMs <= Date.now());
  }
  t.match((await create({ scopes: ['lite:writ'] })).body, {
    code: 'VALIDATION_FAILED',
    issues: [{ path: '/scopes/0', message: /lite:write/ }],
  });
  t.equal(
    (await create({ scopes: ['projects:write'] })).status,
    400,
    'a project key cannot have an organization’s scope',
  );
});

t.test('missing, garbage, expired and revoked keys get one answer', async (t) => {
  const ask = (headers: Headers) =>
    service.call('GET', '/api-keys/current', { headers: { ...headers, 'x-request-id': 'same' } });
  const answers = await Promise.all(
    [credentials.none, credentials.garbage, credentials.expiredKey, credentials.revokedKey].map(ask),
  );
  for (const answer of answers) {
    t.equal(answer.status, 401);
    t.same(answer.body, answers[0]?.body);
  }
});

t.test(
  'a rotated key inherits scope, name, scopes, limits, family and expiry, and the old one is dead at once',
  async (t) => {
    for (const path of [projectKeys, organizationKeys]) {
      const old = (
        await create(
          {
            name: 'Inherits',
            isTest: true,
            scopes: ['analytics:read', 'keys:write'],
            rateLimits: { perMinute: 77, perDay: 78 },
            expiresInDays: 9,
          },
          path,
        )
      ).body;
      const { status, body } = await rotate(old.keyId, undefined, credentials.owner, path);
      t.equal(status, 200);
      const { apiKey, keyId, apiKeyPrefix, ...kept } = body;
      const { apiKey: _old, keyId: oldId, apiKeyPrefix: _oldPrefix, ...before } = old;
      t.same(kept, before);
      t.not(keyId, oldId);
      t.ok(apiKey.startsWith(apiKeyPrefix) && apiKeyPrefix.slice(0, -6) === old.apiKeyPrefix.slice(0, -6));
      t.equal((await introspect(old.apiKey)).status, 401);
      t.equal((await introspect(apiKey)).status, 200);
      t.equal(
        (await rotate(oldId, undefined, credentials.owner, path)).status,
        404,
        'a revoked key cannot be rotated again',
      );
    }
  },
);

t.test('expiresInDays at rotation replaces the expiry', async (t) => {
  const old = (await create({ expiresInDays: 300 })).body;
  const { body } = await rotate(old.keyId, { expiresInDays: 2 });
  t.ok(Date.parse(body.expiresAt ?? '') < Date.now() + 3 * 86_400_000);
  for (const expiresInDays of [0, 366])
    t.equal((await rotate(body.keyId, { expiresInDays })).status, 400, `${expiresInDays} is out of range`);
});

t.test('of rotations that race, one succeeds', async (t) => {
  const old = (await create()).body;
  const statuses = (await Promise.all(Array.from({ length: 10 }, () => rotate(old.keyId)))).map(({ status }) => status);
  t.same(
    [statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 404).length],
    [1, 9],
  );
});

t.test('a replacement reads the evidence of what its predecessor scored', async (t) => {
  const old = (await create()).body;
  const score: { receiptId: string } = (
    await service.call('POST', '/lite/score', {
      body: { sessionId: 'lineage', clientIp: '203.0.113.8' },
      headers: keyHeaders(old.apiKey),
    })
  ).body;
  const { body } = await rotate(old.keyId);
  t.equal(
    (await service.call('GET', `/lite/score/${score.receiptId}/evidence`, { headers: keyHeaders(body.apiKey) })).status,
    200,
  );
});

t.test('an unknown key, another organization’s, another project’s and one of the other tier are one 404', async (t) => {
  const foreign = (await create({}, `/projects/${other.projectId}/api-keys`, keyHeaders(other.organizationKey))).body
    .keyId;
  const siblings = (await create({}, `/projects/${sibling.projectId}/api-keys`)).body.keyId;
  const tier = (await create({}, organizationKeys)).body.keyId;
  const bodies: unknown[] = [];
  for (const keyId of ['key_00000000000000000000000000000000', 'nonsense', foreign, siblings, tier]) {
    for (const [method, path, body] of [
      ['POST', `${keyId}/rotate`, undefined],
      ['PATCH', keyId, { rateLimits: { perMinute: 5 } }],
      ['DELETE', keyId, undefined],
    ] as const) {
      const answer = await service.call(method, `${projectKeys}/${path}`, {
        ...(body === undefined ? {} : { body }),
        headers: { ...credentials.owner, 'x-request-id': 'same' },
      });
      t.equal(answer.status, 404, `${method} ${path}`);
      bodies.push(answer.body);
    }
  }
  for (const body of bodies) t.same(body, bodies[0]);
});

t.test('a revoked key stays in the list as revoked and opens nothing', async (t) => {
  const { apiKey, keyId } = (await create()).body;
  t.equal((await introspect(apiKey)).status, 200);
  t.match(await service.call('DELETE', `${projectKeys}/${keyId}`, { headers: credentials.admin }), {
    status: 200,
    body: { keyId, state: 'revoked' },
  });
  t.equal((await introspect(apiKey)).status, 401);
  t.match(
    (await list()).find((key) => key.keyId === keyId),
    { state: 'revoked' },
  );
});

t.test('when a key was last used stands in the list', async (t) => {
  const { apiKey, keyId } = (await create()).body;
  t.equal((await list()).find((key) => key.keyId === keyId)?.lastUsedAt, null);
  await introspect(apiKey);
  await waitUntil(
    async () => (await list()).find((key) => key.keyId === keyId)?.lastUsedAt !== null,
    'the use was written',
  );
});

t.test('the list tells states and is paged', async (t) => {
  const keys = await list();
  t.same([...new Set(keys.map(({ state }) => state))].sort(), ['active', 'expired', 'revoked']);
  t.same(
    keys.map(({ keyId }) => keyId),
    keys
      .map(({ keyId }) => keyId)
      .sort()
      .reverse(),
  );
  const first: { apiKeys: KeyRecord[]; nextCursor: string } = (
    await service.call('GET', `${projectKeys}?limit=3`, { headers: credentials.owner })
  ).body;
  const second: { apiKeys: KeyRecord[] } = (
    await service.call('GET', `${projectKeys}?limit=3&cursor=${first.nextCursor}`, { headers: credentials.owner })
  ).body;
  t.same(
    [...first.apiKeys, ...second.apiKeys].map(({ keyId }) => keyId),
    keys.slice(0, 6).map(({ keyId }) => keyId),
  );
});

t.test('a key from before 2026-05-21 is of organization scope, whatever its row says', async (t) => {
  t.match((await introspect(earlyKey)).body, {
    scope: 'organization',
    projectId: null,
    projectName: null,
    scopes: [...keyScopes.organization],
  });
  t.equal(
    (
      await service.call('POST', '/projects/provision', {
        body: { name: 'By an early key' },
        headers: keyHeaders(earlyKey),
      })
    ).status,
    201,
  );
  const record = (await list(organizationKeys)).find(({ name }) => name === 'Early');
  t.match(record, { scope: 'organization', state: 'active' });
  const { body } = await rotate(record?.keyId ?? '', undefined, credentials.owner, organizationKeys);
  t.match(body, { scope: 'organization', apiKey: /^vf_org_live_/ });
});

t.test('a key from before 2026-05-21 mints and is rotated as the organization key that it is', async (t) => {
  const record = (await list(organizationKeys)).find(({ name, state }) => name === 'Early' && state === 'active');
  const early = keyHeaders(
    (await rotate(record?.keyId ?? '', undefined, credentials.owner, organizationKeys)).body.apiKey,
  );
  const minted = (await create({ name: 'Of an early key' }, projectKeys, early)).body;
  t.match(minted, { scope: 'project', projectId: bootstrap.projectId, apiKey: /^vf_live_/ });
  const siblings = (await create({}, `/projects/${sibling.projectId}/api-keys`, early)).body;
  t.match(siblings, { scope: 'project', projectId: sibling.projectId }, 'of any project of the organization');
  const own = await introspect(early['x-api-key'] ?? '');
  t.match(own.body, { scope: 'organization', projectId: null, name: undefined, scopes: [...keyScopes.organization] });
  t.notOk(
    (await list(projectKeys)).some(({ name }) => name === 'Early'),
    'no project lists it, before or after',
  );
  const again = await rotate(own.body.keyId, { expiresInDays: 3 }, early, organizationKeys);
  t.match(again, { status: 200, body: { scope: 'organization', name: 'Early', apiKey: /^vf_org_live_/ } });
  t.equal((await introspect(early['x-api-key'] ?? '')).status, 401, 'the old one is dead at once');
  const revoked = await service.call('DELETE', `${projectKeys}/${minted.keyId}`, {
    headers: keyHeaders(again.body.apiKey),
  });
  t.equal(revoked.status, 200);
});

t.test('a key that administers keys reaches no further than itself', async (t) => {
  const limited = (await create({ scopes: ['keys:write', 'analytics:read'] })).body;
  const full = (await create()).body;
  t.match(await rotate(full.keyId, undefined, keyHeaders(limited.apiKey)), {
    status: 403,
    body: { code: 'INSUFFICIENT_SCOPE' },
  });
  const test = (await create({ isTest: true })).body;
  t.match(await rotate(full.keyId, undefined, keyHeaders(test.apiKey)), {
    status: 403,
    body: { code: 'INSUFFICIENT_SCOPE' },
  });
  t.equal((await rotate(full.keyId, undefined, keyHeaders(full.apiKey))).status, 200, 'a key may replace itself');
});

t.test('an endpoint refuses a key without its scope', async (t) => {
  const { apiKey } = (await create({ scopes: ['analytics:read'] })).body;
  const without = (await create({ scopes: ['analytics:read'] }, organizationKeys)).body;
  const refused = { status: 403, body: { code: 'INSUFFICIENT_SCOPE' } };
  t.match(
    await service.call('POST', '/lite/score', {
      body: { sessionId: 's', clientIp: '203.0.113.8' },
      headers: keyHeaders(apiKey),
    }),
    refused,
  );
  for (const [method, path, body] of [
    ['POST', '/projects/provision', { name: 'x' }],
    ['GET', '/projects', undefined],
    ['GET', '/organizations/me/settings', undefined],
    ['GET', projectKeys, undefined],
  ] as const) {
    t.match(
      await service.call(method, path, {
        ...(body === undefined ? {} : { body }),
        headers: keyHeaders(without.apiKey),
      }),
      refused,
      path,
    );
  }
});

t.test('a secret is stored as its SHA-256 and nothing else', async (t) => {
  const { apiKey } = (await create()).body;
  await service.stop();
  await withDatabase(service.dataDirectory, async (database) => {
    for (const table of ['api_keys', 'audit_entries', 'changes', 'projects']) {
      const rows = await database.query<{ text: string }>(`SELECT to_jsonb(x)::text AS text FROM ${table} x`);
      t.notOk(
        rows.some(({ text }) => text.includes(apiKey) || text.includes(bootstrap.organizationKey)),
        table,
      );
    }
  });
});
