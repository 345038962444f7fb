import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import t from 'tap';
import { openRedisCounters } from '../../../src/stores/counters/redis/open.js';
import { testContract } from './contract.js';
import { startMs } from './inputs.js';
import { findRedis } from './redis-server.js';

const redis = await findRedis();
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

  t.test('every key of the contract’s projects has an expiry and lies in the slot of its project', async (t) => {
    const admin = new Redis(redis.url);
    const keys: string[] = [];
    for await (const found of admin.scanStream({ match: `*${run}*`, count: 1_000 })) keys.push(...(found as string[]));
    t.ok(keys.length > 100);
    const lasting: string[] = [];
    for (const key of keys) if ((await admin.pttl(key)) === -1) lasting.push(key);
    t.same(lasting, []);
    t.same(
      keys.filter((key) => !key.startsWith(`{proj_${run}`)),
      [],
    );
    await admin.quit();
  });

  t.teardown(() => redis.close());
}
