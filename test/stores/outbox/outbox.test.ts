import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { insertOrganization } from '../../../src/administration/organization-store.js';
import type { SessionEvent } from '../../../src/contract/session-event.js';
import { openTestDatabase } from '../../helpers/embedded.js';
import type { Database } from '../../../src/stores/database/port.js';
import { openPostgres } from '../../../src/stores/database/postgres/open.js';
import { inOrganization } from '../../../src/stores/database/tenant.js';
import { openKafkaLog } from '../../../src/stores/log/kafka/log.js';
import type { Log } from '../../../src/stores/log/port.js';
import { openTableLog } from '../../../src/stores/log/embedded/log.js';
import { createOutbox, eventOf, removeEvents } from '../../../src/stores/outbox/outbox.js';
import { startOutboxSweeper, sweepOutbox } from '../../../src/stores/outbox/sweeper.js';
import { storeUnavailable } from '../../../src/errors.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { verificationEvent } from '../../helpers/session-events.js';
import { createDatabase, findStack } from '../../helpers/stores.js';
import { waitUntil } from '../../helpers/wait-until.js';

const logger = createLogger('silent');

/** Reads as the fan-out does: what it has seen it removes. */
async function gather(t: Test, database: Database, log: Log): Promise<SessionEvent[]> {
  const seen: SessionEvent[] = [];
  const reader = await log.subscribe({
    topic: 'verifications',
    group: `g-${randomUUID()}`,
    batchMax: 50,
    handle: async (entries) => {
      const events = entries.map(eventOf);
      seen.push(...events);
      await removeEvents(
        database,
        events.map(({ eventId }) => eventId),
      );
    },
  });
  t.teardown(() => reader.stop());
  return seen;
}

const countOf = async (database: Database): Promise<number> =>
  (await database.query<{ n: number }>('SELECT count(*)::int AS n FROM outbox'))[0]?.n ?? -1;

/** This holds for every kind of stores. */
function testOutbox(t: Test, open: (t: Test) => Promise<{ database: Database; log: Log }>): void {
  t.test('the outbox', async (t) => {
    const { database, log } = await open(t);
    const metrics = createMetrics();
    const organizationId = await database.transaction((tx) =>
      insertOrganization(tx, { name: 'Outbox', tier: 'free', liteEnabled: false }),
    );
    const owner = { organizationId, projectId: 'proj_1' };
    const makeDue = () => database.query("UPDATE outbox SET due_at = now() - interval '1 second'");
    const seen = await gather(t, database, log);

    t.test('what is written and published arrives as it was, and leaves the table', async (t) => {
      const outbox = createOutbox({ database, log, logger, metrics });
      const events = [verificationEvent(owner), verificationEvent(owner, { status: 'fail' })];
      await inOrganization(database, organizationId, (tx) => outbox.write(tx, events));
      t.equal(await countOf(database), 2);
      await outbox.publish(events);
      await outbox.close();
      await waitUntil(async () => seen.length === 2 && (await countOf(database)) === 0, 'both arrive');
      const byId = (list: readonly SessionEvent[]) => [...list].sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
      t.same(byId(seen), byId(events));
      seen.length = 0;
    });

    t.test('what is rolled back leaves nothing', async (t) => {
      const outbox = createOutbox({ database, log, logger, metrics });
      const failed = database.transaction(async (tx) => {
        await outbox.write(tx, [verificationEvent(owner)]);
        throw new Error('the business failed');
      });
      await t.rejects(failed, { message: 'the business failed' });
      t.equal(await countOf(database), 0);
    });

    t.test('an event cannot be written for another organization than the transaction’s own', async (t) => {
      const outbox = createOutbox({ database, log, logger, metrics });
      await t.rejects(
        inOrganization(database, organizationId, (tx) =>
          outbox.write(tx, [verificationEvent({ ...owner, organizationId: 'org_other' })]),
        ),
      );
    });

    t.test('with the log away publishing does not reject, and the sweeper hands over what is due', async (t) => {
      const away: Log = { ...log, append: () => Promise.reject(storeUnavailable('away')) };
      const outbox = createOutbox({ database, log: away, logger, metrics });
      const event = verificationEvent(owner);
      await database.transaction((tx) => outbox.write(tx, [event]));
      await outbox.publish([event]);
      t.equal(await sweepOutbox({ database, log }), 0, 'its writer gets a moment first');
      await makeDue();
      await t.rejects(sweepOutbox({ database, log: away }), { code: 'STORE_UNAVAILABLE' });
      t.equal(await countOf(database), 1, 'what the log did not take stays');
      t.equal(await sweepOutbox({ database, log }), 0, 'and is left alone for a moment');
      await makeDue();
      t.equal(await sweepOutbox({ database, log }), 1);
      const isThere = () => seen.some(({ eventId }) => eventId === event.eventId);
      await waitUntil(async () => isThere() && (await countOf(database)) === 0, 'it arrives');
    });

    t.test('what the log took and lost before anybody read it is handed over once more', async (t) => {
      const losing: Log = { ...log, append: () => Promise.resolve() };
      const outbox = createOutbox({ database, log: losing, logger, metrics });
      const event = verificationEvent(owner);
      await database.transaction((tx) => outbox.write(tx, [event]));
      await outbox.publish([event]);
      await outbox.close();
      t.equal(await countOf(database), 1, 'that the log has it is not enough');
      await makeDue();
      t.equal(await sweepOutbox({ database, log: losing }), 1);
      t.equal(await countOf(database), 1, 'nor the second time');
      await makeDue();
      t.equal(await sweepOutbox({ database, log }), 1);
      const isThere = () => seen.some(({ eventId }) => eventId === event.eventId);
      await waitUntil(async () => isThere() && (await countOf(database)) === 0, 'it arrives');
    });

    t.test('what was fanned out without the log goes as soon as the log has it', async (t) => {
      const losing: Log = { ...log, append: () => Promise.resolve() };
      const outbox = createOutbox({ database, log: losing, logger, metrics });
      const [early, late] = [verificationEvent(owner), verificationEvent(owner)];
      await database.transaction((tx) => outbox.write(tx, [early, late]));
      await database.query('UPDATE outbox SET fanned_out = true');
      await outbox.publish([early]);
      await outbox.close();
      t.equal(await countOf(database), 1);
      await makeDue();
      t.equal(await sweepOutbox({ database, log: losing }), 1);
      t.equal(await countOf(database), 0);
    });

    t.test('sweepers beside each other hand over every event once, whatever a dead writer left', async (t) => {
      const outbox = createOutbox({ database, log, logger, metrics });
      const events = Array.from({ length: 350 }, () => verificationEvent(owner));
      await database.transaction((tx) => outbox.write(tx, events));
      await makeDue();
      seen.length = 0;
      const sweepers = [1, 2].map(() => startOutboxSweeper({ database, log, logger, metrics, everyMs: 20 }));
      t.teardown(() => Promise.all(sweepers.map((sweeper) => sweeper.stop())));
      await waitUntil(async () => seen.length >= 350 && (await countOf(database)) === 0, 'all arrive');
      t.equal(new Set(seen.map(({ eventId }) => eventId)).size, 350);
      t.equal(seen.length, 350);
    });

    t.test('an event beyond every bound is a bug and fails its transaction', async (t) => {
      const outbox = createOutbox({ database, log, logger, metrics });
      const huge = verificationEvent(owner, { metadata: { text: 'x'.repeat(300_000) } });
      await t.rejects(
        database.transaction((tx) => outbox.write(tx, [huge])),
        { message: /bytes/ },
      );
    });
  });
}

t.test('closing waits for events on their way, until the log has them and that is noted', async (t) => {
  const steps: string[] = [];
  const database = { query: async () => (steps.push('noted'), []) } as unknown as Database;
  let take = (): void => undefined;
  const log = { append: () => new Promise<void>((resolve) => (take = resolve)) } as unknown as Log;
  const outbox = createOutbox({ database, log, logger, metrics: createMetrics() });
  const publishing = outbox.publish([verificationEvent({ organizationId: 'org_1', projectId: 'proj_1' })]);
  const closing = outbox.close().then(() => steps.push('closed'));
  await new Promise((resolve) => setImmediate(resolve));
  steps.push('taken');
  take();
  await Promise.all([publishing, closing]);
  t.same(steps, ['taken', 'noted', 'closed']);
});

t.test('events on their way are bounded in bytes, and those beyond are left to the sweeper', async (t) => {
  const database = { query: async () => [] } as unknown as Database;
  const taken: (() => void)[] = [];
  const log = { append: () => new Promise<void>((resolve) => taken.push(resolve)) } as unknown as Log;
  const outbox = createOutbox({ database, log, logger, metrics: createMetrics() });
  const owner = { organizationId: 'org_1', projectId: 'proj_1' };
  const large = verificationEvent(owner, { metadata: { text: 'x'.repeat(200_000) } });
  const all = Array.from({ length: 100 }, () => outbox.publish([large]));
  t.equal(taken.length, 83, 'that is 16 MiB');
  for (const take of taken) take();
  await Promise.all(all);
  const later = outbox.publish([large]);
  t.equal(taken.length, 84, 'those that the log has make room');
  taken.at(-1)?.();
  await later;
  await outbox.close();
});

testOutbox(t, async (t) => {
  const database = await openTestDatabase(t);
  const log = openTableLog({ database, now: () => performance.now(), pollMs: 50 });
  t.teardown(() => log.close());
  return { database, log };
});

const stack = findStack(t, 'the outbox on the real stores');
if (stack !== null) {
  testOutbox(t, async (t) => {
    const database = await openPostgres({ url: await createDatabase(t, stack), poolMax: 5, deadlineMs: 10_000 });
    t.teardown(() => database.close());
    const log = await openKafkaLog({
      brokers: [stack.kafkaBrokers],
      clientId: 'verifyhuman-test',
      logger,
      prefix: `test-${randomUUID()}.`,
      sessionTimeoutMs: 6_000,
    });
    t.teardown(() => log.close());
    return { database, log };
  });
}
