/** The words of the counters about a Redis that they cannot reach: which, at which node, and why; without its password. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import t from 'tap';
import { openRedisCounters } from '../../../src/stores/counters/redis/open.js';
import { freePort } from '../../helpers/ports.js';

type TearDown = Pick<typeof t, 'teardown'>;

/** The reasons that are logged, and that of a failed call. */
async function problemsOf(test: TearDown, url: string) {
  const notes: Readonly<Record<string, unknown>>[] = [];
  const logger = { warn: (details: object) => void notes.push({ ...details }), info: () => undefined };
  const counters = await openRedisCounters({ url, deadlineMs: 500, logger });
  test.teardown(() => counters.close());
  const call = await counters.ping().catch((error: unknown) => error);
  const { internal } = (call as { readonly details: { readonly internal?: string } }).details;
  return { notes, internal: internal ?? '' };
}

t.test('a cluster that is away is named, with the address of each node and its reason', async (t) => {
  const [first, second] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const { notes, internal } = await problemsOf(t, `redis+cluster://user:secret@${first},${second}`);
  const reason = / 127\.0\.0\.1:\d+: (Connection is closed\.|connect ECONNREFUSED .*); 127\.0\.0\.1:\d+: /;
  t.match(notes, [{ store: `Redis at ${first},${second}`, reason }]);
  t.match(internal, reason);
  t.ok(internal.startsWith(`Redis at ${first},${second}: `), internal);
  t.notMatch(JSON.stringify([notes, internal]), 'secret');
});

t.test('Sentinels that are away are named, with their addresses', async (t) => {
  const sentinel = `127.0.0.1:${await freePort()}`;
  const { notes, internal } = await problemsOf(t, `redis+sentinel://user:secret@${sentinel}/vh`);
  t.match(notes, [{ store: `Redis at ${sentinel}/vh`, reason: `Sentinel ${sentinel}: Connection is closed.` }]);
  t.match(internal, `Sentinel ${sentinel}`);
  t.notMatch(JSON.stringify([notes, internal]), 'secret');
});

t.test('a name that is unknown, and a server that hangs up, are logged too', async (t) => {
  const unknown = await problemsOf(t, 'redis+cluster://:secret@redis.invalid:6379');
  t.match(unknown.notes, [{ store: 'Redis at redis.invalid:6379', reason: /getaddrinfo/ }]);
  const server = createServer((socket) => void socket.destroy()).listen(0, '127.0.0.1');
  t.teardown(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  const { notes } = await problemsOf(t, `redis://:secret@127.0.0.1:${port}`);
  t.match(notes, [{ store: `Redis at 127.0.0.1:${port}` }]);
});
