import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import t from 'tap';
import { openRedisCounters } from '../../../src/stores/counters/redis/open.js';
import { testContract } from './contract.js';
import { bounds } from '../../../src/stores/counters/bounds.js';
import { countsOf, probeInput, ref, scoreInput, startMs } from './inputs.js';
import { findRedis, startRedis } from './redis-server.js';

// One of its own, where it can be: calls and keys are counted on it.
const redis = (await startRedis()) ?? (await findRedis());
if (redis === null) {
  if (process.env['VH_REQUIRE_STACK'] === '1') t.fail('there is no Redis, and VH_REQUIRE_STACK asks for one');
  else t.comment('The contract was not tried on Redis: install redis-server, or bring one up with `npm run stack`.');
} else {
  const run = randomUUID();
  let projects = 0;
  const nextProject = (): string => `proj_${run}_${(projects += 1)}`;

  t.test('the contract holds in Redis', async (t) => {
    let clockMs = startMs;
    const counters = await openRedisCounters({ url: redis.url, deadlineMs: 5_000, now: () => clockMs });
    await testContract(t, { counters, nextProject, setClock: (nowMs) => (clockMs = nowMs) });
    await counters.close();
  });

  t.test(
    'two instances with different clocks share the windows of a limit, and both tell how long it lasts',
    async (t) => {
      const aheadMs = 90_000;
      const right = await openRedisCounters({ url: redis.url, deadlineMs: 5_000 });
      const ahead = await openRedisCounters({
        url: redis.url,
        deadlineMs: 5_000,
        systemClock: () => Date.now() + aheadMs,
      });
      const limits = [{ key: 'm', limit: 1, windowSeconds: 60 }];
      const tag = nextProject();
      const first = await right.takeRate(tag, Date.now(), limits);
      const second = await ahead.takeRate(tag, Date.now() + aheadMs, limits);
      t.equal(first.allowed, true);
      // If a minute ended between the two calls, the second is of the next one for both.
      t.equal(second.allowed, second.resetAt !== first.resetAt);
      t.ok(second.resetInSeconds > 0 && second.resetInSeconds <= 60, String(second.resetInSeconds));
      t.ok(Math.abs(second.resetAt - first.resetAt) <= 60);
      await Promise.all([right.close(), ahead.close()]);
    },
  );

  t.test(
    'calls at once on one key are one run on the server, also of two instances never more than the limit',
    async (t) => {
      const atMs = Date.now();
      const instances = await Promise.all([0, 1].map(() => openRedisCounters({ url: redis.url, deadlineMs: 5_000 })));
      const admin = new Redis(redis.url);
      const runs = async (): Promise<number> =>
        [...(await admin.info('commandstats')).matchAll(/^cmdstat_(?:fcall|evalsha):calls=(\d+)/gm)].reduce(
          (sum, [, calls]) => sum + Number(calls),
          0,
        );
      const limits = [{ key: 'm', limit: 70, windowSeconds: 86_400 }];
      const tag = nextProject();
      for (const counters of instances) await counters.takeRate(tag, atMs, limits);
      const before = await runs();
      const answers = await Promise.all(
        instances.flatMap((counters) => Array.from({ length: 50 }, () => counters.takeRate(tag, atMs, limits))),
      );
      t.equal((await runs()) - before, 2);
      t.equal(answers.filter(({ allowed }) => allowed).length, 68);
      await Promise.all([...instances.map((counters) => counters.close()), admin.quit()]);
    },
  );

  t.test('bands have an expiry and take fourteen bytes for each session', async (t) => {
    const counters = await openRedisCounters({ url: redis.url, deadlineMs: 5_000 });
    const admin = new Redis(redis.url);
    const project = nextProject();
    const bands = `{${project}}:${ref('study')}:y0`;
    const likes = async (session: string): Promise<readonly string[]> => {
      await counters.storeProbe(probeInput(project, session, { device: null, bands: ['b'] }));
      const { candidates } = await countsOf(counters, scoreInput(project, session));
      return candidates.map((candidate) => candidate.session);
    };
    t.same(await likes('s1'), []);
    t.same(await likes('s2'), [ref('s1')]);
    t.ok((await admin.pttl(bands)) > 0);
    t.equal(await admin.hstrlen(bands, 'b'), 28);
    await Promise.all([counters.close(), admin.quit()]);
  });

  t.test('of a receipt that was released a short rest is kept, and never more than there was', async (t) => {
    const counters = await openRedisCounters({ url: redis.url, deadlineMs: 5_000 });
    const admin = new Redis(redis.url);
    const project = nextProject();
    const names = Array.from({ length: 130 }, (_, i) => `s${i}`);
    const inputs = names.map((name) => scoreInput(project, name));
    await Promise.all(inputs.map((input) => counters.countScore(input)));
    const keys = inputs.map(({ receiptId }) => `{${project}}:q:${receiptId}`);
    await admin.pexpire(keys[0] ?? '', 60_000);
    await counters.releaseReceipts(
      project,
      inputs.map(({ receiptId }) => receiptId),
    );
    const [first = 0, ...lefts] = await Promise.all(keys.map((key) => admin.pttl(key)));
    t.ok(first > 0 && first <= 60_000, String(first));
    t.ok(lefts.every((left) => left > 60_000 && left <= bounds.recordedReceiptMs));
    await Promise.all([counters.close(), admin.quit()]);
  });

  t.test('every key of the contract’s projects has an expiry and lies in the slot of its project', async (t) => {
    const admin = new Redis(redis.url);
    const keys: string[] = [];
    for await (const found of admin.scanStream({ match: `*${run}*`, count: 1_000 })) keys.push(...(found as string[]));
    t.ok(keys.length > 100);
    const left = await Promise.all(keys.map((key) => admin.pttl(key)));
    t.same(
      keys.filter((_, n) => left[n] === -1),
      [],
    );
    t.same(
      keys.filter((key) => !key.startsWith(`{proj_${run}`)),
      [],
    );
    await admin.quit();
  });

  t.teardown(() => redis.close());
}
