import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { listen } from '../../src/http/app.js';
import { createBareApp } from '../helpers/bare-app.js';

function openApp(t: Test) {
  const app = createBareApp();
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
async function callers(t: Test, port: number, count: number): Promise<void> {
  const sockets = Array.from({ length: count }, () => connect({ host, port }).on('error', () => undefined));
  t.teardown(() => sockets.forEach((socket) => socket.destroy()));
  // They connect at the end of this step, which is before the next turn.
  await new Promise<void>((resolve) => process.nextTick(resolve));
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
