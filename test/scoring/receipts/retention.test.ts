import t from 'tap';
import { makePartition } from '../../../src/scoring/receipts/partitions.js';
import { dropExpiredReceipts, startReceiptRetention } from '../../../src/scoring/receipts/retention.js';
import { openTestDatabase } from '../../helpers/embedded.js';
import type { Database } from '../../../src/stores/database/port.js';
import { openPostgres } from '../../../src/stores/database/postgres/open.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createDatabase, findStack } from '../../helpers/stores.js';
import { waitUntil } from '../../helpers/wait-until.js';

const dayMs = 86_400_000;
const partitionsOf = async (database: Database): Promise<string[]> =>
  (
    await database.query<{ name: string }>(
      "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'receipts'::regclass ORDER BY 1",
    )
  ).map(({ name }) => name);

t.test('days past their retention are dropped whole; the others, and tables of other names, stay', async (t) => {
  const database = await openTestDatabase(t);
  await makePartition(database, '2026-01-01');
  await makePartition(database, '2026-01-02');
  await makePartition(database, '2026-01-02');
  await database.query(
    "CREATE TABLE receipts_archive PARTITION OF receipts FOR VALUES FROM ('2025-01-01 00:00:00+00') TO ('2025-02-01 00:00:00+00')",
  );
  t.same(
    await dropExpiredReceipts(database, Date.UTC(2026, 0, 31), 30),
    [],
    'a day is kept until its last receipt is past',
  );
  t.same(await dropExpiredReceipts(database, Date.UTC(2026, 1, 1), 30), ['receipts_20260101']);
  t.same(await dropExpiredReceipts(database, Date.UTC(2026, 1, 1), 30), []);
  t.same(await partitionsOf(database), ['receipts_20260102', 'receipts_archive']);

  await database.query('DROP TABLE receipts_archive');
  const metrics = createMetrics();
  const startedAtMs = Date.now();
  const rounds = startReceiptRetention({ database, logger: createLogger('silent'), metrics, retentionDays: 1 });
  await waitUntil(async () => (await partitionsOf(database)).length === 9, 'the coming week is made');
  await rounds.stop();
  const [first, ...ahead] = await partitionsOf(database);
  t.equal(first, 'receipts_20260102', 'a start drops nothing, however old it is');
  const day = (ms: number): string => `receipts_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`;
  t.ok(ahead.includes(day(startedAtMs + 6 * dayMs)));
  const [partition] = await database.query(
    "SELECT reloptions, (SELECT count(*)::int FROM pg_index WHERE indrelid = c.oid) AS indexes FROM pg_class c WHERE relname = 'receipts_20260102'",
  );
  t.match(partition, { reloptions: ['toast_tuple_target=8160'], indexes: 2 }, 'like one that is made in place');
});

const stack = findStack(t, 'partitions beside a long reader');

if (stack !== null)
  t.test(
    'beside somebody who reads receipts for hours, days are made at once, and a drop gives up without holding others up',
    async (t) => {
      const url = await createDatabase(t, stack);
      const open = async (): Promise<Database> => {
        const database = await openPostgres({ url, poolMax: 4, deadlineMs: 5_000 });
        t.teardown(() => database.close());
        return database;
      };
      const [reader, database] = [await open(), await open()];
      await makePartition(database, '2026-01-01');
      let finish = (): void => undefined;
      let begin = (): void => undefined;
      const begun = new Promise<void>((resolve) => (begin = resolve));
      const reading = reader.transaction(async (tx) => {
        await tx.query('SELECT count(*) FROM receipts');
        begin();
        await new Promise<void>((resolve) => (finish = resolve));
      });
      await begun;
      await t.resolves(makePartition(database, '2026-01-02'), 'made while the other reads');
      const drop = dropExpiredReceipts(database, Date.UTC(2026, 1, 1), 30);
      await t.resolves(
        database.query('SELECT count(*) FROM receipts'),
        'who comes then is served while the other reads',
      );
      t.same(await drop, []);
      finish();
      await reading;
      t.same(await dropExpiredReceipts(database, Date.UTC(2026, 1, 1), 30), ['receipts_20260101']);
    },
  );
