import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { operator } from '../../src/administration/audit.js';
import { insertOrganization } from '../../src/administration/organization-store.js';
import { insertProject } from '../../src/administration/project-store.js';
import { createGuardedConnect, resolveLocally } from '../../src/net/guarded-connect.js';
import { createTargetClassifier } from '../../src/net/target-address.js';
import { openTestDatabase } from '../helpers/embedded.js';
import type { Log } from '../../src/stores/log/port.js';
import { openTableLog } from '../../src/stores/log/embedded/log.js';
import { createOutbox } from '../../src/stores/outbox/outbox.js';
import { sweepOutbox } from '../../src/stores/outbox/sweeper.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { startDeliveries } from '../../src/webhooks/deliveries.js';
import { createPoster } from '../../src/webhooks/post.js';
import { createRegistrationService } from '../../src/webhooks/registration-service.js';
import { createSecretStore } from '../../src/administration/secret-store.js';
import { startReceiver } from '../helpers/receiver.js';
import { verificationEvent } from '../helpers/session-events.js';
import { waitUntil } from '../helpers/wait-until.js';

const logger = createLogger('silent');
const metrics = createMetrics();

async function openAll(t: Test) {
  const database = await openTestDatabase(t);
  const log = openTableLog({ database, now: () => performance.now(), pollMs: 50 });
  t.teardown(() => log.close());
  const organizationId = await database.transaction((tx) =>
    insertOrganization(tx, { name: 'Stream', tier: 'free', liteEnabled: false }),
  );
  const project = await insertProject(database, organizationId, { name: 'Stream' });
  const owner = { organizationId, projectId: project?.projectId ?? '', mode: 'live' } as const;
  const secrets = createSecretStore(randomBytes(32));
  const receiver = await startReceiver(t);
  const registrations = createRegistrationService({
    database,
    secrets,
    target: { classify: createTargetClassifier(), allowPrivate: true },
    onChange: () => undefined,
  });
  await registrations.create(operator, owner, { url: receiver.url });
  const deliveries = await startDeliveries({
    ...{ database, log, logger, metrics, secrets, timeoutMs: 5_000, waitsSeconds: [1, 1, 1, 1], retentionDays: 30 },
    poster: createPoster({
      connect: createGuardedConnect({ resolve: resolveLocally, classify: null, timeoutMs: 2_000 }),
      timeoutMs: 5_000,
    }),
    now: Date.now,
    clock: () => performance.now(),
    random: Math.random,
    noteArrived: () => Promise.resolve(),
  });
  t.teardown(() => deliveries.stop());
  const inOutbox = async () => (await database.query('SELECT 1 FROM outbox')).length;
  return { database, log, owner, receiver, inOutbox };
}

t.test('an event that the log took and lost before its fan-out is delivered all the same', async (t) => {
  const { database, log, owner, receiver, inOutbox } = await openAll(t);
  const losing: Log = { ...log, append: () => Promise.resolve() };
  const outbox = createOutbox({ database, log: losing, logger, metrics });
  const event = verificationEvent(owner);
  await database.transaction((tx) => outbox.write(tx, [event]));
  await outbox.publish([event]);
  await outbox.close();
  await database.query("UPDATE outbox SET written_at = written_at - interval '10 seconds'");
  await waitUntil(() => receiver.received.length === 1, 'the receiver has it');
  t.equal(receiver.received[0]?.headers['x-service-idempotency-key'], event.sessionId);

  await waitUntil(
    async () => (await database.query('SELECT 1 FROM outbox WHERE NOT fanned_out')).length === 0,
    'it is known to be fanned out',
  );
  await database.query('UPDATE outbox SET due_at = now()');
  t.equal(await sweepOutbox({ database, log }), 1, 'the log gets it for its other readers');
  t.equal(await inOutbox(), 0);
});

t.test(
  'events that come through the log leave the outbox once they are fanned out, with webhooks or without',
  async (t) => {
    const { database, log, owner, receiver, inOutbox } = await openAll(t);
    const outbox = createOutbox({ database, log, logger, metrics });
    // Nobody asked for the second.
    const events = [verificationEvent(owner), verificationEvent(owner, {}, { type: 'verification.passed' })];
    await database.transaction((tx) => outbox.write(tx, events));
    await outbox.publish(events);
    await outbox.close();
    await waitUntil(async () => receiver.received.length === 1 && (await inOutbox()) === 0, 'delivered and removed');
    t.equal((await database.query('SELECT 1 FROM deliveries')).length, 1);
  },
);
