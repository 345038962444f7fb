import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { storeUnavailable } from '../../../src/errors.js';
import type { Log, LogEntry } from '../../../src/stores/log/port.js';
import { withSpool } from '../../../src/stores/spool/spool-log.js';
import { openSpool } from '../../../src/stores/spool/spool.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { temporaryDirectory } from '../../helpers/directories.js';
import { waitUntil } from '../../helpers/wait-until.js';

const logger = createLogger('silent');
const entry = (key: string): LogEntry => ({ key, value: new Uint8Array(8) });

/** A log in memory that can be taken away, or made to hang. */
function createTestLog() {
  const keys: string[] = [];
  const state = { mode: 'well' as 'well' | 'away' | 'hangs', calls: 0 };
  const act = async (entries: readonly LogEntry[]): Promise<void> => {
    state.calls++;
    if (state.mode === 'away') throw storeUnavailable('test log: away');
    while (state.mode === 'hangs') await new Promise((resolve) => setTimeout(resolve, 5));
    keys.push(...entries.map(({ key }) => key));
  };
  const log: Log = {
    append: (_topic, entries) => act(entries),
    subscribe: () => Promise.reject(new Error('not here')),
    progress: async () => [],
    ping: () => act([]),
    close: async () => undefined,
  };
  return { log, keys, state };
}

async function open(t: Test, directory = temporaryDirectory(t), directMsMax = 50) {
  const inner = createTestLog();
  const clock = { nowMs: Date.now(), reads: 0 };
  const readClock = async (): Promise<number> => {
    clock.reads++;
    return clock.nowMs;
  };
  const metrics = createMetrics();
  const start = async () => {
    const spool = await openSpool({ directory, bytesMax: 1_000_000, logger });
    const log = withSpool({
      log: inner.log,
      spool,
      metrics,
      logger,
      directMsMax,
      keptEveryMs: 20,
      keptLife: { days: 30, readClock },
    });
    t.teardown(() => log.close());
    return { log, spool };
  };
  return { ...inner, clock, metrics, directory, start, ...(await start()) };
}

t.test('with the log well, entries go to it and nothing is spooled', async (t) => {
  const { log, keys, spool } = await open(t);
  await log.append('scores', [entry('a')]);
  t.same(keys, ['a']);
  t.equal(spool.bytes(), 0);
});

t.test(
  'how many files are kept aside, and how long the oldest has waited, is told until somebody takes them away',
  async (t) => {
    const { metrics, directory, clock } = await open(t);
    const figures = async () => ({
      files: (await metrics.spoolKept.get()).values[0]?.value,
      seconds: (await metrics.spoolKeptOldest.get()).values[0]?.value ?? 0,
    });
    t.match(await figures(), { files: 0, seconds: 0 });
    const kept = join(directory, 'receipts-0000000001.spool.kept');
    writeFileSync(kept, 'damaged');
    utimesSync(kept, new Date(), new Date(Date.now() - 86_400_000));
    writeFileSync(join(directory, 'receipts-0000000002.spool.kept'), 'damaged');
    await waitUntil(async () => (await figures()).files === 2, 'both are found');
    t.ok((await figures()).seconds >= 86_400);
    rmSync(kept);
    await waitUntil(async () => (await figures()).files === 1, 'one is left');
    t.ok((await figures()).seconds < 3_600);
    clock.nowMs = Date.now() + 29 * 86_400_000;
    const before = clock.reads;
    await waitUntil(() => clock.reads > before + 2, 'it looked again');
    t.equal((await figures()).files, 1, 'it has its time');
    clock.nowMs = Date.now() + 31 * 86_400_000;
    await waitUntil(async () => (await figures()).files === 0, 'nobody came for the other, which is gone by its age');
  },
);

t.test('while the log is away receipts are taken at once, and replayed in order when it is back', async (t) => {
  const { log, keys, state, spool, metrics, directory } = await open(t);
  state.mode = 'away';
  for (const key of ['a', 'b', 'c']) await log.append('scores', [entry(key)]);
  t.same(keys, []);
  t.ok(spool.bytes() > 0);
  t.ok(((await metrics.spoolBytes.get()).values[0]?.value ?? 0) > 0);
  state.mode = 'well';
  await waitUntil(() => keys.length === 3 && spool.bytes() === 0, 'the spool is replayed');
  t.same(keys, ['a', 'b', 'c']);
  t.same(readdirSync(directory), []);
  await log.append('scores', [entry('d')]);
  t.same(keys.slice(-1), ['d'], 'and the log is used again');
  const counts = (await metrics.spoolEntries.get()).values.map(({ labels, value }) => [labels.event, value]);
  t.same(counts, [
    ['spooled', 3],
    ['replayed', 3],
  ]);
});

t.test('a log that hangs costs the first receipt the limit and the following nothing; none is lost', async (t) => {
  const { log, keys, state } = await open(t);
  state.mode = 'hangs';
  await log.append('scores', [entry('first')]);
  const calls = state.calls;
  await Promise.all(Array.from({ length: 20 }, (_, n) => log.append('scores', [entry(`k${n}`)])));
  t.ok(state.calls - calls <= 1, 'only the replay asks a log that hangs');
  state.mode = 'well';
  await waitUntil(() => new Set(keys).size === 21, 'all are in the log');
});

t.test('receipts that an earlier process spooled are replayed by the next', async (t) => {
  const { log, keys, state, start } = await open(t);
  state.mode = 'away';
  await log.append('scores', [entry('left')]);
  await log.close();
  state.mode = 'well';
  await start();
  await waitUntil(() => keys.includes('left'), 'it is replayed without any new receipt');
  t.same(keys, ['left']);
});

t.test('appends during the change back are neither lost nor left in the spool', async (t) => {
  const { log, keys, state, spool } = await open(t);
  const sent: string[] = [];
  for (let round = 0; round < 20; round++) {
    state.mode = round % 2 === 0 ? 'away' : 'well';
    await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        await log.append('scores', [entry(`${round}-${n}`)]);
        sent.push(`${round}-${n}`);
      }),
    );
  }
  state.mode = 'well';
  await waitUntil(() => spool.bytes() === 0 && new Set(keys).size === sent.length, 'all arrive');
  t.same([...new Set(keys)].sort(), sent.sort());
});

t.test('other topics are never spooled, and what the log refuses for good is the caller’s to know', async (t) => {
  const { log, state, spool } = await open(t);
  state.mode = 'away';
  await t.rejects(log.append('outcomes', [entry('a')]), { code: 'STORE_UNAVAILABLE' });
  t.equal(spool.bytes(), 0);
  const refusing: Log = { ...createTestLog().log, append: () => Promise.reject(new Error('too large')) };
  const wrapped = withSpool({ log: refusing, spool, metrics: createMetrics(), logger });
  await t.rejects(wrapped.append('scores', [entry('a')]), { message: 'too large' });
  t.equal(spool.bytes(), 0);
  await wrapped.close();
});

t.test('no receipt can be taken while the log is away and the spool is full, and only then', async (t) => {
  const { log: inner, state } = createTestLog();
  const spool = await openSpool({ directory: temporaryDirectory(t), bytesMax: 40_000, logger });
  const log = withSpool({ log: inner, spool, metrics: createMetrics(), logger, directMsMax: 50 });
  t.teardown(() => log.close());
  t.ok(log.takesReceipts());
  state.mode = 'away';
  const large = { key: 'large', value: new Uint8Array(30_000) };
  await log.append('scores', [large]);
  t.notOk(log.takesReceipts(), 'another large one would find no room');
  await t.rejects(log.append('scores', [large]));
  state.mode = 'well';
  await waitUntil(() => log.takesReceipts(), 'the log is back');
});
