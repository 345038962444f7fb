import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { createLoad, type Exchange } from '../../bench/load.js';
import { allocator } from '../../bench/process.js';
import { packageRoot } from '../../src/package-root.js';

async function listen(t: Test, handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const targetOf = (origin: string) => ({ origin, path: '/', headers: { 'x-own': 'a' }, body: (n: number) => `${n}é` });

t.test('an open loop sends what is due though nothing is answered, and tells every answer', async (t) => {
  const held: ServerResponse[] = [];
  const origin = await listen(t, (request, response) => {
    request.resume();
    held.push(response);
    if (held.length === 50)
      for (const [n, one] of held.entries())
        one.writeHead(n < 10 ? 503 : 200, { 'retry-after': '1', 'content-length': 2 }).end('{}');
  });
  const exchanges: Exchange[] = [];
  const ended: number[] = [];
  await createLoad(64).each(targetOf(origin), {
    stages: [
      { perSecond: 500, seconds: 0.09 },
      { perSecond: 100, seconds: 0.05 },
    ],
    opened: 10,
    onExchange: (exchange) => exchanges.push(exchange),
    stageEnded: (stage) => ended.push(stage),
  });
  t.same(ended, [0, 1]);
  t.equal(exchanges.length, 50);
  t.equal(exchanges.filter(({ status, head }) => status === 503 && /retry-after: 1/i.test(head)).length, 10);
  const longest = Math.max(...exchanges.map(({ latencyMs }) => latencyMs));
  t.ok(longest > 80, `the first waited for the last, not ${longest} ms`);
});

t.test('a wait for a connection counts', async (t) => {
  const origin = await listen(t, (request, response) => {
    request.resume();
    setTimeout(() => response.end('{}'), 20);
  });
  const { latenciesMs, errors } = await createLoad(1).open(targetOf(origin), 1_000, 0.01);
  t.equal(errors, 0);
  t.ok((latenciesMs.at(-1) ?? 0) > 150, 'the last of ten waited for nine');
});

t.test(
  'answers in pieces are one answer each; a connection that ends is an error, and another is opened',
  async (t) => {
    const bodies: string[] = [];
    const origin = await listen(t, (request, response) => {
      void request.toArray().then((parts: Buffer[]) => {
        bodies.push(Buffer.concat(parts).toString());
        if (bodies.length === 3) return request.socket.destroy();
        if (bodies.length === 4) response.setHeader('connection', 'close');
        response.writeHead(200, { 'content-length': 100_000 });
        response.write('a');
        return setImmediate(() => response.end('b'.repeat(99_999)));
      });
    });
    const { answers, errors } = await createLoad(2).closed(targetOf(origin), 10, 40);
    t.same({ answers, errors }, { answers: 39, errors: 1 });
    t.same([...bodies].sort(), Array.from({ length: 40 }, (_, n) => `${n}é`).sort());
  },
);

t.test('servers under load keep memory as `npm start` has them', async (t) => {
  const { scripts } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const set = Object.entries(allocator).map(([name, value]) => `${name}=${value}`);
  t.ok(scripts.start.startsWith(`${set.join(' ')} exec node `));
});
