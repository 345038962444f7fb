import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Receipt } from '../../../src/record/types.js';
import { openReceiptRelease } from '../../../src/scoring/receipts/release.js';
import { openRecordFormat } from '../../../src/scoring/receipts/record-format.js';
import { openEmbeddedDatabase } from '../../../src/stores/database/embedded/open.js';
import { migrate } from '../../../src/stores/database/migrate.js';
import { migrationsDirectory } from '../../../src/stores/database/migration-plan.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { temporaryDirectory } from '../../helpers/directories.js';
import { startTestService } from '../../helpers/service.js';
import { waitUntil } from '../../helpers/wait-until.js';

t.setTimeout(120_000);

t.test(
  'a new installation writes the new format at once, an older one a day after the upgrade, and an operator has the last word',
  async (t) => {
    const database = await openEmbeddedDatabase({ directory: null });
    t.teardown(() => database.close());
    await migrate(database);
    const nowMs = Date.now();
    const formatAt = async (hours: number, setting: 'auto' | '1' | '2' = 'auto') =>
      (await openRecordFormat(database, setting, () => nowMs + hours * 3_600_000))();
    t.equal(await formatAt(0), 2);
    await database.query('UPDATE record_formats SET found_organizations = true');
    t.equal(await formatAt(0), 1);
    t.equal(await formatAt(23), 1);
    t.equal(await formatAt(25), 2);
    t.equal(await formatAt(0, '2'), 2);
    t.equal(await formatAt(25, '1'), 1);
    let hours = 23;
    const format = await openRecordFormat(database, 'auto', () => nowMs + hours * 3_600_000);
    t.equal(format(), 1);
    hours = 25;
    t.equal(format(), 2, 'without a restart');
  },
);

t.test(
  'Redis lets go of what is recorded at once in a new installation, an older one a day after the upgrade, and of nothing in the older format',
  async (t) => {
    const database = await openEmbeddedDatabase({ directory: null });
    t.teardown(() => database.close());
    await migrate(database);
    const packed = { organizationId: 'org_1', projectId: 'proj_1', facts: Buffer.from([0xc1, 2]) };
    const receipts = [
      { ...packed, receiptId: 'a' },
      { ...packed, receiptId: 'b', isTest: true },
      { ...packed, receiptId: 'c', projectId: null },
      { ...packed, receiptId: 'd' },
      { ...packed, receiptId: 'e', facts: Buffer.from([0x80]) },
    ] as unknown as Receipt[];
    const releasedAt = async (hours: number, setting: 'auto' | 'yes' | 'no' = 'auto') => {
      const calls: unknown[] = [];
      const release = await openReceiptRelease({
        database,
        counters: { releaseReceipts: async (...call) => void calls.push(call) },
        metrics: createMetrics(),
        setting,
        now: () => Date.now() + hours * 3_600_000,
      });
      release(receipts);
      return calls;
    };
    const all = [
      ['proj_1', ['a', 'd']],
      ['proj_1~test', ['b']],
      ['org_1', ['c']],
    ];
    t.same(await releasedAt(0), all);
    await database.query('UPDATE receipt_releases SET found_organizations = true');
    t.same(await releasedAt(23), []);
    t.same(await releasedAt(25), all);
    t.same(await releasedAt(0, 'yes'), all);
    t.same(await releasedAt(25, 'no'), []);
  },
);

interface Reply {
  readonly receiptId: string;
  readonly evidence: object;
}

t.test('an installation of the version before is known by its organizations, however young it is', async (t) => {
  const before = temporaryDirectory(t);
  const names = (await readdir(migrationsDirectory())).filter((name) => name < '0160');
  for (const name of names) await copyFile(join(migrationsDirectory(), name), join(before, name));
  const database = await openEmbeddedDatabase({ directory: null });
  t.teardown(() => database.close());
  await migrate(database, { directory: before });
  await database.query("INSERT INTO organizations (organization_id, name, tier) VALUES ('org_1', 'One', 'free')");
  await migrate(database);
  t.equal((await openRecordFormat(database, 'auto', Date.now))(), 1);
});

t.test('what either format wrote is replayed and rendered by the other', async (t) => {
  const dataDirectory = temporaryDirectory(t);
  const database = await openEmbeddedDatabase({ directory: join(dataDirectory, 'database') });
  await migrate(database);
  // An older installation, 23 hours after its upgrade.
  await database.query("UPDATE record_formats SET found_organizations = true, came_at = came_at - interval '23 hours'");
  await database.close();
  let shiftMs = 0;
  const { call, stop } = await startTestService(t, { VH_DATA_DIR: dataDirectory }, { now: () => Date.now() + shiftMs });
  const score = async (sessionId: string) =>
    (await call('POST', '/lite/score', { body: { sessionId, clientIp: '203.0.113.7', respondentId: 'r' } }))
      .body as Reply;
  const scored: Reply[] = [];
  for (const hours of [0, 2, 0]) {
    shiftMs = hours * 3_600_000;
    for (const [index, reply] of scored.entries()) {
      t.same(await score(`session-${index}`), { ...reply, replayed: true }, `${index}, after ${hours} hours`);
      const shown = (await call('GET', `/lite/score/${reply.receiptId}/evidence`)).body;
      t.match(shown, { receiptId: reply.receiptId, evidence: reply.evidence, provenance: { faithful: true } });
    }
    scored.push(await score(`session-${scored.length}`));
  }
  const recorded = async () => (await call('GET', '/lite/sessions')).body as { readonly sessions: readonly object[] };
  await waitUntil(async () => (await recorded()).sessions.length === 3, 'all sessions are recorded');
  await stop();
  const stopped = await openEmbeddedDatabase({ directory: join(dataDirectory, 'database') });
  t.teardown(() => stopped.close());
  const rows = await stopped.query<{ marked: boolean }>(
    'SELECT get_byte(record, 0) = 193 AS marked FROM receipts ORDER BY receipt_id',
  );
  t.same(
    rows.map(({ marked }) => marked),
    [false, true, false],
  );
});
