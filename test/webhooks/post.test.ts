import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { createGuardedConnect } from '../../src/net/guarded-connect.js';
import { createTargetClassifier } from '../../src/net/target-address.js';
import { createPoster, keptBytesMax, type PostOutcome } from '../../src/webhooks/post.js';

const open = createPoster({
  connect: createGuardedConnect({ resolve: async () => ['127.0.0.1'], classify: null, timeoutMs: 1_000 }),
  timeoutMs: 600,
});
t.teardown(() => open.close());
const post = (url: string, poster = open): Promise<PostOutcome> =>
  poster.post(url, { 'content-type': 'application/json' }, '{}', new AbortController().signal);

async function listen(t: Test, server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
const serve = async (t: Test, handler: RequestListener): Promise<string> =>
  `http${await listen(t, createServer(handler))}`;

t.test('a receiver that sends headers and then nothing fails at the deadline', async (t) => {
  const outcome = await post(await serve(t, (_request, response) => response.writeHead(200).flushHeaders()));
  t.equal(outcome.status, null);
  t.match(outcome.error, /^timeout: status 200 came and the body did not end/);
  t.ok(outcome.durationMs >= 590);
});

t.test('so does one that never answers', async (t) => {
  t.match((await post(await serve(t, () => undefined))).error, /^timeout: no answer within/);
});

t.test('and one that sends its body a byte at a time', async (t) => {
  const url = await serve(t, (_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 50);
    response.on('close', () => clearInterval(timer));
  });
  t.match((await post(url)).error, /^timeout: status 200/);
});

t.test('a body without an end is cut off, and its status counts', async (t) => {
  let isClosed = false;
  const url = await serve(t, (_request, response) => {
    response.writeHead(200);
    const more = (): void =>
      void (response.write('x'.repeat(65_536)) ? setImmediate(more) : response.once('drain', more));
    response.on('close', () => (isClosed = true));
    response.on('error', () => undefined);
    more();
  });
  const outcome = await post(url);
  t.equal(outcome.status, 200);
  t.equal(outcome.responseBody?.length, keptBytesMax);
  t.equal((await post(url)).status, 200);
  t.ok(isClosed, 'the connection is closed');
});

t.test('a compressed body is unpacked no further than what is kept of it', async (t) => {
  const bomb = gzipSync(Buffer.alloc(50_000_000, 'x'));
  const url = await serve(
    t,
    (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  );
  const before = process.memoryUsage().rss;
  const outcome = await post(url);
  t.equal(outcome.responseBody, 'x'.repeat(keptBytesMax));
  t.ok(process.memoryUsage().rss - before < 40_000_000);
});

t.test('what no database keeps is replaced in the text of an answer', async (t) => {
  const url = await serve(t, (_request, response) => void response.writeHead(500).end(Buffer.from([65, 0, 255, 66])));
  t.same((await post(url)).responseBody, 'A\ufffd\ufffdB');
});

t.test('redirects are not followed', async (t) => {
  let hits = 0;
  const url = await serve(t, (_request, response) => {
    hits += 1;
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  t.equal((await post(url)).status, 307);
  t.equal(hits, 1);
});

t.test('resets, refusals, nonsense and broken TLS are told apart', async (t) => {
  const reset = await listen(
    t,
    createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy())),
  );
  t.match((await post(`http${reset}`)).error, /^connection: closed by the receiver/);
  const nonsense = await listen(
    t,
    createTcpServer((socket) => socket.once('data', () => socket.end('nonsense\r\n\r\n'))),
  );
  t.match((await post(`http${nonsense}`)).error, /^protocol: /);
  t.match((await post(`https${nonsense}`)).error, /^(tls|connection|protocol): /);
  t.match((await post('http://127.0.0.1:1/')).error, /^connection: refused/);
  for (const status of ['000', '001', '099']) {
    const impossible = await listen(
      t,
      createTcpServer((socket) =>
        socket.once('data', () => socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)),
      ),
    );
    const { status: read, error } = await post(`http${impossible}`);
    t.equal(read, null, status);
    t.match(error, /^protocol: .*HTTP/, status);
    t.notMatch(error, /ASSERTION/, status);
  }
});

t.test('a name that leads into an inner network is refused, also when it does so only now', async (t) => {
  let hits = 0;
  const url = new URL(await serve(t, (_request, response) => void response.writeHead(200).end(String((hits += 1)))));
  const answers = [['93.184.216.34', '127.0.0.1'], ['::ffff:127.0.0.1'], ['127.0.0.1']];
  for (const addresses of answers) {
    const guarded = createPoster({
      connect: createGuardedConnect({
        resolve: async () => addresses,
        classify: createTargetClassifier(),
        timeoutMs: 300,
      }),
      timeoutMs: 600,
    });
    t.teardown(() => guarded.close());
    t.match(
      (await post(`http://rebinding.example.com:${url.port}/`, guarded)).error,
      /^target: rebinding.example.com resolves/,
    );
    t.match((await post(url.href, guarded)).error, /^target: 127.0.0.1 is loopback/, 'a literal address too');
    t.match((await post(`http://[::ffff:7f00:1]:${url.port}/`, guarded)).error, /^target: /);
  }
  t.equal(hits, 0, 'nothing was ever sent');
});

t.test('the name is resolved once, and the vetted address is the one that is connected to', async (t) => {
  const url = new URL(await serve(t, (_request, response) => void response.writeHead(200).end('ok')));
  let asked = 0;
  // Public when it is vetted; a second look would find something else.
  const poster = createPoster({
    connect: createGuardedConnect({
      resolve: async () => (asked++ === 0 ? ['127.0.0.1'] : ['127.0.0.9']),
      classify: (address) => (address === '127.0.0.1' ? { allowed: true } : { allowed: false, kind: 'another' }),
      timeoutMs: 500,
    }),
    timeoutMs: 600,
  });
  t.teardown(() => poster.close());
  t.equal((await post(`http://once.example.com:${url.port}/`, poster)).status, 200);
  t.equal(asked, 1);
});
