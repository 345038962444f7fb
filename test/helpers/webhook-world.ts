/**
 * A project with webhooks on real stores of the test’s own, a receiver, and what came of the events that were written: for tests that end senders.
 */
import type { Test as TapTest } from 'tap';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import { openKafkaLog } from '../../src/stores/log/kafka/log.js';
import { createOutbox } from '../../src/stores/outbox/outbox.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { makeProject, makeWebhook } from './deliveries.js';
import { realStoreSettings } from './real-service.js';
import { startReceiver } from './receiver.js';
import type { SenderSettings } from './sender-process.js';
import { verificationEvent } from './session-events.js';
import type { Stack } from './stores.js';
import { waitUntil } from './wait-until.js';

type Test = Pick<TapTest, 'teardown' | 'equal' | 'same' | 'ok' | 'comment'>;

/** Far longer than an attempt takes, so that no lease ends but that of a sender that was ended. */
const leaseMs = 6_000;
const timeoutMs = 2_000;

/** Two webhooks, of which one fails every first attempt. */
export async function makeWebhookWorld(t: Test, stack: Stack) {
  const logger = createLogger('silent');
  const { DATABASE_URL: databaseUrl, KAFKA_TOPIC_PREFIX: prefix } = await realStoreSettings(t, stack);
  const database = await openPostgres({ url: databaseUrl, poolMax: 4, deadlineMs: 5_000 });
  t.teardown(() => database.close());
  const log = await openKafkaLog({
    brokers: [stack.kafkaBrokers],
    clientId: 'verifyhuman-test',
    logger,
    prefix,
    sessionTimeoutMs: 6_000,
  });
  t.teardown(() => log.close());
  const receiver = await startReceiver(t);
  receiver.answer(({ path, headers }, response) => {
    response.writeHead(path === '/fails-first' && headers['x-service-attempt'] === '1' ? 503 : 200).end();
  });
  const owner = await makeProject(database);
  const webhookIds = [
    await makeWebhook(database, owner, `${receiver.url}/answers`),
    await makeWebhook(database, owner, `${receiver.url}/fails-first`),
  ];
  const outbox = createOutbox({ database, log, logger, metrics: createMetrics() });
  const settings: SenderSettings = { databaseUrl, kafkaBrokers: stack.kafkaBrokers, prefix, leaseMs, timeoutMs };
  const committed = new Set<string>();

  const count = async (where: string): Promise<number> =>
    (await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM deliveries WHERE ${where}`))[0]?.n ?? 0;
  const attempts = (): readonly string[] =>
    receiver.received.map(({ headers }) => `${String(headers['webhook-id'])} ${String(headers['x-service-attempt'])}`);

  return {
    stores: { database, log },
    settings,
    receiver,
    /** Counts leases of all senders at this moment. */
    leasesInFlight: () => count('leased'),
    /** Commits events and, unless they are to be left in the outbox as by a writer that died, hands them to the log. */
    async fire(events: number, { published = true } = {}): Promise<void> {
      const batch = Array.from({ length: events }, () => verificationEvent(owner));
      await database.transaction((tx) => outbox.write(tx, batch));
      for (const { eventId } of batch) committed.add(eventId);
      if (published) await outbox.publish(batch);
    },
    /** Waits until every committed event has succeeded at every webhook, and compares with what came. */
    async audit(leasesLost: number): Promise<void> {
      const wanted = (): number => committed.size * webhookIds.length;
      await waitUntil(
        async () => (await count("state = 'SUCCEEDED'").catch(() => 0)) >= wanted(),
        'every delivery succeeds',
        90_000,
      ).catch(() => undefined);
      const rows = await database.query<{ event_id: string; webhook_id: string; state: string }>(
        'SELECT event_id, webhook_id, state FROM deliveries',
      );
      const succeeded = new Set(
        rows.filter(({ state }) => state === 'SUCCEEDED').map((row) => row.event_id + row.webhook_id),
      );
      const lost = [...committed].flatMap((eventId) =>
        webhookIds.filter((webhookId) => !succeeded.has(eventId + webhookId)).map((webhookId) => [eventId, webhookId]),
      );
      t.same(lost.slice(0, 5), [], `none of ${wanted()} deliveries is lost`);
      const came = attempts();
      const arrived = new Set(receiver.received.map(({ headers }) => String(headers['webhook-id'])));
      t.ok(arrived.size >= wanted(), `${arrived.size} of ${wanted()} came to the receiver`);
      const repeated = came.length - new Set(came).size;
      t.comment(`${came.length} requests, ${repeated} of them repeated; ${leasesLost} leases were in flight`);
      t.ok(repeated <= leasesLost, `${repeated} attempts came twice, with ${leasesLost} leases in flight`);
    },
  };
}
