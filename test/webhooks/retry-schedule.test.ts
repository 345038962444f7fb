/** The waits of the contract between attempts, by a database whose clock is moved: no test waits for half an hour. */
import t from 'tap';
import { readSettings } from '../../src/config/read.js';
import { openTestDatabase } from '../helpers/embedded.js';
import { openTableLog } from '../../src/stores/log/embedded/log.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { createOutbox } from '../../src/stores/outbox/outbox.js';
import { makeProject, makeWebhook, startTestDeliveries } from '../helpers/deliveries.js';
import { startReceiver } from '../helpers/receiver.js';
import { verificationEvent } from '../helpers/session-events.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(180_000);

t.test(
  'the retries of the contract come after about 5 s, 30 s, 5 min and 30 min, and the fifth attempt is the last',
  async (t) => {
    const logger = createLogger('silent');
    const database = await openTestDatabase(t);
    // Deliveries are due by the clock of the database; `moved.now()` stands in for it, and stands still unless it is moved.
    for (const sql of [
      'CREATE SCHEMA moved',
      'CREATE TABLE moved.clock AS SELECT pg_catalog.now() AS at',
      "CREATE FUNCTION moved.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM moved.clock'",
      'SET search_path = moved, pg_catalog, public',
    ])
      await database.query(sql);
    const log = openTableLog({ database, now: () => performance.now(), pollMs: 50 });
    t.teardown(() => log.close());
    const owner = await makeProject(database);
    const receiver = await startReceiver(t);
    receiver.answer((_received, response) => void response.writeHead(503).end());
    await makeWebhook(database, owner, receiver.url);
    const { VH_WEBHOOK_BACKOFF_SECONDS: waitsSeconds } = readSettings({});
    t.same(waitsSeconds, [5, 30, 300, 1_800]);
    const running = await startTestDeliveries({ database, log }, { waitsSeconds, random: () => 0.5 });
    t.teardown(() => running.stop());
    const outbox = createOutbox({ database, log, logger, metrics: createMetrics() });
    const event = verificationEvent(owner);
    await database.transaction((tx) => outbox.write(tx, [event]));
    await outbox.publish([event]);

    const read = async (): Promise<{ state: string; attempt: number; leased: boolean; seconds: number }> => {
      const [row] = await database.query<{ state: string; attempt: number; leased: boolean; seconds: number }>(
        'SELECT state, attempt, leased, extract(epoch FROM due_at - moved.now())::float8 AS seconds FROM deliveries',
      );
      return row ?? { state: 'NONE', attempt: 0, leased: false, seconds: 0 };
    };
    for (const [index, wait] of waitsSeconds.entries()) {
      let delivery = await read();
      await waitUntil(
        async () => {
          delivery = await read();
          return delivery.attempt === index + 2 && !delivery.leased;
        },
        `attempt ${index + 1} failed`,
      );
      t.equal(delivery.state, 'PENDING');
      t.equal(delivery.seconds, wait, 'and is repeated after');
      t.equal(receiver.received.length, index + 1, 'and not before');
      await database.query("UPDATE moved.clock SET at = at + $1 * interval '1 second'", [wait]);
    }
    await waitUntil(async () => (await read()).state === 'EXHAUSTED', 'the fifth attempt is the last', 60_000);
    t.same(
      receiver.received.map(({ headers }) => headers['x-service-attempt']),
      ['1', '2', '3', '4', '5'],
    );
    await running.stop();
  },
);
