/** PostgreSQL gone and hanging under load, behind a proxy. all-stores.test.ts and webhooks-outages.test.ts kill a real server. */
import { Redis } from 'ioredis';
import t from 'tap';
import type { ScoreReply } from '../../src/contract/score.js';
import type { Bootstrap } from '../../src/projects/operator/bootstrap.js';
import { bounds } from '../../src/stores/counters/bounds.js';
import { auditCounts, auditLoad, auditRefusals } from '../helpers/audit.js';
import { startFleet } from '../helpers/fleet.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { startScoreLoad } from '../helpers/score-load.js';
import { findStack } from '../helpers/stores.js';
import { startTcpProxy } from '../helpers/tcp-proxy.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(120_000);
const stack = findStack(t, 'outages of PostgreSQL');

if (stack !== null) {
  t.test(
    'with PostgreSQL gone or hanging scores are answered, evidence is served, and the consumers wait',
    async (t) => {
      const databaseUrl = new URL(stack.databaseUrl);
      const proxy = await startTcpProxy(t, Number(databaseUrl.port));
      databaseUrl.port = String(proxy.port);
      const settings = await realStoreSettings(t, stack, { databaseUrl: databaseUrl.href });
      const fleet = await startFleet(t, settings, ['api', 'consumers']);
      const url = fleet.members[0]?.baseUrl() ?? '';
      const load = startScoreLoad(fleet, { callers: 3, pauseMs: 20 });
      await load.further(30);
      const retry = await scoreThatRedisLetGoOf(t, stack.redisUrl, url, fleet.keys);
      for (const down of ['refuse', 'hang'] as const) {
        await proxy[down]();
        await load.further(50);
        const [sessionId, receiptId] = [...load.receipts].at(-1) ?? [];
        const evidence = await fetch(`${url}/lite/score/${receiptId}/evidence`, {
          headers: { 'x-api-key': fleet.keys.projectKey },
        });
        t.equal(evidence.status, 200, `after ${down} the evidence of a new receipt is served`);
        t.equal(((await evidence.json()) as { sessionId: string }).sessionId, sessionId);
        const unknown = await fetch(`${url}/lite/score`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': `vf_${'0'.repeat(48)}` },
          body: '{}',
        });
        t.ok([401, 503].includes(unknown.status), 'a key that is not cached is not taken');
        const unheard = await retry.again();
        t.equal(unheard.status, 503, 'what was recorded of a call is not made up');
        t.ok(Number(unheard.headers.get('retry-after')) >= 1);
        t.match(await unheard.text(), /"STORE_UNAVAILABLE"/);
        const consumers = down === 'hang' ? fleet.members[1] : undefined;
        if (consumers !== undefined) t.equal(await consumers.end('SIGTERM'), 0, 'beside a server that hangs it ends');
        await proxy.restore();
        await consumers?.start();
        await load.further(20);
        let heard = await retry.again();
        await waitUntil(async () => (heard = await retry.again()).ok, 'the database is heard again');
        t.equal(await heard.text(), retry.text, 'and has the first answer');
      }
      await load.stop();
      auditRefusals(t, load);
      await auditLoad(t, settings.DATABASE_URL, load);
      await auditCounts(t, fleet, load, load.answers.degraded === 0);
    },
  );
}

/** A score that is recorded and that only the database has any more: the text of an identical retry’s answer, and another such call. */
async function scoreThatRedisLetGoOf(
  t: { teardown(work: () => unknown): unknown },
  redisUrl: string,
  baseUrl: string,
  { projectKey, projectId }: Bootstrap,
) {
  const store = new Redis(redisUrl);
  t.teardown(() => store.quit());
  const again = (): Promise<Response> =>
    fetch(`${baseUrl}/lite/score`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': projectKey },
      body: JSON.stringify({ sessionId: 'let-go', clientIp: '203.0.113.9' }),
    });
  const first = await (await again()).text();
  const key = `{${projectId}}:q:${(JSON.parse(first) as ScoreReply).receiptId}`;
  await waitUntil(async () => (await store.pttl(key)) <= bounds.recordedReceiptMs, 'it is recorded');
  await store.del(key);
  return { again, text: first.replace('"replayed":false', '"replayed":true') };
}
