import t from 'tap';
import { createClient, VerifyHumanError } from '../../../sdk/node/index.js';
import { hangUp, reply, silence, startFlakyServer, type Answer } from '../../helpers/flaky-server.js';
import { scoreReply } from '../../helpers/score-reply.js';

const request = { sessionId: 's-1', clientIp: '192.0.2.24' };
const apiKey = 'vf_live_x';
const fine = reply(200, scoreReply());
const away = reply(503, { code: 'OVERLOADED', message: 'Come back.', requestId: 'r-1' }, { 'x-request-id': 'r-1' });
const refused = (status: number, code: string, headers = {}): Answer =>
  reply(
    status,
    { code, message: 'No.', requestId: 'r-2', issues: [{ path: '/clientIp', message: 'is no address' }] },
    headers,
  );
const errorOf = async (call: Promise<unknown>): Promise<VerifyHumanError> => {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof VerifyHumanError) return error;
  throw new Error(`not a VerifyHumanError: ${String(error)}`);
};

t.test('503, 429, a broken connection and a slow try are tried again, under one Idempotency-Key', async (t) => {
  const { seen, baseUrl } = await startFlakyServer(t, [away, hangUp, refused(429, 'RATE_LIMIT_EXCEEDED'), fine]);
  const client = createClient({ apiKey, baseUrl, deadlineMs: 10_000 });
  t.match(await client.score(request), { receiptId: 'rcpt_1' });
  t.equal(seen.length, 4);
  const keys = new Set(seen.map(({ headers }) => headers['idempotency-key']));
  t.match([...keys], [/^[0-9a-f-]{36}$/]);
  t.equal(keys.size, 1);
  t.match(seen[0], { url: '/api/v1/lite/score', headers: { 'x-api-key': apiKey }, body: request });
  await client.score(request);
  t.not(seen[4]?.headers['idempotency-key'], seen[0]?.headers['idempotency-key'], 'another call, another key');
  await client.score(request, { idempotencyKey: 'mine' });
  t.equal(seen[5]?.headers['idempotency-key'], 'mine');
});

t.test('a try that hangs is given up for another; the deadline ends them all', async (t) => {
  const once = await startFlakyServer(t, [silence, fine]);
  t.match(await createClient({ apiKey, baseUrl: once.baseUrl, attemptMs: 60, deadlineMs: 10_000 }).score(request), {
    receiptId: 'rcpt_1',
  });
  const ever = await startFlakyServer(t, [silence]);
  const client = createClient({ apiKey, baseUrl: ever.baseUrl, attemptMs: 60_000, deadlineMs: 80 });
  const startedAt = performance.now();
  t.match(await errorOf(client.score(request)), { code: 'TIMEOUT', httpStatus: null, isUnavailable: true });
  t.ok(performance.now() - startedAt >= 75);
  t.equal(ever.seen.length, 1);
});

t.test('Retry-After is waited for, and where it passes the deadline nothing is waited for', async (t) => {
  const soon = await startFlakyServer(t, [refused(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '1' }), fine]);
  await createClient({ apiKey, baseUrl: soon.baseUrl, deadlineMs: 10_000 }).score(request);
  t.ok((soon.seen[1]?.at ?? 0) - (soon.seen[0]?.at ?? 0) >= 995);
  const late = await startFlakyServer(t, [refused(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '60' })]);
  const error = await errorOf(createClient({ apiKey, baseUrl: late.baseUrl, deadlineMs: 5_000 }).score(request));
  t.match(error, {
    code: 'RATE_LIMIT_EXCEEDED',
    httpStatus: 429,
    attempts: 1,
    retryAfterMs: 60_000,
    isUnavailable: true,
  });
  const dated = await startFlakyServer(t, [
    refused(503, 'OVERLOADED', { 'retry-after': new Date(Date.now() + 90_000).toUTCString() }),
  ]);
  const { retryAfterMs } = await errorOf(createClient({ apiKey, baseUrl: dated.baseUrl }).score(request));
  t.ok((retryAfterMs ?? 0) > 60_000 && (retryAfterMs ?? 0) <= 90_000);
});

t.test('retries end at retriesMax, with the last error', async (t) => {
  const { seen, baseUrl } = await startFlakyServer(t, [away]);
  const error = await errorOf(createClient({ apiKey, baseUrl, retriesMax: 2, deadlineMs: 10_000 }).score(request));
  t.match(error, { code: 'OVERLOADED', httpStatus: 503, requestId: 'r-1', attempts: 3 });
  t.equal(seen.length, 3);
});

t.test('no other answer is tried again; the error carries code, status, request id and issues', async (t) => {
  for (const status of [400, 401, 404, 409, 500, 501]) {
    const { seen, baseUrl } = await startFlakyServer(t, [refused(status, 'SOME_CODE', { 'x-request-id': 'r-2' })]);
    const error = await errorOf(createClient({ apiKey, baseUrl }).score(request));
    t.match(error, {
      code: 'SOME_CODE',
      httpStatus: status,
      requestId: 'r-2',
      issues: [{ path: '/clientIp' }],
      attempts: 1,
    });
    t.equal(error.isUnavailable, status >= 500);
    t.equal(seen.length, 1, String(status));
  }
});

t.test('a gateway that answers in place of the service is tried again, and is an unreachable service', async (t) => {
  for (const status of [502, 503, 504]) {
    const gateway = reply(status, '<html>Bad Gateway</html>', { 'content-type': 'text/html' });
    const { seen, baseUrl } = await startFlakyServer(t, [gateway, fine]);
    t.match(await createClient({ apiKey, baseUrl, deadlineMs: 10_000 }).score(request), { receiptId: 'rcpt_1' });
    t.equal(seen.length, 2);
    const ever = await startFlakyServer(t, [gateway]);
    const client = createClient({ apiKey, baseUrl: ever.baseUrl, deadlineMs: 10_000, retriesMax: 1 });
    const message = new RegExp(`gateway answered ${status} .*Check the service`);
    t.match(await errorOf(client.score(request)), {
      ...{ code: 'NETWORK_ERROR', httpStatus: status, isUnavailable: true, attempts: 2, message },
    });
  }
});

t.test('what is not the service is told as such, and a redirect does not get the key', async (t) => {
  const other = await startFlakyServer(t, [fine]);
  for (const answer of [
    reply(200, '<html>', { 'content-type': 'text/html' }),
    reply(200, { score: 0 }),
    reply(404, 'not here'),
    reply(307, '', { location: `${other.baseUrl}/lite/score` }),
  ]) {
    const { baseUrl } = await startFlakyServer(t, [answer]);
    const error = await errorOf(createClient({ apiKey, baseUrl, failMode: 'open' }).decide(request));
    t.equal(error.code, 'UNEXPECTED_ANSWER');
  }
  t.equal(other.seen.length, 0);
});

t.test('fail open answers a decision that says what it is; fail closed throws; a refusal always throws', async (t) => {
  const { baseUrl } = await startFlakyServer(t, [away]);
  const open = createClient({ apiKey, baseUrl, failMode: 'open', retriesMax: 0 });
  const decision = await open.decide(request);
  t.match(decision, {
    degraded: true,
    action: 'allow',
    because: 'unavailable',
    duplicateBand: null,
    sweep: true,
    score: null,
  });
  t.equal(decision.degraded && decision.error.code, 'OVERLOADED');
  t.match(await errorOf(open.score(request)), { code: 'OVERLOADED' }, 'score never answers without a score');
  t.match(await errorOf(open.decide(request, { failMode: 'closed' })), { code: 'OVERLOADED' });
  t.match(await errorOf(createClient({ apiKey, baseUrl, retriesMax: 0 }).decide(request)), { code: 'OVERLOADED' });
  for (const [status, code] of [
    [401, 'INVALID_KEY'],
    [400, 'VALIDATION_FAILED'],
    [429, 'QUOTA_EXCEEDED'],
  ] as const) {
    const strict = await startFlakyServer(t, [refused(status, code)]);
    const client = createClient({ apiKey, baseUrl: strict.baseUrl, failMode: 'open', retriesMax: 0 });
    t.match(await errorOf(client.decide(request)), { code });
  }
  const nobody = createClient({ apiKey, baseUrl: 'http://127.0.0.1:1/api/v1', failMode: 'open', retriesMax: 0 });
  t.match(await nobody.decide(request), { degraded: true, error: { code: 'NETWORK_ERROR' } });
});

t.test('a signal calls a call off, at once and with its own reason', async (t) => {
  const { seen, baseUrl } = await startFlakyServer(t, [refused(503, 'OVERLOADED', { 'retry-after': '30' })]);
  const client = createClient({ apiKey, baseUrl, deadlineMs: 60_000, failMode: 'open' });
  const controller = new AbortController();
  const call = client.decide(request, { signal: controller.signal });
  controller.abort(new Error('the respondent left'));
  await t.rejects(call, { message: 'the respondent left' });
  t.ok(seen.length <= 1);
});

t.test('options that cannot be used are refused before anything is sent', (t) => {
  const baseUrl = 'https://verify.example/api/v1';
  for (const [options, message] of [
    [{ apiKey: '', baseUrl }, /missing/],
    [{ apiKey: 'pk_abc', baseUrl }, /probe key/],
    [{ apiKey: 'secret', baseUrl }, /begin with "vf_"/],
    [{ apiKey: `${apiKey}\n`, baseUrl }, /white space/],
    [{ apiKey, baseUrl: 'https://verify.example:3001/v1' }, /audience API.*"\/api\/v1"/],
    [{ apiKey, baseUrl: 'verify.example' }, /baseUrl/],
    [
      { apiKey, baseUrl: 'https://verify.example/' },
      /"https:\/\/verify.example" .*Give "https:\/\/verify.example\/api\/v1"/,
    ],
    [{ apiKey, baseUrl, failMode: 'maybe' as 'open' }, /failMode/],
    [{ apiKey, baseUrl, retriesMax: -1 }, /retriesMax/],
    [{ apiKey, baseUrl, deadlineMs: 0.5 }, /deadlineMs/],
  ] as const)
    t.throws(() => createClient(options), { code: 'INVALID_OPTION', message });
  t.end();
});

t.test('a secret key in a browser, or in a worker of one, refuses to run', (t) => {
  const options = { apiKey, baseUrl: 'https://verify.example/api/v1' };
  for (const [name, value] of [
    ['document', {}],
    ['importScripts', () => undefined],
  ] as const) {
    Object.defineProperty(globalThis, name, { value, configurable: true });
    t.throws(() => createClient(options), { code: 'INVALID_OPTION', message: /in a browser.*rotate/ }, name);
    Reflect.deleteProperty(globalThis, name);
  }
  t.ok(createClient(options));
  t.end();
});
