/** The master of a Redis with Sentinels killed under load, with its last counts not yet on the replica that takes over. */
import { Redis } from 'ioredis';
import t from 'tap';
import type { ScoreReply } from '../../src/contract/score.js';
import { auditCounts, auditLoad, auditRefusals } from '../helpers/audit.js';
import { startFleet } from '../helpers/fleet.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { scoreBody, startScoreLoad } from '../helpers/score-load.js';
import { startSentinel, takeOverMsMax } from '../helpers/sentinel.js';
import { findStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';
import { startRedis, type TestRedis } from '../stores/counters/redis-server.js';

t.setTimeout(240_000);
const stack = findStack(t, 'a failover of Redis under load');
const sentinelCount = 3;
const gapSessions = 5;

type TearDown = Pick<typeof t, 'teardown'>;

async function startOwnRedis(t: TearDown, args: readonly string[] = []): Promise<TestRedis & { admin: Redis }> {
  const redis = await startRedis({ args });
  if (redis === null) throw new Error('redis-server is not installed');
  const admin = new Redis(redis.url, { lazyConnect: true, maxRetriesPerRequest: 0 });
  admin.on('error', () => undefined);
  t.teardown(async () => {
    admin.disconnect();
    await redis.close();
  });
  return { ...redis, admin };
}

/** Holds each reply that does not call itself degraded against what was scored: a session that Redis was away for may be missing, no other, and none is counted twice. */
function createJudge() {
  const uncounted = new Map<string, number>();
  const wrong: string[] = [];
  return {
    wrong,
    judge: (reply: ScoreReply, respondentId: string, nth: number): void => {
      const missing = uncounted.get(respondentId) ?? 0;
      if (reply.degradedSignals.includes('counters_unavailable')) {
        uncounted.set(respondentId, missing + 1);
        return;
      }
      const counted = reply.duplicate.evidence.respondentDay;
      if (counted === null || counted > nth || counted < nth - missing)
        wrong.push(`${respondentId}: ${counted} counted of ${nth}, ${missing} without Redis`);
    },
  };
}

if (stack !== null) {
  t.test('what a failover of Redis loses is noticed and restored, and no score in between is wrong', async (t) => {
    const master = await startOwnRedis(t);
    const replica = await startOwnRedis(t, ['--replicaof', '127.0.0.1', String(master.port)]);
    const sentinels = await Promise.all(
      Array.from({ length: sentinelCount }, () => startSentinel(t, { masterPort: master.port, quorum: 2 })),
    );
    const sentinel = new Redis(`redis://127.0.0.1:${sentinels[0]?.port}`);
    t.teardown(() => sentinel.disconnect());
    await waitUntil(async () => {
      const known = String(await sentinel.call('SENTINEL', 'MASTER', 'vh'));
      const replicas = String(await sentinel.call('SENTINEL', 'REPLICAS', 'vh'));
      return known.includes(`num-other-sentinels,${sentinelCount - 1}`) && replicas.includes('master-link-status,ok');
    }, 'the Sentinels know each other and the replica');
    const nodes = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const settings = await realStoreSettings(t, stack, { redisUrl: `redis+sentinel://${nodes}/vh` });
    const fleet = await startFleet(t, settings, ['api,consumers', 'api']);
    const metric = async (name: string): Promise<number> =>
      (await Promise.all(fleet.members.map((member) => member.metric(name)))).reduce((sum, value) => sum + value, 0);
    /** How many sessions its respondent, who is nobody of the load, is told to have had. */
    const scoreInGap = async (nth: number): Promise<number | null> => {
      const answer = await fetch(`${fleet.members[nth % 2]?.baseUrl() ?? ''}/lite/score`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': fleet.keys.projectKey },
        body: JSON.stringify(scoreBody(`gap-${nth}`, 'gap-respondent')),
      });
      return ((await answer.json()) as ScoreReply).duplicate.evidence.respondentDay;
    };
    const { judge, wrong } = createJudge();
    const load = startScoreLoad(fleet, { callers: 3, pauseMs: 20, onReply: judge });
    await load.further(60);
    t.equal(load.answers.degraded, 0);
    const restoredBefore = await metric('vh_restored_sessions_total');

    // The replica is not let in again: what is counted from here on, the master alone has.
    await master.admin.acl('SETUSER', 'default', '-psync', '-sync');
    await master.admin.call('CLIENT', 'KILL', 'TYPE', 'replica');
    const keptKeys = await replica.admin.dbsize();
    for (let nth = 1; nth <= gapSessions; nth += 1) t.equal(await scoreInGap(nth), nth);
    await load.further(40);
    t.ok(
      (await master.admin.dbsize()) - (await replica.admin.dbsize()) > 30,
      'the replica lacks what was just counted',
    );
    t.equal(await replica.admin.dbsize(), keptKeys);
    t.equal(load.answers.degraded, 0);
    master.kill('SIGKILL');
    const namedPort = async (): Promise<unknown> =>
      ((await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'vh')) as unknown[])[1];
    await waitUntil(async () => (await namedPort()) === String(replica.port), 'the replica takes over', takeOverMsMax);
    await waitUntil(
      async () => {
        const before = load.answers.degraded;
        await load.further(20);
        return load.answers.degraded === before;
      },
      'scores are whole again',
      60_000,
    );
    t.ok(load.answers.degraded > 0, 'those in between said what they could not measure');
    t.comment(`${load.answers.degraded} of ${load.answers.total} scores without counts`);
    const restored = (await metric('vh_restored_sessions_total')) - restoredBefore;
    t.ok(restored >= 100, `${restored} sessions came back from the database`);
    t.equal(await scoreInGap(gapSessions + 1), gapSessions + 1, 'those of the gap among them');
    await load.further(30);
    await load.stop();
    t.same(wrong.slice(0, 5), [], 'no score was told too few or too many of its respondent');
    auditRefusals(t, load);
    await auditLoad(t, settings.DATABASE_URL, load);
    await auditCounts(t, fleet, load, false);
  });
}
