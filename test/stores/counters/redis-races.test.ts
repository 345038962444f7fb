/** Two instances on one Redis: what one of them writes between the reads and the writes of the other. */
import { Redis } from 'ioredis';
import t from 'tap';
import { openRedisCounters } from '../../../src/stores/counters/redis/open.js';
import { countsOf, ref, scoreInput, startMs } from './inputs.js';
import { startRedis } from './redis-server.js';

const redis = await startRedis();
if (redis === null) t.comment('Left out: races of two instances. redis-server is not installed.');
else {
  t.teardown(() => redis.close());
  const [one, other] = await Promise.all(
    ([0, 1] as const).map(() => openRedisCounters({ url: redis.url, deadlineMs: 5_000, now: () => startMs })),
  );
  if (one === undefined || other === undefined) throw new Error('no instances');
  const admin = new Redis(redis.url);
  t.teardown(() => Promise.all([one.close(), other.close(), admin.quit()]));
  const names = Array.from({ length: 30 }, (_, i) => `s${i}`);

  t.test('sessions of one study and source that are restored together do not get in each other’s way', async (t) => {
    const runs = async (): Promise<number> =>
      [...(await admin.info('commandstats')).matchAll(/^cmdstat_(?:fcall|evalsha):calls=(\d+)/gm)].reduce(
        (sum, [, calls]) => sum + Number(calls),
        0,
      );
    const before = await runs();
    const sessions = names.map((name, i) => ({
      ...scoreInput('again', name, { source: ref('source'), nowMs: startMs - i * 600_000 }),
      ...{ token: null, sketch: null, bands: [] },
    }));
    await one.restoreSessions('again', sessions);
    t.equal((await runs()) - before, names.length, 'each is written at its first try');
    const { neighborhood } = await countsOf(one, scoreInput('again', 'now', { source: ref('source') }));
    t.equal(neighborhood.sessions, names.length + 1);
  });

  t.test('a mark that ended by itself comes back with the next check, one of lost counts does not', async (t) => {
    await one.markComplete('idle');
    await admin.del('{idle}:complete');
    t.equal((await one.checkComplete('idle')).isComplete, true);
    t.ok((await admin.pttl('{idle}:complete')) > 0);
    await admin.set('{idle}:epoch', `abc def ${startMs}`, 'PX', 60_000);
    await admin.del('{idle}:complete');
    t.same(await one.checkComplete('idle'), { isComplete: false, keptUpToMs: startMs });
    t.same(await other.checkComplete('idle'), { isComplete: false, keptUpToMs: startMs });
    t.equal(await admin.exists('{idle}:complete'), 0);
  });
}
