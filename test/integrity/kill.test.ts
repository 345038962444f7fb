/**
 * kill -9 of the API and of the consumers at random moments under load. INTEGRITY_KILLS says how often (`npm run soak` asks for many).
 */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { auditCounts, auditLoad } from '../helpers/audit.js';
import { startFleet, type FleetMember } from '../helpers/fleet.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { startScoreLoad } from '../helpers/score-load.js';
import { createRandom } from '../../workers/seeded-random.js';
import { findStack } from '../helpers/stores.js';

/** `npm test` kills each process a few times; the soak kills two thousand times. */
const killsMax = Number(process.env['INTEGRITY_KILLS'] ?? 12);
const upMsMax = 1_000;
const seed = Number(process.env['INTEGRITY_SEED'] ?? 1);

t.setTimeout(120_000 + killsMax * 5_000);
const stack = findStack(t, 'kill -9 under load');

if (stack !== null) {
  t.test(
    `${killsMax} times kill -9: no answered receipt and no accepted event is lost, and none counts twice`,
    async (t) => {
      const settings = { ...(await realStoreSettings(t, stack)), VH_CONSUMER_TAKEOVER_MS: '3000' };
      const fleet = await startFleet(t, settings, ['api', 'api', 'consumers', 'consumers']);
      const load = startScoreLoad(fleet, { callers: 8, events: true, breaks: true, pauseMs: 5 });
      const random = createRandom(seed);
      let kills = 0;
      const killAgainAndAgain = async (member: FleetMember): Promise<void> => {
        while (kills < killsMax) {
          kills++;
          await pause(random() * upMsMax);
          await member.end('SIGKILL');
          await member.start();
        }
      };
      await Promise.all(fleet.members.map(killAgainAndAgain));
      await load.further(20);
      await load.stop();
      t.comment(`seed ${seed}: ${kills} kills, ${load.receipts.size} sessions scored`);
      t.ok(load.receipts.size > killsMax, 'there was load throughout');
      await auditLoad(t, settings.DATABASE_URL, load);
      await auditCounts(t, fleet, load, load.answers.degraded === 0);
    },
  );
}
