/** A count that Redis finishes after the service gave up on it. */
import t from 'tap';
import type { EvidenceReply, ScoreReply } from '../../src/contract/score.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';
import { startRedis } from '../stores/counters/redis-server.js';

const redis = await startRedis();
if (redis === null) t.comment('Left out: counts that come late. redis-server is not installed.');
else {
  t.teardown(() => redis.close());
  t.test(
    'a retry of a score whose count came late gets a receipt of its own; each has one verdict, which evidence shows',
    async (t) => {
      const service = await startTestService(t, { REDIS_URL: redis.url });
      const body = { sessionId: 'late', clientIp: '203.0.113.9', userAgent: 'curl/8.5.0', sourceId: 'panel' };
      const score = async (): Promise<ScoreReply> => (await service.call('POST', '/lite/score', { body })).body;
      redis.kill('SIGSTOP');
      const first = await score();
      t.ok(first.degradedSignals.includes('counters_unavailable'));
      redis.kill('SIGCONT');
      let second = first;
      await waitUntil(async () => {
        second = await score();
        return second.replayed;
      }, 'what was sent was counted, and is found again');
      t.not(second.receiptId, first.receiptId);
      t.notOk(second.degradedSignals.includes('probe_unreadable'), 'its verdict is another');
      for (const reply of [first, second]) {
        const evidence = async (): Promise<EvidenceReply> =>
          (await service.call('GET', `/lite/score/${reply.receiptId}/evidence`)).body;
        await waitUntil(async () => (await evidence()).provenance?.faithful === true, 'it is recorded');
        t.same((await evidence()).evidence, reply.evidence);
      }
      t.same(await score(), second, 'and so it stays');
    },
  );
}
