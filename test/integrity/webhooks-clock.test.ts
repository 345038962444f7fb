/** The clock of a sender of webhooks jumps back and forth. */
import t from 'tap';
import { startTestDeliveries } from '../helpers/deliveries.js';
import { findStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';
import { makeWebhookWorld } from '../helpers/webhook-world.js';

t.setTimeout(120_000);
const stack = findStack(t, 'a sender whose clock jumps');

if (stack !== null) {
  t.test('a clock that jumps loses and repeats nothing, and its time stands in what is signed', async (t) => {
    const world = await makeWebhookWorld(t, stack);
    let shiftMs = 0;
    const { leaseMs, timeoutMs } = world.settings;
    const running = await startTestDeliveries(world.stores, {
      ...{ leaseMs, timeoutMs },
      now: () => Date.now() + shiftMs,
    });
    t.teardown(() => running.stop());
    // The last goes further back than anything is kept. Rounds, leases and retention go by the database’s clock, and nothing of them moves.
    for (const jumpMs of [0, -3_600_000, 7_200_000, -400 * 86_400_000]) {
      shiftMs += jumpMs;
      const [before, atMs] = [world.receiver.received.length, Date.now() + shiftMs];
      await world.fire(10);
      // Ten to each webhook, and ten repetitions of the first attempts that one of them fails.
      await waitUntil(() => world.receiver.received.length >= before + 30, `all arrive after ${jumpMs}`, 60_000);
      for (const { headers } of world.receiver.received.slice(before))
        t.ok(Math.abs(Number(headers['x-service-timestamp']) * 1_000 - atMs) < 120_000, 'signed at the sender’s time');
    }
    await world.audit(0);
    await running.stop();
  });
}
