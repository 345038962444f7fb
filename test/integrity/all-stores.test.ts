/** All three stores restarted in a row, and away at the same time. */
import t from 'tap';
import { auditLoad, auditRefusals } from '../helpers/audit.js';
import { startFleet } from '../helpers/fleet.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { startScoreLoad } from '../helpers/score-load.js';
import { findStack, startOwnStack, type StackService } from '../helpers/stores.js';

t.setTimeout(300_000);
const stack = findStack(t, 'all stores restarted in a row');

if (stack !== null) {
  t.test(
    'all three stores restarted in a row, then gone at once: every score is answered, and nothing is lost',
    async (t) => {
      const own = await startOwnStack(t, ['postgres', 'redis', 'kafka'], 800);
      const settings = {
        ...(await realStoreSettings({ teardown: () => undefined }, own)),
        VH_CONSUMER_TAKEOVER_MS: '3000',
      };
      const fleet = await startFleet(t, settings, ['api', 'consumers']);
      const load = startScoreLoad(fleet, { callers: 3, pauseMs: 20 });
      await load.further(20);
      for (const service of ['kafka', 'redis', 'postgres'] satisfies StackService[]) {
        await own.command('kill', [service]);
        await load.further(30);
        await own.command('start', [service]);
        await load.further(10);
      }
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
    },
  );
}
