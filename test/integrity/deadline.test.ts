/** `deadlineMs` while Redis stands still: the score is answered before the store gives up, once, and its retries are that answer. */
import t from 'tap';
import type { EvidenceReply, ScoreReply } from '../../src/contract/score.js';
import { startTestService } from '../helpers/service.js';
import { startTcpProxy } from '../helpers/tcp-proxy.js';
import { waitUntil } from '../helpers/wait-until.js';
import { startRedis } from '../stores/counters/redis-server.js';

const redis = await startRedis();
if (redis === null) t.comment('Left out: deadlines while Redis hangs. redis-server is not installed.');
else {
  t.teardown(() => redis.close());
  const proxy = await startTcpProxy(t, redis.port);
  const service = await startTestService(t, { REDIS_URL: `redis://127.0.0.1:${proxy.port}` });
  const { projectKey } = service.bootstrap;
  const score = async (over: object, headers: Readonly<Record<string, string>> = {}): Promise<ScoreReply> => {
    const body = { clientIp: '203.0.113.9', sourceId: 'panel', respondentId: 'maria', ...over };
    const answer = await service.call('POST', '/lite/score', {
      body,
      headers: { 'x-api-key': projectKey, ...headers },
    });
    t.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  const hasGivenUp = (): boolean => service.log.some((line) => line.includes('scoring without counters'));
  const lacking = ['counters_unavailable', 'history_unavailable', 'probe_unreadable'] as const;
  let sessions = 0;
  const countSomebody = async (): Promise<void> =>
    waitUntil(async () => {
      const reply = await score({ sessionId: `ready-${(sessions += 1)}`, respondentId: `somebody-${sessions}` });
      return !reply.degradedSignals.includes('counters_unavailable');
    }, 'the counters answer, and are whole');

  t.test('what is there by the deadline decides; the rest is named, and retries get the same receipt', async (t) => {
    await countSomebody();
    const inTime = await score({ sessionId: 'in-time', deadlineMs: 2_000 });
    t.notOk(inTime.degradedSignals.includes('counters_unavailable'));
    t.same(await score({ sessionId: 'in-time' }), { ...inTime, replayed: true }, 'a deadline is no part of the call');

    proxy.hang();
    const first = await score({ sessionId: 'late', deadlineMs: 20 });
    t.notOk(hasGivenUp(), 'before the store’s own time was over');
    for (const code of lacking) t.ok(first.degradedSignals.includes(code), code);
    t.match(first, { replayed: false, duplicate: { measured: false }, categories: { velocity: 0 } });
    const shown = { ...first, replayed: true };
    t.same(await score({ sessionId: 'late', deadlineMs: 20 }), shown, 'a retry while Redis hangs');
    t.same(await score({ sessionId: 'late', deadlineMs: 21 }), shown, 'whatever its deadline');
    t.same(await score({ sessionId: 'late' }), shown, 'and without one');

    await proxy.restore();
    await countSomebody();
    t.same(await score({ sessionId: 'late', deadlineMs: 20 }), shown, 'a retry afterwards');
    const evidence = async (): Promise<EvidenceReply> =>
      (await service.call('GET', `/lite/score/${first.receiptId}/evidence`)).body;
    await waitUntil(async () => (await evidence()).provenance?.faithful === true, 'it is recorded');
    t.same((await evidence()).evidence, first.evidence, 'the receipt is the one that was answered');
    const other = await score({ sessionId: 'another' });
    t.equal(other.duplicate.evidence.respondentDay, 3, 'each of the three sessions of the respondent counted once');
  });

  t.test('an Idempotency-Key, a limit and a deadline that is none are what they are without', async (t) => {
    const keyed = await score({ sessionId: 'keyed', deadlineMs: 2_000 }, { 'idempotency-key': 'own' });
    t.same(await score({ sessionId: 'keyed' }, { 'idempotency-key': 'own' }), { ...keyed, replayed: true });
    for (const deadlineMs of [0, 19, 2_001, 20.5, '50'])
      t.equal(
        (await service.call('POST', '/lite/score', { body: { sessionId: 's', clientIp: '203.0.113.9', deadlineMs } }))
          .status,
        400,
        `${deadlineMs}`,
      );
    await score({ sessionId: 'null', deadlineMs: null });
  });
}
