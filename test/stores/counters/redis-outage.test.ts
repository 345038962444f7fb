/**
 * The counters while Redis is unavailable, silent, out of memory, restarted, or has forgotten the scripts.
 */
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import t from 'tap';
import { Fault } from '../../../src/errors.js';
import type { Counters } from '../../../src/stores/counters/port.js';
import { openRedisCounters } from '../../../src/stores/counters/redis/open.js';
import { waitUntil } from '../../helpers/wait-until.js';
import { countedOf } from './contract-history.js';
import { countsOf, probeInput, ref, scoreInput, startMs } from './inputs.js';
import { freePort } from '../../helpers/ports.js';
import { startRedis } from './redis-server.js';

const deadlineMs = 500;

async function librariesOf(admin: Redis): Promise<unknown[]> {
  const libraries: unknown = await admin.call('FUNCTION', 'LIST', 'LIBRARYNAME', 'verifyhuman_*');
  return Array.isArray(libraries) ? (libraries as unknown[]) : [];
}

/** The fault of every call of the port, or what it answered instead. */
async function faultsOf(counters: Counters): Promise<unknown[]> {
  const calls = [
    counters.ping(),
    counters.countScore(scoreInput('p', 's')),
    counters.storeProbe(probeInput('p', 's')),
    counters.recentReceipt('p', 'r'),
    counters.takeRate('p', startMs, [{ key: 'k', limit: 1, windowSeconds: 60 }]),
    counters.publishHistory('p', [
      { subject: ref('r'), version: 1, value: { n: 1, fraud: 0, clawbacks: 0, asOfDay: 1 } },
    ]),
    counters.restoreSessions('p', [countedOf(scoreInput('p', 's'))]),
    counters.checkComplete('p'),
    counters.markComplete('p'),
  ];
  return Promise.all(
    calls.map((call) =>
      call.then(
        (answer) => ({ answer }),
        (error: unknown) => (error instanceof Fault ? error.code : error),
      ),
    ),
  );
}

async function untilAnswered(counters: Counters): Promise<void> {
  const endsAtMs = Date.now() + 20_000;
  for (;;) {
    try {
      await counters.ping();
      return;
    } catch (error) {
      if (Date.now() > endsAtMs) throw error;
      await pause(20);
    }
  }
}

const unavailable = Array.from({ length: 9 }, () => 'STORE_UNAVAILABLE');

t.test('where nothing listens every call is refused, and the start is not', async (t) => {
  const notes: string[] = [];
  const logger = { warn: (_details: object, message: string) => notes.push(message), info: () => undefined };
  const counters = await openRedisCounters({ url: `redis://127.0.0.1:${await freePort()}`, deadlineMs, logger });
  t.same(await faultsOf(counters), unavailable);
  t.equal(notes.length, 1, 'and it is said once');
  await counters.close();
});

t.test('a server that takes the connection and says nothing fails each call at its deadline', async (t) => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const counters = await openRedisCounters({ url: `redis://127.0.0.1:${address.port}`, deadlineMs });
  t.same(await faultsOf(counters), unavailable);
  await counters.close();
  silent.close();
});

const port = await freePort();
const server = await startRedis({ port, args: ['--maxmemory-policy', 'noeviction'] });
if (server === null) {
  if (process.env['VH_REQUIRE_STACK'] === '1') t.fail('there is no redis-server, and VH_REQUIRE_STACK asks for one');
  else t.comment('Outages of Redis were not tried: install redis-server (`apt-get install redis-server`).');
} else {
  t.test('a frozen server fails each call at its deadline and serves again once it thaws', async (t) => {
    const counters = await openRedisCounters({ url: server.url, deadlineMs });
    t.equal((await countsOf(counters, scoreInput('frozen', 's1', { device: ref('d') }))).deviceSessionsDay, 1);
    server.kill('SIGSTOP');
    t.same(await faultsOf(counters), unavailable);
    server.kill('SIGCONT');
    await untilAnswered(counters);
    t.equal((await countsOf(counters, scoreInput('frozen', 's2', { device: ref('d') }))).deviceSessionsDay, 2);
    await counters.close();
  });

  t.test('a server that forgot the scripts learns them again', async (t) => {
    const counters = await openRedisCounters({ url: server.url, deadlineMs: 5_000 });
    const admin = new Redis(server.url);
    t.equal((await countsOf(counters, scoreInput('forgot', 's1', { device: ref('d') }))).deviceSessionsDay, 1);
    await admin.script('FLUSH');
    await admin.call('FUNCTION', 'FLUSH');
    t.equal((await countsOf(counters, scoreInput('forgot', 's2', { device: ref('d') }))).deviceSessionsDay, 2);
    await waitUntil(async () => (await librariesOf(admin)).length === 1, 'the functions are loaded again');
    await admin.config('RESETSTAT');
    t.equal((await countsOf(counters, scoreInput('forgot', 's3', { device: ref('d') }))).deviceSessionsDay, 3);
    t.match(await admin.info('commandstats'), /cmdstat_fcall:calls=1,/);
    await admin.quit();
    await counters.close();
  });

  t.test('a user who may not load functions counts by scripts', async (t) => {
    const admin = new Redis(server.url);
    await admin.call('FUNCTION', 'FLUSH');
    await admin.acl('SETUSER', 'plain', 'on', '>secret', '~*', '&*', '+@all', '-function', '-fcall');
    const logged: string[] = [];
    const logger = { info: (_: object, message: string) => void logged.push(message), warn: () => undefined };
    const url = server.url.replace('redis://', 'redis://plain:secret@');
    const counters = await openRedisCounters({ url, deadlineMs: 5_000, logger });
    await waitUntil(() => logged.length > 0, 'the refusal is told');
    t.same(logged, ['Redis does not let functions be loaded; scripts do the same at more cost.']);
    t.equal((await countsOf(counters, scoreInput('refused', 's1', { device: ref('d') }))).deviceSessionsDay, 1);
    t.same(await librariesOf(admin), []);
    await admin.quit();
    await counters.close();
  });

  t.test('libraries of other versions are kept, but not for ever', async (t) => {
    const admin = new Redis(server.url);
    await admin.call('FUNCTION', 'FLUSH');
    for (let version = 0; version < 12; version += 1)
      await admin.call(
        'FUNCTION',
        'LOAD',
        `#!lua name=verifyhuman_${version}\nredis.register_function('verifyhuman_${version}_x', function() end)`,
      );
    const counters = await openRedisCounters({ url: server.url, deadlineMs: 5_000 });
    await waitUntil(async () => (await librariesOf(admin)).length === 9, 'eight others and its own stay');
    t.match(await counters.countScore(scoreInput('versions', 's1')), { kind: 'counted' });
    await admin.quit();
    await counters.close();
  });

  t.test(
    'flushed, every project is incomplete, knows no history and finds no receipt, until it is restored and marked again',
    async (t) => {
      const counters = await openRedisCounters({ url: server.url, deadlineMs: 5_000, now: () => startMs });
      const admin = new Redis(server.url);
      const history = { respondent: ref('r'), source: null, subSource: null };
      const value = { n: 3, fraud: 1, clawbacks: 0, asOfDay: 20_000 };
      const input = scoreInput('flushed', 's1', { device: ref('d'), history });
      await counters.markComplete('flushed');
      await counters.publishHistory('flushed', [{ subject: ref('r'), version: 7, value }]);
      t.match(await counters.countScore(input), { complete: true, history: { respondent: value } });
      await admin.flushall();
      t.equal((await counters.checkComplete('flushed')).isComplete, false);
      t.equal(await counters.recentReceipt('flushed', input.receiptId), null);
      t.match(await counters.countScore(scoreInput('flushed', 's2', { history })), {
        complete: false,
        history: { respondent: null },
        counts: { candidates: [] },
      });
      await counters.restoreSessions('flushed', [countedOf(input)]);
      await counters.publishHistory('flushed', [{ subject: ref('r'), version: 7, value }]);
      await counters.markComplete('flushed');
      const after = await counters.countScore(scoreInput('flushed', 's3', { device: ref('d'), history }));
      t.match(after, {
        complete: true,
        history: { respondent: value },
        counts: { deviceSessionsDay: 2, candidates: [{ session: ref('s1') }] },
      });
      const lasting: string[] = [];
      for (const key of await admin.keys('*')) if ((await admin.pttl(key)) === -1) lasting.push(key);
      t.same(lasting, [], 'and everything restored has an expiry');
      await admin.quit();
      await counters.close();
    },
  );

  t.test('out of memory it refuses what is new and still tells what it has', async (t) => {
    const counters = await openRedisCounters({ url: server.url, deadlineMs: 5_000 });
    const admin = new Redis(server.url);
    await countsOf(counters, scoreInput('memory', 's1'));
    await admin.config('SET', 'maxmemory', '1mb');
    const [ping, count, probe, , rate, history, restored, , marked] = await faultsOf(counters);
    t.same(new Set([ping, count, probe, rate, history, restored, marked]), new Set(['STORE_UNAVAILABLE']));
    t.ok(await counters.recentReceipt('memory', 'rcpt_memory_s1'));
    await admin.config('SET', 'maxmemory', '0');
    t.match(await counters.countScore(scoreInput('memory', 's2')), { kind: 'counted' });
    await admin.quit();
    await counters.close();
  });

  t.test('after a restart it is connected again by itself', async (t) => {
    const counters = await openRedisCounters({ url: server.url, deadlineMs });
    await counters.ping();
    await server.close();
    t.same(await faultsOf(counters), unavailable);
    const restarted = await startRedis({ port });
    t.teardown(() => restarted?.close());
    await untilAnswered(counters);
    t.match(await counters.countScore(scoreInput('restarted', 's')), { kind: 'counted' });
    await counters.close();
  });

  t.teardown(() => server.close());
}

t.test('an answer that came while this process stood still is taken, however long that was', async (t) => {
  const redis = await startRedis();
  if (redis === null) throw new Error('redis-server is not installed');
  const counters = await openRedisCounters({ url: redis.url, deadlineMs });
  t.teardown(async () => {
    await counters.close();
    await redis.close();
  });
  await untilAnswered(counters);
  await counters.countScore(scoreInput('p', 'first')); // the server knows the script from here on
  redis.kill('SIGSTOP');
  const asked = [counters.ping(), counters.countScore(scoreInput('p', 's'))];
  await pause(1); // after a timer nothing waits to be sent
  await new Promise((resolve) => setImmediate(resolve)); // and after this, timers come before sockets
  redis.kill('SIGCONT');
  const stoodStillFrom = performance.now();
  // Blocks this process. The server answers in turn, so that it has answered the calls before.
  t.equal(execFileSync('redis-cli', ['-p', String(redis.port), 'ping'], { encoding: 'utf8' }), 'PONG\n');
  while (performance.now() < stoodStillFrom + 2 * deadlineMs);
  t.same(
    (await Promise.allSettled(asked)).map((each) => (each.status === 'fulfilled' ? 'answered' : String(each.reason))),
    ['answered', 'answered'],
  );
});
