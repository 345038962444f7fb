/**
 * The recorder of receipts counts the score distribution. What it cannot count is recounted from the receipts: each session once, in whatever order
 * batches come, and however often.
 */
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { storeUnavailable } from '../../../src/errors.js';
import { createReceiptRecorder } from '../../../src/scoring/receipts/receipts.js';
import { createLabelWork } from '../../../src/scoring/thresholds/distribution-round.js';
import { openTestDatabase } from '../../helpers/embedded.js';
import type { Database } from '../../../src/stores/database/port.js';
import { inPortions } from '../../../src/stores/log/dead-letters/dead-letters.js';
import type { LogEntry } from '../../../src/stores/log/port.js';
import { entryOf } from '../../helpers/year.js';

const database = await openTestDatabase(t);
const atMs = Date.now();
let projects = 0;

/** Entries of a project: five in a row are of one session, the last of them with the newest receipt. */
function entriesOf(count: number): { readonly projectId: string; readonly entries: readonly LogEntry[] } {
  const projectId = `proj_${(projects += 1)}`;
  const entries = Array.from({ length: count }, (_, n) =>
    entryOf({ projectId, sessionId: `s${Math.floor(n / 5)}`, atMs: atMs + n, verdict: { uncapped: n } }),
  );
  return { projectId, entries };
}

/** A recorder whose database refuses to count while `isAway` says so. */
function openRecorder(isAway: () => boolean, failure: Error = storeUnavailable('too slow'), now?: () => number) {
  const query: Database['query'] = (sql, ...rest) =>
    isAway() && sql.includes('count_scored_sessions') ? Promise.reject(failure) : database.query(sql, ...rest);
  return createReceiptRecorder({ ...database, query }, now);
}

async function recount(): Promise<readonly unknown[]> {
  const leftOut: unknown[] = [];
  const orders = createLabelWork({ database, logger: { warn: (fields: unknown) => void leftOut.push(fields) } }, 7);
  while ((await orders.next()) > 0);
  return leftOut;
}

const countedOf = async (projectId: string): Promise<readonly string[]> =>
  (
    await database.query<{ cell: string; sessions: number }>(
      'SELECT cell, sessions FROM score_distribution WHERE namespace = $1 AND sessions <> 0 ORDER BY length(cell), cell',
      [projectId],
    )
  ).map(({ cell, sessions }) => `${sessions} of ${cell}`);

/** Cells by the session’s newest receipt, each counted once. */
const isCountedOnce = async (t: Test, projectId: string, sessions: number): Promise<void> =>
  void t.same(
    await countedOf(projectId),
    Array.from({ length: sessions }, (_, n) => `1 of ${n * 5 + 4}|||40`),
  );

t.test('batches that are counted, missed, repeated or out of order: each session counts once', async (t) => {
  let isAway = false;
  let missed = 0;
  const record = openRecorder(() => isAway, new Error('refused'));
  const step = fc.record({ from: fc.nat(59), size: fc.integer({ min: 1, max: 20 }), away: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(step, fc.constant('recount' as const)), { maxLength: 12 }), async (steps) => {
      const { projectId, entries } = entriesOf(60);
      for (const each of [...steps, { from: 0, size: 30, away: true }, { from: 30, size: 30, away: false }]) {
        if (each === 'recount') {
          await recount();
          continue;
        }
        isAway = each.away;
        missed += each.away ? 1 : 0;
        const batch = entries.slice(each.from, each.from + each.size);
        t.equal((await record(batch)).kept.length, batch.length);
      }
      await recount();
      await isCountedOnce(t, projectId, 12);
    }),
    { numRuns: 15, seed: 7 },
  );
  t.ok(missed > 0, 'some of it was recounted');
});

t.test('what cannot be counted is recorded all the same, and left out of the recount', async (t) => {
  const record = createReceiptRecorder(database);
  const { projectId, entries } = entriesOf(20);
  const caps = null as unknown as [];
  const poison = entryOf({ projectId, sessionId: 'bad', atMs, verdict: { caps } });
  t.equal((await record([...entries, poison])).kept.length, 21);
  const [row] = await database.query('SELECT count(*)::int AS receipts FROM receipts WHERE namespace = $1', [
    projectId,
  ]);
  t.same(row, { receipts: 21 });
  t.same(await countedOf(projectId), []);
  t.match(await recount(), [{ receiptId: poison.key }]);
  await isCountedOnce(t, projectId, 4);
  t.same(await recount(), [], 'no order is left');
});

t.test('a batch that the store could not count in time comes again, and is recounted', async (t) => {
  const { projectId, entries } = entriesOf(20);
  let isAway = true;
  let nowMs = 0;
  const record = openRecorder(
    () => isAway,
    storeUnavailable('too slow'),
    () => nowMs,
  );
  await t.rejects(record(entries.slice(0, 10)));
  for (const portion of [entries.slice(0, 6), entries.slice(6, 10)]) await record(portion);
  t.same(await countedOf(projectId), []);
  isAway = false;
  nowMs = 10_000;
  await record(entries.slice(10));
  t.equal((await countedOf(projectId)).length, 2, 'counting goes on after a rest');
  await recount();
  await isCountedOnce(t, projectId, 4);
});

t.test('a batch that comes in portions is recorded while the distribution stays out of reach', async (t) => {
  const { projectId, entries } = entriesOf(40);
  const record = openRecorder(() => true);
  const take = inPortions(async (portion) => void (await record(portion)));
  await t.rejects(take(entries, new AbortController().signal));
  await t.resolves(take(entries, new AbortController().signal), 'in quarters');
  t.same(await countedOf(projectId), []);
  await recount();
  await isCountedOnce(t, projectId, 8);
});
