/** kill -9 of a sender of webhooks at every step of an attempt, before and after each of its writes. */
import t from 'tap';
import { startTestDeliveries } from '../helpers/deliveries.js';
import { faultSteps } from '../helpers/sender-faults.js';
import { startSender } from '../helpers/sender-process.js';
import { findStack } from '../helpers/stores.js';
import { makeWebhookWorld } from '../helpers/webhook-world.js';

t.setTimeout(240_000);
const stack = findStack(t, 'kill -9 of a sender at every step');
/** Into the work of each step, so that something is done and something is not. */
const nthOf = (step: string): number => (step.includes(':') ? 1 : 10);

if (stack !== null) {
  t.test('a sender that ends at a step', { jobs: 3 }, async (t) => {
    for (const step of faultSteps)
      t.test(`at ${step} nothing is lost, and no more repeated than it had leased`, { buffered: true }, async (t) => {
        const world = await makeWebhookWorld(t, stack);
        const sender = await startSender(t, world.settings, `${step}@${nthOf(step)}`);
        await world.fire(30);
        await world.fire(2, { published: false });
        t.equal(await sender.ended, 'SIGKILL', 'it came to the step');
        const leases = await world.leasesInFlight();
        const { leaseMs, timeoutMs } = world.settings;
        const next = await startTestDeliveries(world.stores, { leaseMs, timeoutMs });
        t.teardown(() => next.stop());
        await world.audit(leases);
        await next.stop();
      });
  });
}
