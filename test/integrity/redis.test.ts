/** Redis stopped, hanging, flushed and restarted under load. */
import { Redis } from 'ioredis';
import t from 'tap';
import { auditLoad, auditRefusals } from '../helpers/audit.js';
import { startFleet } from '../helpers/fleet.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { startScoreLoad } from '../helpers/score-load.js';
import { findStack, startOwnStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(240_000);
const stack = findStack(t, 'outages of Redis');

if (stack !== null) {
  t.test(
    'with Redis stopped, hanging, flushed or restarted every score is answered and says what it could not measure',
    async (t) => {
      const redis = await startOwnStack(t, ['redis'], 500);
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
        ['stop', 'start'],
        ['pause', 'resume'],
        ['kill', 'start'],
      ] as const) {
        const before = load.answers.degraded;
        await redis.command(down);
        await load.further(30);
        t.ok(load.answers.degraded - before >= 20, `after ${down} scores are answered without counts, and say so`);
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
