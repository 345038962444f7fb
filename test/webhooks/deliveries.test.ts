import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import { storeUnavailable } from '../../src/errors.js';
import { openTestDatabase } from '../helpers/embedded.js';
import type { Database } from '../../src/stores/database/port.js';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import { openKafkaLog } from '../../src/stores/log/kafka/log.js';
import type { Log } from '../../src/stores/log/port.js';
import { openTableLog } from '../../src/stores/log/embedded/log.js';
import { createOutbox } from '../../src/stores/outbox/outbox.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { claimDue, deliveryIdOf, insertDeliveries, writeResults } from '../../src/webhooks/delivery-store.js';
import { removeExpired } from '../../src/webhooks/rounds.js';
import { makeProject, makeWebhook, startTestDeliveries } from '../helpers/deliveries.js';
import { startReceiver } from '../helpers/receiver.js';
import { verificationEvent } from '../helpers/session-events.js';
import { createDatabase, findStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';

const logger = createLogger('silent');
t.setTimeout(180_000);

const statesOf = async (database: Database): Promise<Readonly<Record<string, number>>> => {
  const rows = await database.query<{ state: string; n: number }>(
    'SELECT state, count(*)::int AS n FROM deliveries GROUP BY state',
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
};

/** This holds for every kind of stores. */
function testDeliveries(t: Test, open: (t: Test) => Promise<{ database: Database; log: Log }>): void {
  t.test('delivering', async (t) => {
    const { database, log } = await open(t);
    const outbox = createOutbox({ database, log, logger, metrics: createMetrics() });
    const fire = async (owner: { organizationId: string; projectId: string }, count: number) => {
      const events = Array.from({ length: count }, () => verificationEvent(owner));
      await database.transaction((tx) => outbox.write(tx, events));
      await outbox.publish(events);
      return events;
    };

    t.test('every event reaches every webhook once, while one that hangs holds nobody up', async (t) => {
      const owner = await makeProject(database);
      const receiver = await startReceiver(t);
      const waiting: ServerResponse[] = [];
      receiver.answer(({ path }, response) => {
        if (path === '/hangs') waiting.push(response);
        else response.writeHead(200).end();
      });
      for (const path of ['/a', '/b', '/hangs']) await makeWebhook(database, owner, receiver.url + path);
      const running = await startTestDeliveries({ database, log }, { timeoutMs: 120_000, leaseMs: 150_000 });
      t.teardown(() => running.stop());
      const events = await fire(owner, 150);
      const seenAt = (path: string): readonly string[] =>
        receiver.received.filter((item) => item.path === path).map(({ headers }) => String(headers['webhook-id']));
      await waitUntil(() => seenAt('/a').length >= 150 && seenAt('/b').length >= 150, 'the others have all', 60_000);
      t.equal(new Set(seenAt('/a')).size, events.length);
      t.equal(seenAt('/a').length, events.length, 'once each');
      t.ok(waiting.length > 0 && waiting.every(({ writableEnded }) => !writableEnded), 'and it still hangs');
      receiver.answer((_received, response) => void response.writeHead(200).end());
      for (const response of waiting) response.writeHead(200).end();
      await running.stop();
    });

    t.test('one organization’s slow endpoints, however many, do not delay another organization’s', async (t) => {
      const [storm, neighbour] = [await makeProject(database), await makeProject(database)];
      const receiver = await startReceiver(t);
      const waiting: ServerResponse[] = [];
      receiver.answer(({ path }, response) => {
        if (path === '/neighbour') response.writeHead(200).end();
        else waiting.push(response);
      });
      const slow = Array.from({ length: 150 }, (_, n) => makeWebhook(database, storm, `${receiver.url}/slow/${n}`));
      await Promise.all([...slow, makeWebhook(database, neighbour, `${receiver.url}/neighbour`)]);
      const running = await startTestDeliveries({ database, log }, { timeoutMs: 120_000, leaseMs: 150_000 });
      t.teardown(() => running.stop());
      await fire(storm, 5);
      await waitUntil(() => waiting.length >= 250, 'the storm has its requests under way', 30_000);
      await fire(neighbour, 1);
      await waitUntil(
        () => receiver.received.some(({ path }) => path === '/neighbour'),
        'the neighbour’s arrives while no slow one has answered',
      );
      receiver.answer((_request, response) => void response.writeHead(200).end());
      for (const response of waiting) response.writeHead(200).end();
      await running.stop();
      await database.query('DELETE FROM webhooks WHERE project_id = $1', [storm.projectId]);
    });

    t.test('wakes for an endpoint without room cost the database nothing', async (t) => {
      await database.query('DELETE FROM deliveries');
      const owner = await makeProject(database);
      const receiver = await startReceiver(t);
      const waiting: ServerResponse[] = [];
      receiver.answer((_received, response) => void waiting.push(response));
      const webhookId = await makeWebhook(database, owner, receiver.url);
      let rounds = 0;
      const watched: Database = {
        ...database,
        query: (sql, ...rest) => {
          if (sql.includes('"isDue"')) rounds += 1;
          return database.query(sql, ...rest);
        },
      };
      const running = await startTestDeliveries({ database: watched, log }, { timeoutMs: 120_000, leaseMs: 150_000 });
      t.teardown(() => running.stop());
      await fire(owner, 20);
      await waitUntil(() => receiver.received.length >= 4, 'its requests are under way', 30_000);
      const [before, atMs] = [rounds, performance.now()];
      for (let n = 0; n < 200; n += 1)
        await log.append('deliveries', [{ key: webhookId, value: Buffer.from(webhookId) }]);
      const looks = (performance.now() - atMs) / 500;
      t.ok(rounds - before <= 2 * (looks + 3), `${rounds - before} looks in ${Math.round(looks * 500)} ms`);
      receiver.answer((_request, response) => void response.writeHead(200).end());
      for (const response of waiting) response.writeHead(200).end();
      await running.stop();
      await database.query('DELETE FROM webhooks WHERE project_id = $1', [owner.projectId]);
    });

    t.test('an event that the log gives twice is delivered once', async (t) => {
      const owner = await makeProject(database);
      const receiver = await startReceiver(t);
      await makeWebhook(database, owner, receiver.url);
      const running = await startTestDeliveries({ database, log });
      t.teardown(() => running.stop());
      const events = await fire(owner, 3);
      await outbox.publish(events);
      const [last] = await fire(owner, 1);
      await waitUntil(
        () => receiver.received.some(({ headers }) => headers['x-service-idempotency-key'] === last?.sessionId),
        'what came after them arrives',
        60_000,
      );
      await waitUntil(() => receiver.received.length >= 4, 'all four are there');
      await running.stop();
      t.equal(receiver.received.length, 4);
    });

    t.test('with the log away events reach their webhooks all the same', async (t) => {
      const owner = await makeProject(database);
      const receiver = await startReceiver(t);
      await makeWebhook(database, owner, receiver.url);
      const running = await startTestDeliveries({ database, log });
      t.teardown(() => running.stop());
      const away: Log = { ...log, append: () => Promise.reject(storeUnavailable('away')) };
      const stranded = createOutbox({ database, log: away, logger, metrics: createMetrics() });
      const event = verificationEvent(owner);
      await database.transaction((tx) => stranded.write(tx, [event]));
      await stranded.publish([event]);
      await waitUntil(() => receiver.received.length === 1, 'it arrives', 60_000);
      t.equal(receiver.received[0]?.headers['x-service-idempotency-key'], event.sessionId);
      await running.stop();
      await database.query('DELETE FROM outbox');
    });

    t.test('of two senders with one row the one with the latest lease counts, the other changes nothing', async (t) => {
      const owner = await makeProject(database);
      const webhookId = await makeWebhook(database, owner, 'http://127.0.0.1:9/');
      const event = verificationEvent(owner);
      const delivery = { webhookId, deliveryId: deliveryIdOf(event.eventId, webhookId) };
      const made = { ...event, ...delivery, eventType: event.type, leased: true };
      await insertDeliveries(database, [{ ...event, body: '{}' }], [made], 0);
      t.same(await insertDeliveries(database, [{ ...event, body: '{}' }], [made], 0), [], 'twice makes no second one');
      const share = { ...owner, webhookId, isProbe: false, count: 5 };
      const [claimed] = await claimDue(database, 'first', [share], 60_000);
      t.match(claimed, { ...delivery, token: 2, attempt: 1 }, 'the lease of the first had ended');
      t.same(await claimDue(database, 'first', [share], 60_000), [], 'nobody else gets it now');
      const result = {
        ...{ ...delivery, attempt: 1, statusCode: 500, responseBody: '', durationMs: 1, error: null, startedAtMs: 0 },
        ...{ state: 'FAILED' as const, retryInMs: 60_000 },
      };
      t.same(await writeResults(database, [{ ...result, token: 1 }]), [], 'the first comes too late');
      t.same(await writeResults(database, [{ ...result, token: 2 }]), [{ webhookId, deliveryId: delivery.deliveryId }]);
      t.same(await writeResults(database, [{ ...result, token: 2 }]), [], 'once');
      const [row] = await database.query('SELECT state, attempt, lane, leased FROM deliveries WHERE delivery_id = $1', [
        delivery.deliveryId,
      ]);
      t.same(row, { state: 'PENDING', attempt: 2, lane: 'retry', leased: false });
      await database.query('DELETE FROM webhooks WHERE webhook_id = $1', [webhookId]);
    });

    t.test('an endpoint that keeps failing is parked with its reason, and goes on when it answers', async (t) => {
      const owner = await makeProject(database);
      const receiver = await startReceiver(t);
      receiver.answer((_received, response) => void response.writeHead(503).end());
      const webhookId = await makeWebhook(database, owner, receiver.url);
      const rules = { failuresMin: 4, lastingMsMin: 0, waitMsFirst: 300, waitMsMax: 300 };
      const running = await startTestDeliveries({ database, log }, { rules, waitsSeconds: [1, 1, 1, 1] });
      t.teardown(() => running.stop());
      await fire(owner, 6);
      const parked = async () =>
        (
          await database.query<{ reason: string | null }>(
            'SELECT parked_reason AS reason FROM webhooks WHERE webhook_id = $1',
            [webhookId],
          )
        )[0]?.reason ?? null;
      await waitUntil(async () => (await parked()) !== null, 'it is parked', 60_000);
      t.match(await parked(), /status 503.*none is lost/);
      t.notMatch(await parked(), /nextTryAt/, 'it names no field');
      receiver.answer((_received, response) => void response.writeHead(200).end());
      const succeeded = async (): Promise<number> =>
        (
          await database.query<{ n: number }>(
            "SELECT count(*)::int AS n FROM deliveries WHERE webhook_id = $1 AND state = 'SUCCEEDED'",
            [webhookId],
          )
        )[0]?.n ?? 0;
      await waitUntil(async () => (await succeeded()) === 6, 'all arrive', 60_000);
      t.equal(await parked(), null);
      await running.stop();
    });

    t.test('what ended goes with its retention, and what is pending stays', async (t) => {
      const before = await statesOf(database);
      await removeExpired(database, { nowMs: Date.now() + 100 * 86_400_000, retentionDays: 30 });
      const after = await statesOf(database);
      t.ok((before['SUCCEEDED'] ?? 0) > 0);
      t.equal(after['SUCCEEDED'], undefined);
      t.equal(after['EXHAUSTED'], undefined);
    });
  });
}

testDeliveries(t, async (t) => {
  const database = await openTestDatabase(t);
  const log = openTableLog({ database, now: () => performance.now(), pollMs: 50 });
  t.teardown(() => log.close());
  return { database, log };
});

const stack = findStack(t, 'delivering on the real stores');
if (stack !== null) {
  testDeliveries(t, async (t) => {
    const database = await openPostgres({ url: await createDatabase(t, stack), poolMax: 5, deadlineMs: 10_000 });
    t.teardown(() => database.close());
    const prefix = `test-${randomUUID()}.`;
    const brokers = [stack.kafkaBrokers];
    const log = await openKafkaLog({ brokers, clientId: 'verifyhuman-test', logger, prefix, sessionTimeoutMs: 6_000 });
    t.teardown(() => log.close());
    return { database, log };
  });
}
