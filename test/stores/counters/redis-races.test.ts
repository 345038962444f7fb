/** Two instances on one Redis: what one of them writes between the reads and the writes of the other. */
import { Redis } from 'ioredis';
import t from 'tap';
import { openRedisCounters } from '../../../src/stores/counters/redis/open.js';
import { countsOf, expectCounted, probeInput, ref, scoreInput, startMs } from './inputs.js';
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

  t.test('the messages that a receipt names stay, also if the next one comes meanwhile', async (t) => {
    const update = (session: string, seq: number) =>
      probeInput('held', session, { phase: 'update', seq, content: Buffer.from(`update ${seq}`) });
    const lost: string[] = [];
    for (const name of names) {
      await one.storeProbe(probeInput('held', name));
      await one.storeProbe(update(name, 1));
      const [scored] = await Promise.all([one.countScore(scoreInput('held', name)), other.storeProbe(update(name, 2))]);
      const { receiptId, probe } = expectCounted(scored);
      const receipt = await other.recentReceipt('held', receiptId);
      if (JSON.stringify(receipt?.probe) !== JSON.stringify(probe)) lost.push(name);
    }
    t.same(lost, []);
  });

  t.test('a session that both score at once counts once in the terms of its device', async (t) => {
    for (const name of names) {
      await one.storeProbe(probeInput('terms', name));
      await Promise.all(
        [one, other].map((counters, i) =>
          counters.countScore(scoreInput('terms', name, { receiptId: `${name}_${i}` })),
        ),
      );
    }
    await one.storeProbe(probeInput('terms', 'last'));
    t.match((await countsOf(one, scoreInput('terms', 'last'))).terms, { total: names.length + 1 });
  });

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
