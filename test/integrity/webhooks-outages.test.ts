/** Kafka killed and PostgreSQL restarted while webhooks are delivered. */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { startSender } from '../helpers/sender-process.js';
import { findStack, startOwnStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';
import { makeWebhookWorld } from '../helpers/webhook-world.js';

t.setTimeout(300_000);

if (findStack(t, 'outages while webhooks are delivered') !== null) {
  t.test('with Kafka killed and PostgreSQL restarted no delivery is lost', async (t) => {
    const own = await startOwnStack(t, ['postgres', 'redis', 'kafka']);
    const world = await makeWebhookWorld(t, own);
    await startSender(t, world.settings);
    let isOver = false;
    const load = async (): Promise<void> => {
      while (!isOver) {
        // A commit that was refused was not promised to anybody.
        await world.fire(2).catch(() => undefined);
        await pause(50);
      }
    };
    const loading = load();
    const further = (requests: number, meaning: string): Promise<void> => {
      const wanted = world.receiver.received.length + requests;
      return waitUntil(() => world.receiver.received.length >= wanted, meaning, 90_000);
    };
    await further(30, 'webhooks arrive');
    await own.command('kill', ['kafka']);
    await further(60, 'webhooks arrive while Kafka is away');
    await own.command('start', ['kafka']);
    await further(30, 'webhooks arrive when Kafka is back');
    let leases = await world.leasesInFlight();
    await own.command('kill', ['postgres']);
    await own.command('start', ['postgres']);
    leases += await world.leasesInFlight();
    await further(60, 'webhooks arrive when PostgreSQL is back');
    isOver = true;
    await loading;
    await world.audit(leases);
  });
}
