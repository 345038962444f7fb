import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import t from 'tap';
import { Type } from 'typebox';
import type { DashboardCaller, KeyCaller, AccessDeps } from '../../src/kernel/caller.js';
import type { ErrorBody } from '../../src/contract/common.js';
import { Fault } from '../../src/errors.js';
import { keyCaller } from '../../src/http/access.js';
import { bodyBytesMax } from '../../src/limits.js';
import { createApp } from '../../src/http/app.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { makeKeyCaller } from '../helpers/key-caller.js';

const projectKey = makeKeyCaller({ organizationId: 'org_a', projectId: 'proj_a', scopes: ['lite:write'] });
const organizationKey: KeyCaller = { ...projectKey, keyId: 'key_2', projectId: null };
const member: DashboardCaller = { kind: 'dashboard', subject: 'm', organizationId: 'org_a', role: 'member' };
const owners: Readonly<Record<string, string>> = { proj_a: 'org_a', proj_b: 'org_a', proj_other: 'org_z' };

const deps: AccessDeps = {
  findKey: async (secret) =>
    ({ vf_live_project: projectKey, vf_org_live_organization: organizationKey })[secret] ?? null,
  verifyDashboardToken: async (token) => {
    if (token === 'member') return member;
    if (token === 'admin') return { ...member, role: 'admin' };
    throw new Fault('INVALID_TOKEN', 'no');
  },
  findProjectOwner: async (projectId) => owners[projectId] ?? null,
  findKeyOwner: async () => null,
  takeKeyRate: async () => undefined,
  requireTrial: async () => undefined,
};

const modes = ['live'] as const;

function build(log: string[] = [], accessLog = false): FastifyInstance {
  const app = createApp({
    ...deps,
    logger: createLogger('info', { write: (line) => log.push(line) }),
    metrics: createMetrics(),
    accessLog,
  });
  const open = { access: { credential: 'none' } } as const;
  app.post(
    '/echo',
    {
      config: open,
      bodyLimit: 64,
      schema: {
        body: Type.Object({
          name: Type.String(),
          mode: Type.Optional(Type.Object({ fast: Type.Boolean() }, { additionalProperties: false })),
        }),
      },
    },
    async (request) => request.body,
  );
  app.post('/deep', { config: open, bodyLimit: bodyBytesMax, schema: { body: Type.Object({}) } }, async (request) =>
    structuredClone(request.body),
  );
  app.get('/bug', { config: open }, async () => {
    throw new Error('inner detail');
  });
  app.get('/key', { config: { access: { credential: 'api-key', modes, scope: 'lite:write' } } }, async (request) => ({
    keyId: keyCaller(request).keyId,
  }));
  app.get('/scoped', { config: { access: { credential: 'api-key', modes, scope: 'keys:write' } } }, async () => ({}));
  app.get(
    '/projects/:projectId',
    { config: { access: { credential: 'dashboard-or-organization-key', modes, role: 'admin', project: 'projectId' } } },
    async () => ({ ok: true }),
  );
  return app;
}

t.test(
  'a request id is kept when it is well-formed, made otherwise, and stands in header and error body',
  async (t) => {
    const app = build();
    const own = await app.inject({ url: '/nowhere', headers: { 'x-request-id': 'abc.1_2-3' } });
    t.equal(own.headers['x-request-id'], 'abc.1_2-3');
    t.equal(own.json<ErrorBody>().requestId, 'abc.1_2-3');
    const made = await app.inject({ url: '/nowhere', headers: { 'x-request-id': 'has spaces and\ttabs' } });
    t.match(made.headers['x-request-id'], /^[0-9a-f-]{36}$/);
  },
);

t.test('a name that would reach into the service’s objects is told as that, and not as bad JSON', async (t) => {
  const app = build();
  const post = async (payload: string) =>
    (
      await app.inject({ method: 'POST', url: '/echo', payload, headers: { 'content-type': 'application/json' } })
    ).json<ErrorBody>();
  for (const payload of [
    '{"__proto__":{"x":1},"name":"a"}',
    '{"name":"a","b":{"constructor":{"prototype":1}}}',
    '{"name":"a","b":[{"constructor":1,"\\u0074oJSON":1}]}',
  ]) {
    const { code, message } = await post(payload);
    t.equal(code, 'MALFORMED_JSON');
    t.match(message, /`__proto__`.* aren’t allowed/);
  }
  t.match(await post('{"name":"a","b":{"constructor":1},"c":{"toJSON":1}}'), { name: 'a' });
  t.match((await post('{"__proto__":')).message, /not valid JSON/);
  t.match((await post('')).message, /is empty/);
});

t.test('every kind of bad input is a coded 4xx that says what to do', async (t) => {
  const app = build();
  const post = (payload: string, contentType = 'application/json') =>
    app.inject({ method: 'POST', url: '/echo', payload, headers: { 'content-type': contentType } });
  const cases = [
    { answer: await post('{"name":'), status: 400, code: 'MALFORMED_JSON' },
    { answer: await post(''), status: 400, code: 'MALFORMED_JSON' },
    { answer: await post('{"__proto__":{"x":1},"name":"a"}'), status: 400, code: 'MALFORMED_JSON' },
    { answer: await post('{}'), status: 400, code: 'VALIDATION_FAILED', path: '/name' },
    { answer: await post('{"name":7}'), status: 400, code: 'VALIDATION_FAILED', path: '/name' },
    {
      answer: await post('{"name":"a","mode":{"fats":true}}'),
      status: 400,
      code: 'VALIDATION_FAILED',
      path: '/mode/fast',
    },
    { answer: await post('a=1', 'application/x-www-form-urlencoded'), status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
    { answer: await post('{"name":"a"}', 'text/plain;charset=UTF-8'), status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
    { answer: await post(JSON.stringify({ name: 'x'.repeat(100) })), status: 413, code: 'BODY_TOO_LARGE' },
    { answer: await app.inject({ method: 'DELETE', url: '/echo' }), status: 405, code: 'METHOD_NOT_ALLOWED' },
    { answer: await app.inject({ url: '/projects/%zz' }), status: 400, code: 'VALIDATION_FAILED' },
    { answer: await app.inject({ url: `/projects/${'x'.repeat(9_000)}` }), status: 401, code: 'INVALID_TOKEN' },
    { answer: await app.inject({ method: 'QUERY' as 'GET', url: '/key' }), status: 405, code: 'METHOD_NOT_ALLOWED' },
    { answer: await app.inject({ url: '/nowhere' }), status: 404, code: 'NOT_FOUND' },
    {
      answer: await app.inject({
        method: 'POST',
        url: '/nowhere',
        payload: '{',
        headers: { 'content-type': 'application/json' },
      }),
      status: 404,
      code: 'NOT_FOUND',
    },
  ];
  for (const { answer, status, code, path } of cases) {
    t.equal(answer.statusCode, status, code);
    t.equal(answer.json<ErrorBody>().code, code);
    if (path !== undefined) t.equal(answer.json<ErrorBody>().issues?.[0]?.path, path);
  }
});

t.test('a wrong method is told which methods the address takes', async (t) => {
  t.equal((await build().inject({ method: 'PUT', url: '/echo' })).headers.allow, 'POST');
});

t.test('a misspelt name in a strict object is told the nearest valid one', async (t) => {
  const answer = await build().inject({
    method: 'POST',
    url: '/echo',
    payload: { name: 'a', mode: { fast: true, fats: true } },
  });
  t.match(answer.json<ErrorBody>().issues, [{ path: '/mode/fats', message: /did you mean "fast"\?/ }]);
});

t.test('a bug is answered without its detail and logged with it', async (t) => {
  const log: string[] = [];
  const answer = await build(log).inject({ url: '/bug' });
  t.equal(answer.statusCode, 500);
  t.equal(answer.json<ErrorBody>().code, 'INTERNAL');
  t.notMatch(answer.body, /inner detail|\.ts|\.js/);
  t.match(log.join(''), /inner detail/);
});

t.test(
  'the access log leads from a request id to route, status and key, and holds nothing of what was sent',
  async (t) => {
    const log: string[] = [];
    const app = build(log, true);
    const headers = { 'x-api-key': 'vf_live_project', 'x-request-id': 'r-1', 'x-forwarded-for': '203.0.113.9' };
    await app.inject({ url: '/projects/proj_a?respondent=maria', headers });
    await app.inject({ url: '/nowhere/maria', headers: { 'user-agent': 'maria' } });
    t.match(
      log.map((line) => JSON.parse(line) as object).filter((line) => 'requestId' in line),
      [
        { requestId: 'r-1', method: 'GET', route: '/projects/:projectId', status: 403, keyId: 'key_1', ms: Number },
        { requestId: String, method: 'GET', route: 'unknown', status: 404, keyId: null, ms: Number },
      ],
    );
    t.notMatch(log.join(''), /maria|203\.0|vf_live/);
    const quiet: string[] = [];
    await build(quiet).inject({ url: '/nowhere' });
    t.same(quiet, [], 'it is off unless switched on');
  },
);

t.test('key errors tell nothing: no key, garbage and unknown keys get the same answer', async (t) => {
  const app = build();
  const answers = await Promise.all(
    [
      {},
      { 'x-api-key': 'garbage' },
      { 'x-api-key': 'vf_live_unknown' },
      { authorization: 'Bearer vf_live_unknown' },
      { authorization: 'Basic x' },
    ].map((headers) => app.inject({ url: '/key', headers: { ...headers, 'x-request-id': 'r' } })),
  );
  for (const answer of answers) {
    t.equal(answer.statusCode, 401);
    t.equal(answer.body, answers[0]?.body);
  }
  const probeKey = await app.inject({ url: '/key', headers: { 'x-api-key': 'pk_anything' } });
  const siteKey = await app.inject({ url: '/key', headers: { 'x-api-key': 'proj_anything' } });
  t.match(siteKey.json<ErrorBody>(), { code: 'INVALID_KEY', message: /^Site keys can’t call the API/ });
  t.match(probeKey.json<ErrorBody>(), { code: 'INVALID_KEY', message: /^Probe keys can’t call the API/ });
});

t.test('a key is taken as X-API-Key and as Bearer, and needs the scope of the route', async (t) => {
  const app = build();
  t.same((await app.inject({ url: '/key', headers: { 'x-api-key': 'vf_live_project' } })).json(), { keyId: 'key_1' });
  t.same((await app.inject({ url: '/key', headers: { authorization: 'bearer vf_live_project' } })).json(), {
    keyId: 'key_1',
  });
  const refused = await app.inject({ url: '/scoped', headers: { 'x-api-key': 'vf_live_project' } });
  t.match(
    { status: refused.statusCode, ...refused.json<ErrorBody>() },
    { status: 403, code: 'INSUFFICIENT_SCOPE', message: /keys:write/ },
  );
});

t.test('a dashboard route asks for role and ownership; what is another’s is as if it were not there', async (t) => {
  const app = build();
  const get = (projectId: string, headers: Record<string, string>) =>
    app.inject({ url: `/projects/${projectId}`, headers: { ...headers, 'x-request-id': 'r' } });
  t.equal((await get('proj_a', { authorization: 'Bearer admin' })).statusCode, 200);
  t.equal((await get('proj_a', { 'x-api-key': 'vf_org_live_organization' })).statusCode, 200);
  t.equal((await get('proj_a', { authorization: 'Bearer member' })).json<ErrorBody>().code, 'INSUFFICIENT_SCOPE');
  t.equal((await get('proj_a', { 'x-api-key': 'vf_live_project' })).json<ErrorBody>().code, 'INSUFFICIENT_SCOPE');
  t.equal((await get('proj_a', {})).json<ErrorBody>().code, 'INVALID_TOKEN');
  const others = await get('proj_other', { authorization: 'Bearer admin' });
  const none = await get('proj_none', { authorization: 'Bearer admin' });
  t.equal(others.statusCode, 404);
  t.equal(others.body, none.body);
});

t.test('a route without declared access does not register', async (t) => {
  const app = build();
  t.throws(() => app.get('/unguarded', async () => ({})), /declares no access/);
});

t.test('a route that names a project, an organization or a key and does not say whose does not register', async (t) => {
  const app = build();
  const access = { credential: 'dashboard-or-key', modes } as const;
  for (const [url, owner] of [
    ['/a/:projectId', 'project'],
    ['/b/:orgId/c', 'organization'],
    ['/d/:keyId', 'key'],
  ] as const) {
    t.throws(
      () => app.get(url, { config: { access } }, async () => ({})),
      { message: new RegExp(`names a ${owner}`) },
      url,
    );
  }
  t.doesNotThrow(() =>
    app.get(
      '/e/:projectId/:keyId',
      { config: { access: { ...access, project: 'projectId', key: 'keyId' } } },
      async () => ({}),
    ),
  );
});

t.test(
  'a key is found under its owner only: another project, another tier and another organization are one 404',
  async (t) => {
    const keyOwners: Readonly<Record<string, { organizationId: string; projectId: string | null }>> = {
      key_own: { organizationId: 'org_a', projectId: 'proj_a' },
      key_sibling: { organizationId: 'org_a', projectId: 'proj_b' },
      key_tier: { organizationId: 'org_a', projectId: null },
      key_other: { organizationId: 'org_z', projectId: 'proj_a' },
    };
    const app = createApp({
      ...deps,
      findKeyOwner: async (keyId) => keyOwners[keyId] ?? null,
      logger: createLogger('silent', { write: () => undefined }),
      metrics: createMetrics(),
    });
    app.get(
      '/projects/:projectId/keys/:keyId',
      { config: { access: { credential: 'dashboard-or-key', modes, project: 'projectId', key: 'keyId' } } },
      async () => ({}),
    );
    const get = (keyId: string) =>
      app.inject({
        url: `/projects/proj_a/keys/${keyId}`,
        headers: { 'x-api-key': 'vf_live_project', 'x-request-id': 'r' },
      });
    t.equal((await get('key_own')).statusCode, 200);
    const none = await get('key_none');
    t.equal(none.statusCode, 404);
    for (const keyId of ['key_sibling', 'key_tier', 'key_other']) t.equal((await get(keyId)).body, none.body, keyId);
  },
);

t.test(
  'limits are taken of every key call but those whose handler takes them, the end of a trial closes all but what stays open',
  async (t) => {
    let taken = 0;
    const app = createApp({
      ...deps,
      logger: createLogger('silent', { write: () => undefined }),
      metrics: createMetrics(),
      takeKeyRate: async () => void (taken += 1),
      requireTrial: async () => {
        throw new Fault('TRIAL_EXPIRED', 'ended');
      },
    });
    app.get('/closed', { config: { access: { credential: 'api-key', modes } } }, async () => ({}));
    app.get('/open', { config: { access: { credential: 'api-key', modes, afterTrial: true } } }, async () => ({}));
    app.get(
      '/own',
      { config: { access: { credential: 'api-key', modes, afterTrial: true, limits: 'handler' } } },
      async () => ({}),
    );
    app.get('/dashboard', { config: { access: { credential: 'dashboard-or-key', modes } } }, async () => ({}));
    const get = async (
      url: string,
      headers: Record<string, string> = { 'x-api-key': 'vf_live_project' },
    ): Promise<number> => (await app.inject({ url, headers })).statusCode;
    t.same([await get('/closed'), await get('/open'), await get('/own')], [402, 200, 200]);
    t.equal(taken, 2);
    t.equal(await get('/dashboard', { authorization: 'Bearer member' }), 200);
    t.equal(taken, 2, 'a dashboard call is no key’s');
  },
);

t.test('no answer lacks the security headers', async (t) => {
  const app = build();
  for (const url of ['/key', '/nowhere', '/bug']) {
    t.match((await app.inject({ url })).headers, { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  }
});

t.test('a body of any depth is a 400 that says so', async (t) => {
  const app = build();
  for (const levels of [65, 5_000, 200_000]) {
    const payload = `{"name":"a","deep":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const answer = await app.inject({
      method: 'POST',
      url: '/deep',
      payload,
      headers: { 'content-type': 'application/json' },
    });
    t.match(answer.json(), { code: 'VALIDATION_FAILED', message: /nested deeper than 64 levels/ }, `${levels} levels`);
    t.equal(answer.statusCode, 400);
  }
});

t.test('a client that writes far too much before it reads gets its 413', async (t) => {
  const app = build();
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  t.teardown(() => app.close());
  const head = 'POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
  const chunk = Buffer.alloc(65_536, 0x20);
  const told = { head: `content-length: ${100 * chunk.length}\r\n\r\n`, piece: [chunk], end: '' };
  const chunked = { head: 'transfer-encoding: chunked\r\n\r\n', piece: ['10000\r\n', chunk, '\r\n'], end: '0\r\n\r\n' };
  for (const form of [told, chunked]) {
    const socket = connect(Number(port), '127.0.0.1').pause();
    const write = (bytes: string | Buffer): Promise<void> =>
      new Promise((resolve, reject) => socket.write(bytes, (error) => (error == null ? resolve() : reject(error))));
    await write(head + form.head);
    for (let sent = 0; sent < 100; sent += 1) for (const bytes of form.piece) await write(bytes);
    await write(form.end);
    const answer = await text(socket);
    t.match(answer, /^HTTP\/1\.1 413 [^]*"code":"BODY_TOO_LARGE"/);
  }
});

t.test('what is no HTTP is refused with the body of every other refusal', async (t) => {
  const app = build();
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  t.teardown(() => app.close());
  const send = async (request: string): Promise<string> => text(connect(Number(port), '127.0.0.1').end(request));
  const broken = await send('GET /key HTTP/1.1\r\nhost: localhost\r\nx-api-key: vf_live_\nvf\r\n\r\n');
  t.match(
    broken,
    /^HTTP\/1\.1 400 Bad Request\r\n[^]*"code":"VALIDATION_FAILED","message":"The request is malformed HTTP/,
  );
  t.match(broken, /x-request-id: [0-9a-f-]{36}\r\n/);
  const long = await send(`GET /key HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${'k'.repeat(40_000)}\r\n\r\n`);
  t.match(long, /^HTTP\/1\.1 431 [^]*"code":"VALIDATION_FAILED","message":"The headers are larger/);
});
