/** Redis killed and restarted, hanging and flushed under load. */
import { Redis } from 'ioredis';
import t from 'tap';
import { auditLoad, auditRefusals } from '../helpers/audit.js';
import type { ScoreReply } from '../../src/contract/score.js';
import { startFleet, type Fleet } from '../helpers/fleet.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { startScoreLoad } from '../helpers/score-load.js';
import { findStack, startOwnStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(120_000);
const stack = findStack(t, 'outages of Redis');

/** An Idempotency-Key is remembered by the counters: without them a score is answered all the same, as one of its own, and says that they are away. */
async function checkKeyWithoutCounters(test: Pick<typeof t, 'match' | 'not'>, fleet: Fleet): Promise<void> {
  const score = async (clientIp: string): Promise<ScoreReply> => {
    const answer = await fetch(`${fleet.members[0]?.baseUrl() ?? ''}/lite/score`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': fleet.keys.projectKey, 'idempotency-key': 'away-1' },
      body: JSON.stringify({ sessionId: 'key-away', clientIp }),
    });
    return (await answer.json()) as ScoreReply;
  };
  const [first, again, other] = [await score('192.0.2.1'), await score('192.0.2.1'), await score('192.0.2.2')];
  for (const reply of [first, again, other])
    test.match(reply, { replayed: false, supersedes: null, degradedSignals: /counters_unavailable/ });
  test.not(again.receiptId, first.receiptId);
  test.not(other.receiptId, first.receiptId);
}

if (stack !== null) {
  t.test(
    'with Redis killed, hanging or flushed every score is answered and says what it could not measure',
    async (t) => {
      const redis = await startOwnStack(t, ['redis']);
      const settings = await realStoreSettings(t, stack, { redisUrl: redis.redisUrl });
      const fleet = await startFleet(t, settings, ['api,consumers']);
      const load = startScoreLoad(fleet, { callers: 3, pauseMs: 20 });
      const wholeAgain = async (): Promise<void> => {
        await waitUntil(
          async () => {
            const before = load.answers.degraded;
            await load.further(10);
            return load.answers.degraded === before;
          },
          'scores are whole again',
          60_000,
        );
      };
      await load.further(30);
      t.equal(load.answers.degraded, 0);

      for (const [down, up] of [
        ['pause', 'resume'],
        ['kill', 'start'],
      ] as const) {
        const before = load.answers.degraded;
        await redis.command(down);
        await load.further(30);
        t.ok(load.answers.degraded - before >= 20, `after ${down} scores are answered without counts, and say so`);
        if (down === 'kill') await checkKeyWithoutCounters(t, fleet);
        await redis.command(up);
        await wholeAgain();
      }

      const client = new Redis(redis.redisUrl);
      await client.flushall();
      await load.further(30);
      await client.quit();
      await wholeAgain();
      await load.stop();
      auditRefusals(t, load);
      await auditLoad(t, settings.DATABASE_URL, load);
    },
  );
}
