import t from 'tap';
import { dropExpiredReceipts } from '../../src/scoring/receipt-retention.js';
import { openEmbeddedDatabase } from '../../src/stores/database/embedded/open.js';
import { migrate } from '../../src/stores/database/migrate.js';

t.test('days past their retention are dropped whole; the others, and tables of other names, stay', async (t) => {
  const database = await openEmbeddedDatabase({ directory: null });
  t.teardown(() => database.close());
  await migrate(database);
  const partition = (name: string, from: string, to: string) =>
    database.query(
      `CREATE TABLE ${name} PARTITION OF receipts FOR VALUES FROM ('${from} 00:00:00+00') TO ('${to} 00:00:00+00')`,
    );
  await partition('receipts_20260101', '2026-01-01', '2026-01-02');
  await partition('receipts_20260102', '2026-01-02', '2026-01-03');
  await partition('receipts_archive', '2025-01-01', '2025-02-01');

  t.same(
    await dropExpiredReceipts(database, Date.UTC(2026, 0, 31), 30),
    [],
    'a day is kept until its last receipt is past',
  );
  t.same(await dropExpiredReceipts(database, Date.UTC(2026, 1, 1), 30), ['receipts_20260101']);
  t.same(await dropExpiredReceipts(database, Date.UTC(2026, 1, 1), 30), []);
  const left = await database.query<{ name: string }>(
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'receipts'::regclass ORDER BY 1",
  );
  t.same(
    left.map(({ name }) => name),
    ['receipts_20260102', 'receipts_archive'],
  );
});
