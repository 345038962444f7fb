import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { PassThrough, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import type { ErrorBody } from '../../src/contract/common.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { waitUntil } from '../helpers/wait-until.js';
import { createBareApp } from '../helpers/bare-app.js';

/** An app that listens. `overload` resolves once it refuses requests, to those that it accepted before, which wait for `answer`; `read` is called when a key is looked up. */
async function openApp(t: Test, read: () => void = () => undefined, lines: Writable | null = null) {
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const metrics = createMetrics();
  const app = createBareApp({
    findKey: async () => {
      read();
      return null;
    },
    logger: lines === null ? createLogger('silent') : createLogger('info', lines),
    accessLog: lines !== null,
    metrics,
  });
  const open = { config: { access: { credential: 'none' }, sheddable: true } } as const;
  app.get('/slow', open, async () => answered.then(() => ({})));
  app.post('/slow', open, async () => answered.then(() => ({})));
  app.post('/work', open, async () => ({}));
  app.get(
    '/guarded',
    { config: { access: { credential: 'api-key', modes: ['live'] }, sheddable: true } },
    async () => ({}),
  );
  app.get('/other', { config: { access: { credential: 'none' } } }, async () => ({}));
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  t.teardown(() => {
    answer();
    return app.close();
  });
  const guarded = () => app.inject({ url: '/guarded', headers: { 'x-api-key': 'vf_live_unknown' } });
  const overload = async () => {
    const waiting = Array.from({ length: 64 }, () => fetch(`${origin}/slow`));
    await waitUntil(async () => (await guarded()).statusCode === 503, 'requests are refused', 10_000);
    return waiting;
  };
  return { app, metrics, origin, guarded, overload, answer: () => answer() };
}

t.test(
  'under overload: 503 with Retry-After before the key is looked up, and accepted again once the others are answered',
  async (t) => {
    let lookedUp = 0;
    const { app, guarded, overload, answer } = await openApp(t, () => (lookedUp += 1));
    const waiting = await overload();
    const before = lookedUp;
    const refused = await guarded();
    t.match(refused.json<ErrorBody>(), { code: 'OVERLOADED' });
    t.equal(refused.headers['retry-after'], '1');
    t.equal(lookedUp, before);
    t.equal((await app.inject('/other')).statusCode, 200, 'other routes are served');
    answer();
    t.ok(
      (await Promise.all(waiting)).every(({ status }) => status === 200),
      'accepted requests complete',
    );
    t.equal((await guarded()).statusCode, 401);
  },
);

t.test('slow uploads keep nobody out, and are answered', async (t) => {
  const { origin, guarded } = await openApp(t);
  const { hostname, port } = new URL(origin);
  const head = 'POST /work HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{';
  const uploads = Array.from({ length: 80 }, () => connect({ host: hostname, port: Number(port) }));
  t.teardown(() => uploads.forEach((upload) => upload.destroy()));
  const replies = uploads.map((upload) => once(upload.setEncoding('utf8'), 'data'));
  await Promise.all(uploads.map((upload) => new Promise((resolve) => upload.write(head, resolve))));
  const openSince = performance.now();
  await waitUntil(() => performance.now() - openSince > 1_200, 'longer than an accepted request may take');
  t.equal((await guarded()).statusCode, 401);
  for (const upload of uploads) upload.write('}');
  t.ok((await Promise.all(replies)).every(([reply]) => String(reply).startsWith('HTTP/1.1 200')));
});

t.test('a request counts once its body has arrived, and without its caller for some seconds', async (t) => {
  const { origin, guarded } = await openApp(t);
  const { hostname, port } = new URL(origin);
  const head = 'POST /slow HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{';
  const uploads = Array.from({ length: 64 }, () => connect({ host: hostname, port: Number(port) }));
  t.teardown(() => uploads.forEach((upload) => upload.destroy()));
  await Promise.all(uploads.map((upload) => new Promise((resolve) => upload.write(head, resolve))));
  for (const upload of uploads) upload.write('}');
  await waitUntil(async () => (await guarded()).statusCode === 503, 'requests are refused', 10_000);
  for (const upload of uploads) upload.destroy();
  const leftAtMs = performance.now();
  await waitUntil(async () => (await guarded()).statusCode === 401, 'requests that hang do not count', 10_000);
  t.ok(performance.now() - leftAtMs > 2_000, 'they counted while their work may have gone on');
});

t.test('a caller that left before its connection was accepted costs no work', async (t) => {
  let lookedUp = 0;
  const { origin } = await openApp(t, () => (lookedUp += 1));
  const { hostname, port } = new URL(origin);
  const gone = connect({ host: hostname, port: Number(port) });
  gone.once('connect', () => {
    gone.write('GET /guarded HTTP/1.1\r\nHost: test\r\nX-API-Key: vf_live_unknown\r\n\r\n');
    gone.destroy();
  });
  await once(gone, 'close');
  for (let call = 0; call < 3; call += 1)
    t.equal((await fetch(`${origin}/guarded`, { headers: { 'x-api-key': 'vf_live_unknown' } })).status, 401);
  t.equal(lookedUp, 3);
});

t.test('work for callers that went away counts until it ends', async (t) => {
  const { origin, guarded, answer } = await openApp(t);
  const leave = new AbortController();
  const calls = Array.from({ length: 64 }, () => fetch(`${origin}/slow`, { signal: leave.signal }));
  const settled = Promise.allSettled(calls);
  await waitUntil(async () => (await guarded()).statusCode === 503, 'requests are refused', 10_000);
  leave.abort();
  await settled;
  const leftAtMs = performance.now();
  await waitUntil(() => performance.now() - leftAtMs > 500, 'the server has seen them leave');
  t.equal((await guarded()).statusCode, 503);
  answer();
  await waitUntil(async () => (await guarded()).statusCode === 401, 'accepted again', 2_000);
});

t.test(
  'a refusal has the headers of any answer, is counted and logged once, and leaves the connection open',
  async (t) => {
    const lines = new PassThrough();
    // A stream that nobody reads has a bound, and the number of log lines is not known.
    let written = '';
    lines.setEncoding('utf8').on('data', (some: string) => (written += some));
    const { metrics, origin, overload } = await openApp(t, undefined, lines);
    const other = await fetch(`${origin}/other`);
    void (await overload());
    const count = async (series: string) =>
      Number(
        (await metrics.registry.metrics())
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.split(' ')[1] ?? 0,
      );
    const answered = 'vh_http_request_seconds_count{route="/work",status="503"}';
    const shedBefore = await count('vh_requests_shed_total');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.teardown(() => agent.destroy());
    const ports = new Set<number | undefined>();
    for (const path of ['/work', '/work', '/work?again', '/wor%6b']) {
      const { status, headers, body, port } = await post(`${origin}${path}`, agent, { 'x-request-id': 'mine.1' });
      ports.add(port);
      t.equal(status, 503);
      t.strictSame(JSON.parse(body), {
        code: 'OVERLOADED',
        message: 'The service is at capacity. Try again in a moment.',
        requestId: 'mine.1',
      });
      t.equal(headers['retry-after'], '1');
      t.equal(headers['x-request-id'], 'mine.1');
      for (const name of ['x-content-type-options', 'referrer-policy', 'cache-control'])
        t.equal(headers[name], other.headers.get(name), name);
    }
    t.equal(ports.size, 1, 'one connection');
    await waitUntil(async () => (await count(answered)) >= 4, 'all are counted', 5_000);
    t.equal(await count(answered), 4);
    t.equal((await count('vh_requests_shed_total')) - shedBefore, 4);
    const ofThese = (): string[] => written.split('\n').filter((line) => line.includes('mine.1'));
    await waitUntil(() => ofThese().length >= 4, 'all are logged', 5_000);
    const logged = ofThese();
    t.equal(logged.length, 4);
    t.match(JSON.parse(logged[0] ?? ''), {
      requestId: 'mine.1',
      method: 'POST',
      route: '/work',
      status: 503,
      keyId: null,
    });
  },
);

t.test('an endless body is read up to a bound, and its connection ends with the refusal', async (t) => {
  const { origin, overload } = await openApp(t);
  void (await overload());
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  let answered = '';
  socket.on('data', (bytes) => (answered += String(bytes)));
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.write('POST /work HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n');
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
  let sent = 0;
  // A piece in each turn, so that an answer is read before a write finds the connection ended.
  const send = (): void => {
    if (socket.destroyed || answered !== '' || sent === 2_000) return;
    sent += 1;
    socket.write(chunk, () => setImmediate(send));
  };
  send();
  await closed;
  t.match(answered, /^HTTP\/1.1 503 [^]*connection: close[^]*OVERLOADED/i);
  t.ok(sent < 1_000, 'most of it was never sent');
});

/** A POST over the agent's connections; `port` is the connection's own. */
async function post(url: string, agent: Agent, headers: IncomingHttpHeaders) {
  const call = httpRequest(url, { method: 'POST', agent, headers });
  call.end('{}');
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  const port = response.socket.localPort;
  return { status: response.statusCode, headers: response.headers, body: await text(response), port };
}
