/**
 * The score mix is counted by the recorder of receipts, and what that leaves out by the mix’s own reader: each session once, whoever of which
 * version takes which batch, and however often.
 */
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { createReceiptRecorder } from '../../../src/scoring/receipts/receipts.js';
import { startMixConsumer } from '../../../src/scoring/thresholds/mix-consumer.js';
import { createMixMarks } from '../../../src/scoring/thresholds/mix-marks.js';
import { storeUnavailable } from '../../../src/errors.js';
import { callFunctions } from '../../../src/stores/database/call-functions.js';
import { openEmbeddedDatabase } from '../../../src/stores/database/embedded/open.js';
import { migrate } from '../../../src/stores/database/migrate.js';
import type { Database } from '../../../src/stores/database/port.js';
import type { LogEntry, Subscription } from '../../../src/stores/log/port.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { entryOf, refOf } from '../../helpers/year.js';

const database = await openEmbeddedDatabase({ directory: null });
t.teardown(() => database.close());
await migrate(database);
const atMs = Date.now();
const never = new AbortController().signal;
let logs = 0;

/** Entries of a partition of their own: five in a row are of one session, the last of them with the newest receipt. */
function entriesOf(count: number): { readonly projectId: string; readonly entries: readonly LogEntry[] } {
  const projectId = `proj_${(logs += 1)}`;
  const entries = Array.from({ length: count }, (_, offset) => ({
    ...entryOf({ projectId, sessionId: sessionAt(offset), atMs: atMs + offset, verdict: verdictAt(offset) }),
    place: { stream: `${projectId}/0`, offset },
  }));
  return { projectId, entries };
}

const sessionAt = (offset: number): string => `s${Math.floor(offset / 5)}`;

const verdictAt = (offset: number) => ({ uncapped: offset, caps: [], agentPolicy: null, stepUpThreshold: 40 });

/** Cells by the session’s newest receipt, each counted once. */
async function isCountedOnce(t: Test, projectId: string, sessions: number): Promise<void> {
  const counted = await database.query<{ cell: string; sessions: number }>(
    'SELECT cell, sessions FROM score_mix WHERE project_id = $1 AND sessions <> 0 ORDER BY length(cell), cell',
    [projectId],
  );
  const expected = Array.from({ length: sessions }, (_, n) => ({ cell: `${n * 5 + 4}|||40`, sessions: 1 }));
  t.same(counted, expected);
}

/** The mix’s own reader, whose batches the test hands out. */
async function openReader(): Promise<Subscription['handle']> {
  let handle: Subscription['handle'] | null = null;
  const consumer = await startMixConsumer({
    ...{ database, retentionDays: 90, logger: createLogger('silent') },
    log: {
      append: () => Promise.reject(new Error('nothing is appended')),
      subscribe: (subscription) => {
        handle = subscription.handle;
        return Promise.resolve({ tickAgeMs: () => 0, stop: () => Promise.resolve() });
      },
      progress: () => Promise.resolve([]),
      ping: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
  });
  t.teardown(() => consumer.stop());
  if (handle === null) throw new Error('nothing was subscribed');
  return handle;
}

const countedOf = async (projectId: string): Promise<number> => {
  const [row] = await database.query<{ sessions: number }>(
    'SELECT coalesce(sum(sessions), 0)::int AS sessions FROM score_mix WHERE project_id = $1',
    [projectId],
  );
  return row?.sessions ?? 0;
};

t.test(
  'the recorder counts, and the mix’s own reader finds nothing left, waiting for a recorder behind it',
  async (t) => {
    const { projectId, entries } = entriesOf(50);
    const record = createReceiptRecorder(database);
    const marks = createMixMarks(database, never);
    await record(entries.slice(0, 20));
    await isCountedOnce(t, projectId, 4);
    t.same(await marks.leftOf(entries.slice(0, 20), never), []);
    let isOver = false;
    const left = marks.leftOf(entries.slice(10), never).finally(() => (isOver = true));
    await record(entries.slice(20, 35));
    t.notOk(isOver, 'it waits for the rest');
    await record(entries.slice(35));
    t.same(await left, []);
    await isCountedOnce(t, projectId, 10);
  },
);

t.test(
  'what a version before recorded is counted from where its reader stood, behind the recorder or ahead',
  async (t) => {
    const handle = await openReader();
    const { projectId, entries } = entriesOf(60);
    // Before: recorded to 30 without the mix, counted to 10. Now: recorded from 30 on.
    const record = createReceiptRecorder(database);
    await record(entries.slice(30, 40));
    await handle(entries.slice(10, 40), never);
    t.equal(await countedOf(projectId), 6, 'sessions 2 to 7');
    await handle(entries.slice(0, 10), never);
    // Ahead of a recorder that stands: what is read is counted, and comes to nothing when it is recorded after.
    await handle(entries.slice(40), never);
    await isCountedOnce(t, projectId, 12);
    await record(entries.slice(40));
    await isCountedOnce(t, projectId, 12);
  },
);

t.test(
  'two versions side by side, in any order, killed anywhere: nothing is lost and nothing counts twice',
  async (t) => {
    const record = createReceiptRecorder(database);
    const marks = createMixMarks(database, never, { ms: 0, msMax: 0 });
    const step = fc.record({
      who: fc.constantFrom('recorder', 'recorder before', 'reader', 'rewound recorder', 'rewound reader'),
      size: fc.integer({ min: 1, max: 12 }),
      killed: fc.boolean(),
    });
    const steps = fc.array(step, { minLength: 4, maxLength: 24 });
    let left = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { projectId, entries } = entriesOf(60);
        const at = { record: 0, count: 0 };
        const readOn = async (size: number, killed: boolean): Promise<void> => {
          const batch = entries.slice(at.count, at.count + size);
          if (batch.length === 0) return;
          const rest = await marks.leftOf(batch, never);
          left += rest.length;
          if (rest.length > 0) await countBefore(projectId, rest);
          if (!killed) at.count += batch.length;
        };
        for (const { who, size, killed } of all) {
          if (who === 'rewound recorder') at.record = Math.max(0, at.record - size);
          if (who === 'rewound reader') at.count = Math.max(0, at.count - size);
          if (who === 'reader') await readOn(size, killed);
          if (!who.startsWith('recorder')) continue;
          const batch = entries.slice(at.record, at.record + size);
          if (who === 'recorder' && batch.length > 0) await record(batch);
          if (!killed) at.record += batch.length;
        }
        // The version before ends: the rest is recorded by this one, and its reader comes to the end.
        if (at.record < entries.length) await record(entries.slice(at.record));
        while (at.count < entries.length) await readOn(7, false);
        await isCountedOnce(t, projectId, 12);
      }),
      { numRuns: 40, seed: 7 },
    );
    t.ok(left > 0, 'some of it was left to the reader');
  },
);

/** As the reader of the version before counts: all that it is given, by functions of its own. */
async function countBefore(projectId: string, entries: readonly LogEntry[]): Promise<void> {
  const offsets = entries.map(({ place }) => place?.offset ?? 0);
  const names = [offsets.map(() => projectId), offsets.map((offset) => refOf(`session ${sessionAt(offset)}`))];
  const values = [
    ...names,
    entries.map(({ key }) => key),
    offsets.map((offset) => atMs + offset),
    offsets.map(() => 'source'),
    offsets.map((offset) => `${offset}|||40`),
    offsets.map(() => 'allow'),
  ];
  await callFunctions(database, [{ name: 'record_score_mix', values }]);
  await callFunctions(database, [{ name: 'relabel_score_mix', values: names }]);
}

t.test('what the mix cannot take is recorded all the same, and left to the mix’s own reader', async (t) => {
  const record = createReceiptRecorder(database);
  const handle = await openReader();
  const { projectId, entries } = entriesOf(20);
  const bad = entryOf({ projectId, sessionId: 'bad', atMs, verdict: { ...verdictAt(1), caps: null as unknown as [] } });
  const poison = { ...bad, place: { stream: `${projectId}/0`, offset: 20 } };
  t.equal((await record([...entries, poison])).length, 21);
  const [row] = await database.query('SELECT count(*)::int AS receipts FROM receipts WHERE project_id = $1', [
    projectId,
  ]);
  t.same(row, { receipts: 21 });
  t.equal(await countedOf(projectId), 0);
  await handle(entries, never);
  await isCountedOnce(t, projectId, 4);
  await t.rejects(handle([poison], never), 'which has it set aside');
});

t.test('a batch that a store would not take comes again without the mix', async (t) => {
  const { projectId, entries } = entriesOf(20);
  let isAway = true;
  const query: Database['query'] = (sql, ...rest) =>
    isAway && sql.includes('count_score_mix')
      ? Promise.reject(storeUnavailable('too slow'))
      : database.query(sql, ...rest);
  const record = createReceiptRecorder({ ...database, query });
  await t.rejects(record(entries.slice(0, 10)));
  await record(entries.slice(0, 10));
  t.equal(await countedOf(projectId), 0);
  isAway = false;
  await record(entries.slice(10));
  t.equal(await countedOf(projectId), 2, 'and the next one with it');
  const left = await createMixMarks(database, never).leftOf(entries, never);
  t.same(left, entries.slice(0, 10));
});
