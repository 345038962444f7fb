/** A count that Redis finishes after the service gave up on it, and one that was judged by other rules: what is answered under an id is what stands there. */
import { Redis } from 'ioredis';
import t from 'tap';
import { issueDashboardToken } from '../../src/administration/dashboard-tokens.js';
import type { EvidenceReply, ScoreReply } from '../../src/contract/score.js';
import { loadMasterKey } from '../../src/crypto/master-key.js';
import { probeExample } from '../../src/scoring/examples.js';
import { bounds } from '../../src/stores/counters/bounds.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';
import { startRedis } from '../stores/counters/redis-server.js';

const redis = await startRedis();
if (redis === null) t.comment('Left out: counts that come late. redis-server is not installed.');
else {
  const service = await startTestService(t, { REDIS_URL: redis.url });
  t.teardown(() => redis.close());
  t.test(
    'a retry of a score whose count came late gets a receipt of its own; each has one verdict, which evidence shows',
    async (t) => {
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

    // The store has this from a process with other rules.
    const store = new Redis(redis.url);
    t.teardown(() => store.quit());
    const { modelVersion } = (await evidence(first)).provenance;
    for (const key of await store.keys(`*q:${first.receiptId}`)) {
      const kept = await store.getBuffer(key);
      if (kept === null || !kept.includes(modelVersion)) throw new Error('the rules are not named there');
      kept.fill('f', kept.indexOf(modelVersion), kept.indexOf(modelVersion) + modelVersion.length);
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

  t.test('a retry whose receipt Redis has let go of is answered with what was recorded, byte for byte', async (t) => {
    const { projectKey, organizationKey, probeKey, projectId, baseUrl } = service.bootstrap;
    const body = { sessionId: 'let-go', clientIp: '203.0.113.9', sourceId: 'panel', respondentId: 'maria' };
    const score = async (headers: object = {}, over: object = {}, key = projectKey) => {
      const answer = await fetch(`${baseUrl}/lite/score`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
        body: JSON.stringify({ ...body, ...over }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const replyOf = ({ text }: { readonly text: string }) => JSON.parse(text) as ScoreReply;
    const probe = (seq: number) =>
      service.call('POST', '/public/lite/probe', {
        body: { ...probeExample(probeKey), sessionId: body.sessionId, seq },
        headers: { 'user-agent': 'Mozilla/5.0' },
      });
    const store = new Redis(redis.url);
    t.teardown(() => store.quit());
    const letGo = async (): Promise<void> => {
      await waitUntil(async () => {
        const keys = await store.keys('*}:q:*');
        const left = await Promise.all(keys.map((key) => store.pttl(key)));
        return left.every((ms) => ms <= bounds.recordedReceiptMs);
      }, 'they are recorded, and let go of');
      for (const key of await store.keys('*}:q:*')) await store.del(key);
    };
    const shownAgain = (text: string): string => text.replace('"replayed":false', '"replayed":true');

    // The first score met a store that hung, and the project is brought back since.
    let calls = 0;
    await waitUntil(async () => {
      const reply = replyOf(await score({}, { sessionId: `ready-${(calls += 1)}`, respondentId: 'somebody' }));
      return !reply.degradedSignals.includes('counters_unavailable');
    }, 'the counters are whole');
    t.equal((await probe(0)).status, 202);
    const [first, keyed, unprojected] = [
      await score(),
      await score({ 'idempotency-key': 'own' }, { sessionId: 'other' }),
      await score({}, { sessionId: 'third' }, organizationKey),
    ];
    t.notOk(replyOf(first).degradedSignals.includes('client_probe_missing'));
    await letGo();
    for (let i = 0; i < 2; i += 1) {
      t.equal((await score()).text, shownAgain(first.text));
      t.equal((await score({ 'idempotency-key': 'new' })).text, shownAgain(first.text));
      t.equal((await score({ 'idempotency-key': 'own' }, { sessionId: 'other' })).text, shownAgain(keyed.text));
      t.equal((await score({}, { sessionId: 'third' }, organizationKey)).text, shownAgain(unprojected.text));
    }
    t.equal((await score({ 'idempotency-key': 'own' })).status, 409, 'a key stands for its body');

    const changed = replyOf(await score({}, { declaredCountry: 'DE' }));
    t.match(changed, { replayed: false, supersedes: replyOf(first).receiptId });
    t.equal(changed.duplicate.evidence.respondentDay, replyOf(keyed).duplicate.evidence.respondentDay, 'counted once');
    t.notOk(changed.degradedSignals.includes('client_probe_missing'), 'its probe is still there');
    t.equal((await probe(1)).status, 202);
    await letGo();
    t.equal((await score({ 'idempotency-key': 'new' })).text, shownAgain(first.text), 'also after more of the probe');
    const later = replyOf(await score());
    t.match(later, { replayed: false, supersedes: changed.receiptId }, 'which another call sees');
    await letGo();
    t.same(replyOf(await score()), { ...later, replayed: true });

    const token = await issueDashboardToken(loadMasterKey(service.dataDirectory), {
      ...{ organizationId: service.bootstrap.organizationId, role: 'owner', lifetimeSeconds: 60 },
    });
    const erased = await service.call('DELETE', `/projects/${projectId}/respondents/maria`, {
      headers: { authorization: `Bearer ${token}` },
    });
    t.equal(erased.status, 200);
    const anew = replyOf(await score());
    t.match(anew, { replayed: false, supersedes: later.receiptId }, 'what was erased is answered to nobody');
    t.equal(anew.duplicate.evidence.respondentDay, changed.duplicate.evidence.respondentDay);
    t.same(replyOf(await score()), { ...anew, replayed: true });
  });
}
