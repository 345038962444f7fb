import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { setImmediate as setImmediatePromise } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { describeBlocked, describeCameraBlocked } from '../../../sdk/widget/csp.js';
import {
  createTransport,
  readRetryAfter,
  transportLimits,
  type Call,
  type TransportLimits,
} from '../../../sdk/widget/http.js';

/** A server whose n-th answer the test says, and a transport whose waits are written down and not made. */
async function serve(
  t: Test,
  answer: (request: IncomingMessage, response: ServerResponse, count: number) => void,
  limits: Partial<TransportLimits> = {},
  blocked: string | null = null,
) {
  let count = 0;
  const waits: number[] = [];
  const server = createServer((request, response) => answer(request, response, ++count));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const call = createTransport({
    fetch,
    random: () => 0.5,
    now: () => performance.now(),
    wait: async (ms) => void waits.push(ms),
    csp: { find: async () => blocked },
    limits: { ...transportLimits, ...limits },
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const ask = (over: Partial<Call> = {}) => call({ method: 'GET', url, ...over }, new AbortController().signal);
  return { call: ask, waits, counted: () => count };
}

const send = (response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

t.test('the limits are 15 s a request, two retries, 45 s in all', (t) => {
  t.match(transportLimits, { requestMs: 15_000, totalMs: 45_000, retries: 2 });
  t.end();
});

t.test('a request ends after 15 s and a call after 45 s, by a moved clock', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  let clockMs = 0;
  const endedAtMs: number[] = [];
  const advance = (ms: number) => {
    clockMs += ms;
    mock.timers.tick(ms);
  };
  const call = createTransport({
    fetch: (_url, { signal } = {}) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          endedAtMs.push(clockMs);
          reject(new Error('aborted'));
        });
      }),
    random: () => 0.5,
    now: () => clockMs,
    wait: async (ms) => advance(ms),
    csp: { find: async () => null },
    limits: transportLimits,
  });
  let ended: unknown;
  void call({ method: 'GET', url: 'http://127.0.0.1/' }, new AbortController().signal).then(
    (answer) => (ended = answer),
  );
  for (let step = 0; step < 60 && ended === undefined; step += 1) {
    await setImmediatePromise();
    if (ended === undefined) advance(1_000);
  }
  t.match(ended, { kind: 'trouble', reason: 'timeout', message: /15 seconds/ });
  t.equal(endedAtMs.length, 3);
  const [first = 0, second = 0, third = 0] = endedAtMs;
  t.equal(first, 15_000);
  t.ok(second - first >= 15_000 && second - first < 17_000, `the second took ${second - first}`);
  t.ok(third <= 46_000, `all of it ended at ${third}`);
});

t.test('a failing service is asked three times, with growing waits', async (t) => {
  const { call, waits, counted } = await serve(t, (_, response) => send(response, 503, {}));
  t.match(await call(), { kind: 'trouble', reason: 'server' });
  t.equal(counted(), 3);
  t.strictSame(waits, [500, 1000]);
});

t.test('a refusal is final, and told as it came', async (t) => {
  const { call, counted } = await serve(t, (_, response) => send(response, 403, { code: 'ORIGIN_NOT_ALLOWED' }));
  t.match(await call(), { kind: 'reply', status: 403, body: { code: 'ORIGIN_NOT_ALLOWED' } });
  t.equal(counted(), 1);
});

t.test('too many requests wait once for as long as Retry-After says', async (t) => {
  const { call, waits, counted } = await serve(t, (_, response) => send(response, 429, {}, { 'retry-after': '7' }));
  t.match(await call(), { kind: 'reply', status: 429 });
  t.strictSame(waits, [7000]);
  t.equal(counted(), 2);
  const long = await serve(t, (_, response) => send(response, 429, {}, { 'retry-after': '3600' }));
  t.match(await long.call(), { status: 429 });
  t.equal(long.counted(), 1, 'longer than the call may take in all');
  const patient = await serve(t, (_, response, count) =>
    send(response, count === 1 ? 429 : 200, {}, count === 1 ? { 'retry-after': '60' } : {}),
  );
  t.match(await patient.call({ waitMsMax: 60_000 }), { status: 200 }, 'unless the call may wait for a whole window');
  t.strictSame(patient.waits, [60_000]);
});

t.test('a limit that ends within 2 s is waited for as often as a failing service is', async (t) => {
  const brief = (until: number) =>
    serve(t, (_, response, count) =>
      send(response, count < until ? 429 : 200, {}, count < until ? { 'retry-after': '1' } : {}),
    );
  const busy = await brief(4);
  t.match(await busy.call(), { status: 200 });
  t.strictSame(busy.waits, [1000, 1000, 1000]);
  const full = await brief(9);
  t.match(await full.call(), { kind: 'reply', status: 429, retryAfterMs: 1000 }, 'then it is final');
  t.equal(full.counted(), 4);
});

t.test('a service that does not answer is a timeout, one that is not there a network error with E030', async (t) => {
  const slow = await serve(t, () => undefined, { requestMs: 40 });
  t.match(await slow.call(), { kind: 'trouble', reason: 'timeout' });
  // The server does not see a request that ended before it was accepted.
  t.equal(slow.waits.length, 2, 'after two more tries');
  const gone = await serve(t, (request) => request.socket.destroy());
  t.match(await gone.call(), {
    kind: 'trouble',
    reason: 'network',
    message: /^E030: 127\.0\.0\.1:\d+ can’t be reached/,
  });
});

t.test('a request that the page’s policy blocks is not repeated', async (t) => {
  const { call, waits, counted } = await serve(t, (request) => request.socket.destroy(), {}, 'E030: blocked');
  t.match(await call(), { kind: 'trouble', reason: 'network', message: 'E030: blocked' });
  t.equal(counted(), 1);
  t.strictSame(waits, []);
});

t.test('an answer after a failure says that an earlier try may have arrived', async (t) => {
  const { call } = await serve(t, (_, response, count) =>
    count === 1 ? send(response, 500, {}) : send(response, 409, { code: 'SESSION_COMPLETED' }),
  );
  t.match(await call(), { status: 409, repeated: true });
});

t.test('a date of Retry-After is held against the clock of the day', async (t) => {
  const inTenSeconds = new Date(Date.now() + 10_000).toUTCString();
  const { call, waits } = await serve(t, (_request, response, count) =>
    count === 1 ? send(response, 503, {}, { 'retry-after': inTenSeconds }) : send(response, 200, {}),
  );
  t.match(await call(), { kind: 'reply', status: 200 });
  t.equal(waits.length, 1);
  t.ok(waits[0]! > 5_000 && waits[0]! <= 10_000, `waits ${waits[0]} ms`);
});

t.test('a success that is no JSON object is no answer of the service', async (t) => {
  const { call } = await serve(t, (_request, response) => response.writeHead(200).end('<html>Log in</html>'));
  t.match(await call(), { kind: 'trouble', reason: 'server', message: /not return a JSON object/ });
});

t.test('Retry-After is seconds or a date', (t) => {
  t.equal(readRetryAfter('3', 0), 3000);
  t.equal(readRetryAfter('Thu, 01 Jan 1970 00:00:05 GMT', 1000), 4000);
  t.equal(readRetryAfter('soon', 0), null);
  t.equal(readRetryAfter(null, 0), null);
  t.end();
});

t.test('a blocked request names the directive and the host to add, and nothing that blocks something else', (t) => {
  const url = 'https://api.example/api/v1/public/verify';
  const ours = { blockedURI: url, effectiveDirective: 'connect-src', disposition: 'enforce' };
  t.match(describeBlocked(url, [ours]), /^E030: .*connect-src 'self' https:\/\/api\.example$/);
  t.match(describeBlocked(url, [{ ...ours, blockedURI: 'https://api.example' }]), /^E030/, 'where origins are told');
  for (const other of [
    { effectiveDirective: 'img-src' },
    { effectiveDirective: 'script-src-elem' },
    { disposition: 'report' },
    { blockedURI: 'https://api.example/other' },
    { blockedURI: 'https://other.example/api/v1/public/verify' },
    { blockedURI: 'inline' },
  ])
    t.equal(describeBlocked(url, [{ ...ours, ...other }]), null, JSON.stringify(other));
  t.end();
});

t.test('of the camera part, its file, its worker and its models are told', (t) => {
  const models = 'https://cdn.example/models/';
  const describe = (blockedURI: string, effectiveDirective: string, disposition = 'enforce') =>
    describeCameraBlocked(models, [{ blockedURI, effectiveDirective, disposition }]);
  const file = 'https://api.example/sdk/v1/verifyhuman.capture.js';
  t.match(describe(file, 'script-src-elem'), /script-src 'self' https:\/\/api\.example$/);
  t.match(describe('blob', 'worker-src'), /worker-src 'self' blob:$/);
  t.match(describe(`${models}iris.bin`, 'connect-src'), /connect-src 'self' https:\/\/cdn\.example$/);
  t.match(describe('https://cdn.example', 'connect-src'), /connect-src 'self' https:\/\/cdn\.example$/);
  t.equal(describe(file, 'script-src-elem', 'report'), null);
  t.equal(describe('https://ads.example/x.js', 'script-src-elem'), null);
  t.equal(describe('https://ads.example/x', 'connect-src'), null);
  t.equal(describe('blob', 'img-src'), null);
  t.end();
});
