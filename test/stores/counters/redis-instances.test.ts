/** Two instances on one Redis: what both count at the same moment counts for both. */
import t from 'tap';
import type { Counters, ScoreCountInput } from '../../../src/stores/counters/port.js';
import { openRedisCounters } from '../../../src/stores/counters/redis/open.js';
import { countsOf, probeInput, ref, scoreInput } from './inputs.js';
import { startRedis } from './redis-server.js';

const redis = await startRedis();
if (redis === null) t.comment('Left out: two instances. redis-server is not installed.');
else {
  t.teardown(() => redis.close());
  const instances = await Promise.all([0, 1].map(() => openRedisCounters({ url: redis.url, deadlineMs: 5_000 })));
  t.teardown(() => Promise.all(instances.map((counters) => counters.close())));
  const [one, other] = instances;
  if (one === undefined || other === undefined) throw new Error('no instances');
  const onBoth = (count: number, work: (counters: Counters, i: number) => Promise<unknown>): Promise<unknown> =>
    Promise.all(Array.from({ length: count }, (_, i) => work(i % 2 === 0 ? one : other, i)));

  t.test('sessions of one device, address and network are each counted', async (t) => {
    const same: Partial<ScoreCountInput> = {
      device: ref('d'),
      address: ref('a'),
      prefix: ref('p'),
      source: ref('source'),
    };
    await onBoth(40, (counters, i) =>
      countsOf(counters, scoreInput('busy', `s${i}`, { ...same, respondent: ref(`r${i}`) })),
    );
    const last = await countsOf(one, scoreInput('busy', 'last', { ...same, respondent: ref('last') }));
    t.match(last, {
      deviceSessionsDay: 41,
      deviceRespondentsDay: 41,
      addressSessionsHour: 41,
      addressRespondentsHour: 41,
      prefixSessionsHour: 41,
      source: { hour: 41 },
      neighborhood: { sessions: 41, direct: 40, prefixSessions: 41 },
    });
  });

  t.test('a session that both score at once is counted once, and gets one receipt', async (t) => {
    const input = scoreInput('twice', 's', { device: ref('d') });
    await onBoth(20, (counters, i) => counters.countScore({ ...input, receiptId: `rcpt_${i}` }));
    const counts = await countsOf(one, scoreInput('twice', 'last', { device: ref('d') }));
    t.match(counts, { deviceSessionsDay: 2, neighborhood: { sessions: 2 } });
    const receipts = await Promise.all(Array.from({ length: 20 }, (_, i) => other.recentReceipt('twice', `rcpt_${i}`)));
    const kept = receipts.filter((receipt) => receipt !== null).map(({ receiptId }) => receiptId);
    t.equal(kept.length, 1, 'nothing is left of those that came second');
    t.match(await one.countScore({ ...input, receiptId: 'late' }), {
      kind: 'replayed',
      recorded: { receiptId: kept[0] },
    });
  });

  t.test('messages of one page that come to both are all known', async (t) => {
    await onBoth(12, (counters, i) =>
      counters.storeProbe(
        probeInput('paged', 's', { nonce: ref(`page ${i % 6}`), phase: i < 6 ? 'load' : 'update', seq: i }),
      ),
    );
    t.equal((await one.findProbe('paged', ref('s'), probeInput('paged', 's').nowMs))?.pages.length, 6);
  });

  t.test('a mark of a complete project that is taken away does not come back with a score', async (t) => {
    await one.markComplete('marked');
    t.equal((await other.checkComplete('marked')).isComplete, true);
    await countsOf(other, scoreInput('marked', 's', { nowMs: Date.now() + 2 * 3_600_000 }));
    t.equal((await one.checkComplete('marked')).isComplete, true);
  });
}
