/**
 * kill -9 of senders of webhooks at random moments under load. INTEGRITY_KILLS says how often (`npm run soak` asks for many), INTEGRITY_SEED repeats a run.
 */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { createRandom } from '../../workers/seeded-random.js';
import { startSender } from '../helpers/sender-process.js';
import { findStack } from '../helpers/stores.js';
import { makeWebhookWorld } from '../helpers/webhook-world.js';

const killsMax = Number(process.env['INTEGRITY_KILLS'] ?? 8);
const seed = Number(process.env['INTEGRITY_SEED'] ?? 1);
const upMsMax = 600;

t.setTimeout(120_000 + killsMax * 5_000);
const stack = findStack(t, 'kill -9 of senders under load');

if (stack !== null) {
  t.test(
    `${killsMax} times kill -9: no delivery is lost, and no more repeated than leases were in flight`,
    async (t) => {
      const world = await makeWebhookWorld(t, stack);
      const random = createRandom(seed);
      let kills = 0;
      let leases = 0;
      let isOver = false;
      const load = async (): Promise<void> => {
        while (!isOver) {
          await world.fire(5, { published: random() > 0.1 });
          await pause(50);
        }
      };
      const killAgainAndAgain = async (): Promise<void> => {
        while (kills < killsMax) {
          kills++;
          const sender = await startSender(t, world.settings);
          await pause(random() * upMsMax);
          await sender.end('SIGKILL');
          leases += await world.leasesInFlight();
        }
      };
      const loading = load();
      await Promise.all([killAgainAndAgain(), killAgainAndAgain()]);
      isOver = true;
      await loading;
      const last = await startSender(t, world.settings);
      await world.audit(leases);
      t.equal(await last.end('SIGTERM'), 0, 'the last stops in good order');
      t.comment(`seed ${seed}: ${kills} kills`);
    },
  );
}
