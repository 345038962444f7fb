/** Kafka hanging, killed and restarted under load. */
import t from 'tap';
import { auditCounts, auditLoad, auditRefusals } from '../helpers/audit.js';
import { startFleet } from '../helpers/fleet.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { startScoreLoad } from '../helpers/score-load.js';
import { findStack, startOwnStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(300_000);
const stack = findStack(t, 'outages of Kafka');

if (stack !== null) {
  t.test(
    'with Kafka hanging, killed or restarted every score is answered; its receipt waits in the spool and is recorded once',
    async (t) => {
      const kafka = await startOwnStack(t, ['kafka']);
      const settings = {
        ...(await realStoreSettings(t, stack, { kafkaBrokers: kafka.kafkaBrokers })),
        VH_CONSUMER_TAKEOVER_MS: '3000',
      };
      const fleet = await startFleet(t, settings, ['api', 'consumers']);
      const [api, consumers] = fleet.members;
      const load = startScoreLoad(fleet, { callers: 3, pauseMs: 20 });
      await load.further(30);
      for (const [down, up] of [
        ['pause', 'resume'],
        ['kill', 'start'],
      ] as const) {
        await kafka.command(down);
        await load.further(40);
        t.ok(((await api?.metric('vh_spool_bytes')) ?? 0) > 0, `after ${down} receipts wait in the spool`);
        if (down === 'pause') {
          t.equal(await consumers?.end('SIGTERM'), 0, 'a consumer is told to end, and does, beside brokers that hang');
          await consumers?.start();
        }
        if (down === 'kill') {
          await api?.end('SIGTERM');
          await api?.start();
          await load.further(20);
        }
        await kafka.command(up);
        await waitUntil(async () => (await api?.metric('vh_spool_bytes')) === 0, 'the spool is replayed', 60_000);
        await load.further(20);
      }
      await load.stop();
      auditRefusals(t, load);
      await auditLoad(t, settings.DATABASE_URL, load);
      await auditCounts(t, fleet, load, load.answers.degraded === 0);
    },
  );
}
