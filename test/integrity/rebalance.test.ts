/** Consumers come and go under load. */
import t from 'tap';
import { auditLoad } from '../helpers/audit.js';
import { startFleet } from '../helpers/fleet.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { startScoreLoad } from '../helpers/score-load.js';
import { findStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(240_000);
const stack = findStack(t, 'rebalancing of consumers');

if (stack !== null) {
  t.test(
    'three consumers share the work while each in turn leaves and comes back; everything is recorded once',
    async (t) => {
      const settings = await realStoreSettings(t, stack);
      const fleet = await startFleet(t, settings, ['api', 'consumers', 'consumers', 'consumers']);
      const consumers = fleet.members.filter(({ roles }) => roles === 'consumers');
      const load = startScoreLoad(fleet, { callers: 4, events: true, pauseMs: 5 });
      const eachHasWork = (): Promise<void> =>
        waitUntil(
          async () =>
            (await Promise.all(consumers.map((consumer) => consumer.metric('vh_receipts_recorded_total')))).every(
              (recorded) => recorded > 0,
            ),
          'each consumer records receipts',
          60_000,
        );
      await eachHasWork();
      for (const consumer of consumers) {
        t.equal(await consumer.end('SIGTERM'), 0, 'a consumer leaves in good order');
        await load.further(30);
        await consumer.start();
        await load.further(30);
      }
      await eachHasWork();
      await load.stop();
      await auditLoad(t, settings.DATABASE_URL, load);
    },
  );
}
