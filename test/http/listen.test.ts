import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { createApp } from '../../src/http/app.js';
import { listen } from '../../src/http/listen.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { waitUntil } from '../helpers/wait-until.js';

function openApp(t: Test) {
  const none = () => Promise.reject(new Error('not here'));
  const app = createApp({
    findKey: async () => null,
    verifyDashboardToken: none,
    findProjectOwner: async () => null,
    findKeyOwner: async () => null,
    takeKeyRate: async () => undefined,
    requireTrial: async () => undefined,
    logger: createLogger('silent'),
    metrics: createMetrics(),
  });
  app.get('/', { config: { access: { credential: 'none' } } }, async () => ({}));
  t.teardown(() => app.close());
  return app;
}

const host = '127.0.0.1';

/** Connections to a port that wait to be taken. */
function waiting(port: number): number {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const listening = '0A';
  const row = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find(([, address, , state]) => address === local && state === listening);
  return parseInt(row?.[4]?.split(':')[1] ?? '0', 16);
}

/** Begins so many connections, all before this process takes any. */
async function callers(t: Test, port: number, count: number) {
  const sockets = Array.from({ length: count }, () => connect({ host, port }).on('error', () => undefined));
  t.teardown(() => sockets.forEach((socket) => socket.destroy()));
  // They connect at the end of this step, which is before the next turn.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  return sockets;
}

const isLinux = process.platform === 'linux';

t.test(
  'of callers who come at once the kernel keeps two thousand until they are taken',
  { skip: !isLinux },
  async (t) => {
    const port = await listen(openApp(t), { host, port: 0 });
    await callers(t, port, 2_000);
    t.equal(waiting(port), 2_000);
  },
);

async function isOpen(t: Test, port: number): Promise<boolean> {
  const [caller] = await callers(t, port, 1);
  return new Promise((resolve) => caller?.once('connect', () => resolve(true)).once('close', () => resolve(false)));
}

t.test('a turn takes several new callers, and each of them is answered until the end', async (t) => {
  const app = openApp(t);
  let taken = 0;
  app.server.on('connection', () => (taken += 1));
  const port = await listen(app, { host, port: 0 });
  const inOneTurn = async (): Promise<number> => {
    const sockets = await callers(t, port, 64);
    const before = taken;
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const most = taken - before;
    await waitUntil(() => taken - before === 64, 'all are taken', 10_000);
    for (const socket of sockets) socket.destroy();
    return most;
  };
  await waitUntil(async () => (await inOneTurn()) >= 16, 'the copies take part', 10_000);
  const replies = (await callers(t, port, 64)).map(async (socket) => {
    socket.setEncoding('utf8').write('GET / HTTP/1.1\r\nHost: test\r\n\r\n');
    return String((await once(socket, 'data'))[0]);
  });
  t.ok((await Promise.all(replies)).every((reply) => reply.startsWith('HTTP/1.1 200')));
  await app.close();
  t.notOk(await isOpen(t, port), 'nobody listens any more');
});

t.test('a listener that closes while it is copied is closed', async (t) => {
  const copies = (): number => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length;
  for (let round = 0; round < 3; round += 1) {
    const app = openApp(t);
    const port = await listen(app, { host, port: 0 });
    const before = copies();
    for (const until = performance.now() + 10_000; copies() === before && performance.now() < until;)
      await new Promise(setImmediate);
    await app.close();
    t.notOk(await isOpen(t, port));
  }
});
