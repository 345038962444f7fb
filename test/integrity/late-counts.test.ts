/** A count that Redis finishes after the service gave up on it, and one that was judged by other rules: what is answered under an id is what stands there. */
import { Redis } from 'ioredis';
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

  t.test('an identical retry after a change of the rules is a receipt of its own, once', async (t) => {
    const service = await startTestService(t, { REDIS_URL: redis.url });
    const body = { sessionId: 'before', clientIp: '203.0.113.9', userAgent: 'curl/8.5.0', sourceId: 'panel' };
    const score = async (): Promise<ScoreReply> =>
      (
        await service.call('POST', '/lite/score', {
          body,
          headers: { 'x-api-key': service.bootstrap.projectKey, 'idempotency-key': 'one' },
        })
      ).body;
    const evidence = async ({ receiptId }: ScoreReply): Promise<EvidenceReply> =>
      (await service.call('GET', `/lite/score/${receiptId}/evidence`)).body;
    const first = await score();
    t.equal((await score()).receiptId, first.receiptId);
    await waitUntil(async () => (await evidence(first)).provenance?.faithful === true, 'it is recorded');

    // As the store has it from a process with other rules.
    const store = new Redis(redis.url);
    t.teardown(() => store.quit());
    const { modelVersion } = (await evidence(first)).provenance;
    for (const key of await store.keys(`*q:${first.receiptId}`)) {
      const kept = await store.getBuffer(key);
      const told = Buffer.from(modelVersion, 'hex');
      if (kept === null || !kept.includes(told)) throw new Error('the rules are not told there');
      kept.fill(0xff, kept.indexOf(told), kept.indexOf(told) + told.length);
      await store.set(key, kept, 'KEEPTTL');
    }
    const second = await score();
    t.not(second.receiptId, first.receiptId, 'by these rules the verdict may be another');
    t.match(second, { replayed: false, supersedes: first.receiptId });
    t.same(await score(), second, 'and the next retry is answered the same');
    await waitUntil(async () => (await evidence(second)).provenance?.faithful === true, 'it is recorded');
    t.same((await evidence(second)).evidence, second.evidence);
    t.same((await evidence(first)).evidence, first.evidence, 'the first stands as it was');
  });
}
