/** All three stores killed, restarted and hanging at the same time. One after the other: kafka.test.ts, redis.test.ts, webhooks-outages.test.ts. */
import t from 'tap';
import { auditLoad, auditRefusals } from '../helpers/audit.js';
import { startFleet } from '../helpers/fleet.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { startScoreLoad } from '../helpers/score-load.js';
import { findStack, startOwnStack } from '../helpers/stores.js';

t.setTimeout(300_000);
const stack = findStack(t, 'all stores away at once');

if (stack !== null) {
  t.test('all three stores killed at once and restarted: every score is answered, and nothing is lost', async (t) => {
    const own = await startOwnStack(t, ['postgres', 'redis', 'kafka']);
    const settings = {
      ...(await realStoreSettings({ teardown: () => undefined }, own)),
      VH_CONSUMER_TAKEOVER_MS: '3000',
    };
    const fleet = await startFleet(t, settings, ['api', 'consumers']);
    const load = startScoreLoad(fleet, { callers: 3, pauseMs: 20 });
    await load.further(20);
    await own.command('kill');
    await load.further(60);
    await own.command('start');
    await load.further(30);
    await load.stop();
    auditRefusals(t, load);
    await auditLoad(t, settings.DATABASE_URL, load);

    await own.command('pause');
    const startedMs = performance.now();
    await Promise.all(
      fleet.members.map(async (member) => {
        await member.end('SIGTERM');
        t.ok(performance.now() - startedMs < 10_000, `${member.roles} ends in time while all stores hang`);
      }),
    );
    await own.command('resume');
  });
}
