import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { FastifyInstance } from 'fastify';
import type { ErrorBody } from '../../src/contract/common.js';
import type { ScoreRequest } from '../../src/contract/score.js';
import { registerDemoRoutes, type DemoDeps } from '../../src/demo/routes.js';
import { Fault, storeUnavailable } from '../../src/errors.js';
import { userAgentLengthMax } from '../../src/limits.js';
import { packageRoot } from '../../src/package-root.js';
import { createBareApp } from '../helpers/bare-app.js';

const salt = 'salt-of-this-installation';
const visit = { sessionId: 'session-1', visitorId: 'visitor-1' };

interface DemoReply {
  readonly request: ScoreRequest;
  readonly reply: { readonly score: number };
  readonly unmeasured: readonly string[];
}

async function build(overrides: Partial<DemoDeps> = {}): Promise<FastifyInstance> {
  const app = createBareApp({
    verifyDashboardToken: async () => {
      throw new Fault('INVALID_TOKEN', 'no');
    },
  });
  await registerDemoRoutes(app, {
    siteUrl: () => 'http://survey.test:1',
    probeKey: 'pk_"probe"',
    projectId: 'proj_1',
    salt,
    score: async () => '{"score":7,"categories":{},"degradedSignals":[]}',
    ...overrides,
  });
  return app;
}

const post = (app: FastifyInstance, payload: object | string, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url: '/demo/score',
    payload,
    headers: { 'content-type': 'application/json', 'user-agent': 'Agent/1', ...headers },
  });

t.test(
  'every visit is rendered with a session of its own, the probe key escaped, and nothing left to fill in',
  async (t) => {
    const app = await build();
    const [first, second] = await Promise.all([app.inject('/demo'), app.inject('/demo/')]);
    t.equal(first.statusCode, 200);
    t.match(first.headers['content-type'], /^text\/html/);
    t.equal(first.headers['cache-control'], 'no-store');
    const sessionOf = (html: string) => /data-session-id="([0-9a-f-]{36})"/.exec(html)?.[1];
    t.ok(sessionOf(first.body));
    t.not(sessionOf(first.body), sessionOf(second.body));
    t.match(first.body, 'data-project-key="pk_&quot;probe&quot;"');
    t.match(first.body, 'data-site-url="http://survey.test:1"');
    t.notMatch(first.body, /\{\{|\}\}/);
    t.notMatch(first.body, salt);
  },
);

t.test(
  'the policy allows what the probe needs and nothing inline or from elsewhere, and the page keeps to it',
  async (t) => {
    const { headers, body } = await (await build()).inject('/demo');
    const policy = String(headers['content-security-policy']);
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "worker-src 'self' blob:",
      "frame-src 'self' about:",
      "frame-ancestors 'none'",
      "form-action 'none'",
    ]) {
      t.ok(policy.split('; ').includes(part), part);
    }
    t.notMatch(policy, /unsafe|\*|https?:/);
    t.notMatch(body, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc="\/)/);
    t.notMatch(body, /(?:src|href)="(?:https?:)?\/\//);
  },
);

t.test('every file that the page is made of is served with its type, and nothing beside them', async (t) => {
  const app = await build();
  const types: Readonly<Record<string, RegExp>> = {
    js: /^(?:text|application)\/javascript/,
    css: /^text\/css/,
    svg: /^image\/svg/,
  };
  for (const name of readdirSync(join(packageRoot, 'src/demo/page/assets'))) {
    const { statusCode, headers } = await app.inject(`/demo/assets/${name}`);
    t.equal(statusCode, 200, name);
    t.match(headers['content-type'], types[name.split('.').at(-1) ?? ''] ?? /^$/, name);
  }
  for (const url of [
    '/demo/assets/none.js',
    '/demo/assets/',
    '/demo/assets/../index.html',
    '/demo/assets/%2e%2e/index.html',
  ]) {
    t.equal((await app.inject(url)).statusCode, 404, url);
  }
});

t.test('the request is the one a backend would send, and stands next to the reply as it came', async (t) => {
  const scored: ScoreRequest[] = [];
  const app = await build({
    score: async (request) => {
      scored.push(request);
      return '{"score":7,"categories":{"network":0},"degradedSignals":["geo_unavailable","network_unavailable"]}';
    },
  });
  const answer = await post(app, { ...visit, declaredCountry: 'DE' });
  t.equal(answer.statusCode, 200);
  t.match(answer.headers['content-type'], /^application\/json/);
  const { request, reply, unmeasured } = answer.json<DemoReply>();
  t.match(reply, { score: 7 });
  t.strictSame(unmeasured, ['network']);
  t.strictSame(scored, [request]);
  t.strictSame(request, {
    sessionId: 'session-1',
    clientIp: '127.0.0.1',
    userAgent: 'Agent/1',
    studyId: 'demo-study',
    sourceId: 'demo-page',
    respondentId: createHash('sha256').update(`${salt}|visitor-1`).digest('hex'),
    declaredCountry: 'DE',
  });
});

t.test('a retry of one visitor is the same request, and another visitor another person', async (t) => {
  const app = await build();
  const [first, again, other] = await Promise.all([
    post(app, visit),
    post(app, visit),
    post(app, { ...visit, visitorId: 'visitor-2' }),
  ]);
  t.equal(first.body, again.body);
  t.not(first.json<DemoReply>().request.respondentId, other.json<DemoReply>().request.respondentId);
  t.notMatch(first.body, /visitor-1|salt-of/);
});

t.test('the address is the peer’s, as a request may carry it', async (t) => {
  const app = await build();
  const from = async (remoteAddress: string) =>
    (
      await app.inject({
        method: 'POST',
        url: '/demo/score',
        payload: visit,
        remoteAddress,
        headers: { 'x-forwarded-for': '198.51.100.9' },
      })
    ).json<DemoReply>().request.clientIp;
  t.equal(await from('203.0.113.4'), '203.0.113.4');
  t.equal(await from('::ffff:203.0.113.4'), '203.0.113.4');
  t.equal(await from('fe80::1%eth0'), 'fe80::1');
  t.equal(await from('::1'), '::1');
});

t.test('a user agent that is too long is cut, not refused', async (t) => {
  const answer = await post(await build(), visit, { 'user-agent': 'x'.repeat(userAgentLengthMax + 1) });
  t.equal(answer.json<DemoReply>().request.userAgent?.length, userAgentLengthMax);
});

t.test('what is wrong with a call is a coded answer', async (t) => {
  const app = await build();
  const cases = [
    { answer: await post(app, {}), status: 400, code: 'VALIDATION_FAILED', path: '/sessionId' },
    { answer: await post(app, { sessionId: 'session-1' }), status: 400, code: 'VALIDATION_FAILED', path: '/visitorId' },
    {
      answer: await post(app, { ...visit, declaredCountry: 'Germany' }),
      status: 400,
      code: 'VALIDATION_FAILED',
      path: '/declaredCountry',
    },
    {
      answer: await post(app, { ...visit, visitorId: 'x'.repeat(257) }),
      status: 400,
      code: 'VALIDATION_FAILED',
      path: '/visitorId',
    },
    { answer: await post(app, '{'), status: 400, code: 'MALFORMED_JSON' },
    { answer: await app.inject({ url: '/demo/score' }), status: 405, code: 'METHOD_NOT_ALLOWED' },
    { answer: await post(app, 'x'.repeat(1_100_000)), status: 413, code: 'BODY_TOO_LARGE' },
    {
      answer: await post(app, 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }),
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    },
  ];
  for (const { answer, status, code, path } of cases) {
    t.equal(answer.statusCode, status, code);
    t.equal(answer.json<ErrorBody>().code, code);
    if (path !== undefined) t.equal(answer.json<ErrorBody>().issues?.[0]?.path, path);
  }
});

t.test('faults of scoring come through as scoring answers them', async (t) => {
  const cases = [
    { thrown: new Fault('INVALID_KEY', 'no key'), status: 401, code: 'INVALID_KEY' },
    { thrown: new Fault('NOT_FOUND', 'not enabled'), status: 404, code: 'NOT_FOUND' },
    {
      thrown: new Fault('RATE_LIMIT_EXCEEDED', 'wait', { headers: { 'retry-after': '9' } }),
      status: 429,
      code: 'RATE_LIMIT_EXCEEDED',
      retryAfter: '9',
    },
    { thrown: new Error('inner detail'), status: 500, code: 'INTERNAL' },
    { thrown: storeUnavailable('log is away'), status: 503, code: 'STORE_UNAVAILABLE', retryAfter: '1' },
  ];
  for (const { thrown, status, code, retryAfter } of cases) {
    const answer = await post(await build({ score: () => Promise.reject(thrown) }), visit);
    t.equal(answer.statusCode, status, code);
    t.equal(answer.json<ErrorBody>().code, code);
    t.equal(answer.headers['retry-after'], retryAfter);
    t.notMatch(answer.body, /inner detail|log is away/);
  }
});
