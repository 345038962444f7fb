import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { PassThrough, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t, { type Test } from 'tap';
import type { ErrorBody } from '../../src/contract/common.js';
import { createAdmission } from '../../src/http/admission.js';
import { createApp } from '../../src/http/app.js';
import { createLateBodies } from '../../src/http/late-bodies.js';
import type { Stay } from '../../src/http/queueing.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { waitUntil } from '../helpers/wait-until.js';

/** Of a process whose timers always come in time. */
const inTime = { watch: () => undefined, ms: () => 0 };

/** Enters `count` requests; null for one that was refused. */
function enter(admission: ReturnType<typeof createAdmission>, count: number) {
  return Array.from({ length: count }, () => admission.enter());
}

t.test(
  'a process that comes late to its timers takes no more than a few, and again what comes once it is in time',
  async (t) => {
    const admission = createAdmission(() => performance.now());
    const stays = enter(admission, 300);
    t.notOk(stays.includes(null), 'nothing was late yet');
    for (const until = performance.now() + 200; performance.now() < until;);
    t.equal(admission.enter(), null);
    for (const stay of stays.slice(0, 240)) if (stay !== null) admission.leave(stay);
    t.notOk(enter(admission, 4).includes(null), 'so few are always taken');
    for (const stay of stays.slice(240, 260)) if (stay !== null) admission.leave(stay);
    const comeAndGo = (): boolean => {
      const come = enter(admission, 80);
      for (const stay of come) if (stay !== null) admission.leave(stay);
      return !come.includes(null);
    };
    await waitUntil(comeAndGo, 'a timer came in time', 10_000);
  },
);

t.test('what would wait for more than a second is refused before anybody has', (t) => {
  let nowMs = 0;
  const admission = createAdmission(() => nowMs, inTime);
  const inside: NonNullable<ReturnType<typeof admission.enter>>[] = [];
  /** For each millisecond `come` come and one leaves; returns how many were refused. */
  const pass = (milliseconds: number, come: number): number => {
    let refused = 0;
    for (const endMs = nowMs + milliseconds; nowMs < endMs; nowMs += 1) {
      for (const stay of enter(admission, come)) {
        if (stay === null) refused += 1;
        else inside.push(stay);
      }
      const first = inside.shift();
      if (first !== undefined) admission.leave(first);
    }
    return refused;
  };
  t.equal(pass(2_000, 1), 0);
  t.equal(pass(300, 4), 0, 'a burst');
  t.ok(pass(100, 4) > 150, 'the next would wait for more than a second');
  t.equal(pass(1_000, 4) > 2_900, true, 'they are answered before others are taken');
  t.equal(inside.length, 149, 'as many as leave in 150 ms');
  t.equal(pass(1_000, 4), 3_000, 'one is taken for one that leaves');
  pass(200, 0);
  t.equal(pass(2_000, 1), 0);
  t.end();
});

t.test('too much work for half a minute never lets more in than are answered in half a second', (t) => {
  let nowMs = 0;
  const admission = createAdmission(() => nowMs, inTime);
  const inside: Stay[] = [];
  let most = 0;
  for (; nowMs < 30_000; nowMs += 1) {
    inside.push(...enter(admission, 4).filter((stay) => stay !== null));
    const first = inside.shift();
    if (first !== undefined) admission.leave(first);
    if (nowMs > 3_000) most = Math.max(most, inside.length);
  }
  t.ok(most < 500, `${most} inside, of whom one leaves in a millisecond`);
  t.end();
});

t.test('refusing ends where stores do more for more, and take half a second for each', (t) => {
  let nowMs = 0;
  const admission = createAdmission(() => nowMs, inTime);
  const inside: { readonly stay: Stay; readonly untilMs: number }[] = [];
  let refusedMs = 0;
  for (; nowMs < 30_000; nowMs += 1) {
    const stay = admission.enter();
    if (stay === null) refusedMs = nowMs;
    else inside.push({ stay, untilMs: nowMs + (nowMs < 6_000 ? 2_500 : 500) });
    while ((inside[0]?.untilMs ?? Infinity) <= nowMs)
      admission.leave(inside.shift()?.stay ?? { sinceMs: 0, ages: 0, hasLeft: true });
  }
  t.ok(refusedMs > 6_000, 'it refused');
  t.ok(refusedMs < 20_000, `until ${refusedMs}`);
  t.equal(inside.length, 500);
  t.end();
});

t.test('a store that takes long is no reason to refuse, as long as all are answered', (t) => {
  let nowMs = 0;
  const admission = createAdmission(() => nowMs, inTime);
  const inside: ReturnType<typeof admission.enter>[] = [];
  for (; nowMs < 10_000; nowMs += 1) {
    // At first it answers at once, then each after 600 ms.
    inside.push(admission.enter());
    if (nowMs > 3_000 && nowMs < 3_600) continue;
    const first = inside.shift();
    if (first != null) admission.leave(first);
  }
  t.equal(inside.length, 599);
  t.notOk(inside.includes(null));
  t.end();
});

t.test('many at once are all taken, as none of them has waited', (t) => {
  const admission = createAdmission(() => 0);
  t.notOk(enter(admission, 5_000).includes(null));
  t.end();
});

t.test('while many have waited too long nobody is taken; once they are answered everybody is', (t) => {
  let nowMs = 0;
  const admission = createAdmission(() => nowMs);
  const stays = enter(admission, 200);
  nowMs = 1_000;
  t.not(admission.enter(), null, 'a second is not too long');
  nowMs = 1_001;
  t.equal(admission.enter(), null);
  for (const stay of stays.slice(0, -63)) if (stay !== null) admission.leave(stay);
  t.not(admission.enter(), null, 'sixty-three old ones refuse nobody');
  t.end();
});

t.test('who was answered in time never counts, nor does leaving twice', (t) => {
  let nowMs = 0;
  const admission = createAdmission(() => nowMs);
  for (const stay of enter(admission, 100)) if (stay !== null) admission.leave(stay);
  nowMs = 2_000;
  const late = enter(admission, 70);
  t.notOk(late.includes(null));
  nowMs = 4_000;
  t.equal(admission.enter(), null);
  const [first, ...others] = late;
  for (let n = 0; n < 70; n += 1) if (first != null) admission.leave(first);
  t.equal(admission.enter(), null, 'one left, however often it says so');
  for (const stay of others.slice(0, 6)) if (stay !== null) admission.leave(stay);
  t.not(admission.enter(), null);
  t.end();
});

t.test('those who have left are let go of, also where there were never many inside', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let nowMs = 0;
  const admission = createAdmission(() => nowMs, inTime);
  const kept: WeakRef<object>[] = [];
  for (let n = 0; n < 10_000; n += 1) {
    nowMs += 1;
    const stay = admission.enter();
    if (stay === null) throw new Error('one at a time is always taken');
    kept.push(new WeakRef(stay));
    admission.leave(stay);
  }
  await waitUntil(
    () => {
      collect();
      return kept.filter((ref) => ref.deref() !== undefined).length < 5_000;
    },
    'the places of those who left are free',
    5_000,
  );
});

/** An app that listens, whose door is shut once `shut` resolves to what waits inside, until `answer`; `read` is called where a key is looked up. */
async function openApp(t: Test, read: () => void = () => undefined, lines: Writable | null = null) {
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const metrics = createMetrics();
  const app = createApp({
    findKey: async () => {
      read();
      return null;
    },
    verifyDashboardToken: () => Promise.reject(new Error('not here')),
    findProjectOwner: async () => null,
    findKeyOwner: async () => null,
    takeKeyRate: async () => undefined,
    requireTrial: async () => undefined,
    logger: lines === null ? createLogger('silent') : createLogger('info', lines),
    accessLog: lines !== null,
    metrics,
  });
  const open = { config: { access: { credential: 'none' }, sheds: true } } as const;
  app.get('/slow', open, async () => answered.then(() => ({})));
  app.post('/work', open, async () => ({}));
  app.get('/guarded', { config: { access: { credential: 'api-key' }, sheds: true } }, async () => ({}));
  app.get('/other', { config: { access: { credential: 'none' } } }, async () => ({}));
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  t.teardown(() => {
    answer();
    return app.close();
  });
  const guarded = () => app.inject({ url: '/guarded', headers: { 'x-api-key': 'vf_live_unknown' } });
  const shut = async () => {
    const waiting = Array.from({ length: 64 }, () => fetch(`${origin}/slow`));
    await waitUntil(async () => (await guarded()).statusCode === 503, 'the door is shut', 10_000);
    return waiting;
  };
  return { app, metrics, origin, guarded, shut, answer: () => answer() };
}

t.test(
  'at the door: 503 with Retry-After before the key is looked up, and taken again once the others are answered',
  async (t) => {
    let lookedUp = 0;
    const { app, guarded, shut, answer } = await openApp(t, () => (lookedUp += 1));
    const waiting = await shut();
    const before = lookedUp;
    const refused = await guarded();
    t.match(refused.json<ErrorBody>(), { code: 'OVERLOADED' });
    t.equal(refused.headers['retry-after'], '1');
    t.equal(lookedUp, before);
    t.equal((await app.inject('/other')).statusCode, 200, 'a route that sheds nothing is served');
    answer();
    t.ok(
      (await Promise.all(waiting)).every(({ status }) => status === 200),
      'what was taken is answered',
    );
    t.equal((await guarded()).statusCode, 401);
  },
);

t.test('callers whose bodies are long on their way keep nobody out, and are answered', async (t) => {
  const { origin, guarded } = await openApp(t);
  const { hostname, port } = new URL(origin);
  const head = 'POST /work HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{';
  const uploads = Array.from({ length: 80 }, () => connect({ host: hostname, port: Number(port) }));
  t.teardown(() => uploads.forEach((upload) => upload.destroy()));
  const replies = uploads.map((upload) => once(upload.setEncoding('utf8'), 'data'));
  await Promise.all(uploads.map((upload) => new Promise((resolve) => upload.write(head, resolve))));
  const openSince = performance.now();
  await waitUntil(() => performance.now() - openSince > 1_200, 'that is too long for a place inside');
  t.equal((await guarded()).statusCode, 401);
  for (const upload of uploads) upload.write('}');
  t.ok((await Promise.all(replies)).every(([reply]) => String(reply).startsWith('HTTP/1.1 200')));
});

t.test('whose body comes in the same turn keeps the place all through it', (t) => {
  let endTurn = (): void => undefined;
  const stays: Stay[] = Array.from({ length: 3 }, () => ({ sinceMs: 0, ages: 0, hasLeft: false }));
  const lateBodies = createLateBodies({ stepOut: (stay) => (stay.hasLeft = true) }, (look) => (endTurn = look));
  const requests = stays.map(() => ({ complete: false }));
  stays.forEach((stay, n) => lateBodies.watch(requests[n] ?? { complete: false }, stay));
  t.notOk(
    stays.some(({ hasLeft }) => hasLeft),
    'within the turn nobody gives it up',
  );
  for (const request of requests.slice(0, 2)) request.complete = true;
  endTurn();
  t.strictSame(
    stays.map(({ hasLeft }) => hasLeft),
    [false, false, true],
  );
  t.end();
});

t.test('a body on its way takes no place; those that have come do', (t) => {
  let nowMs = 0;
  const admission = createAdmission(() => nowMs, inTime);
  const stays = enter(admission, 80).flatMap((stay) => (stay === null ? [] : [stay]));
  for (const stay of stays) admission.stepOut(stay);
  nowMs = 5_000;
  t.not(admission.enter(), null);
  const back = stays.map(() => admission.stepIn());
  nowMs = 6_001;
  t.equal(admission.enter(), null);
  for (const stay of [...stays, ...back]) admission.leave(stay);
  t.notOk(enter(admission, 63).includes(null));
  t.end();
});

t.test(
  'a refusal has the headers of any answer, is counted and logged once, and leaves the connection open',
  async (t) => {
    const lines = new PassThrough();
    // A stream that nobody reads holds so much and no more, and the door is tried an unknown number of times.
    let written = '';
    lines.setEncoding('utf8').on('data', (some: string) => (written += some));
    const { metrics, origin, shut } = await openApp(t, undefined, lines);
    const other = await fetch(`${origin}/other`);
    void (await shut());
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
        message: 'The service has more work than it takes on at once. Try again in a moment.',
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

t.test('a body without an end is read to a bound, and its connection ends with the refusal', async (t) => {
  const { origin, shut } = await openApp(t);
  void (await shut());
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
