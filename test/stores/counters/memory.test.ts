import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { Fault } from '../../../src/errors.js';
import { openMemoryCounters } from '../../../src/stores/counters/memory/open.js';
import type { SnapshotNote } from '../../../src/stores/counters/memory/snapshot.js';
import { temporaryDirectory } from '../../helpers/directories.js';
import { testContract } from './contract.js';
import { countsOf, expectCounted, hourMs, probeInput, ref, scoreInput, startMs } from './inputs.js';

let projects = 0;
const nextProject = (): string => `proj_memory_${(projects += 1)}`;
const unavailable = (error: unknown): boolean => error instanceof Fault && error.code === 'STORE_UNAVAILABLE';

t.test('the contract holds in memory', async (t) => {
  let clockMs = startMs;
  const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 1_000_000, now: () => clockMs });
  await testContract(t, { counters, nextProject, setClock: (nowMs) => (clockMs = nowMs) });
  await counters.close();
});

t.test('of a receipt that was released ten minutes are kept, and never more than there was', async (t) => {
  let clockMs = startMs;
  const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 10_000, now: () => clockMs });
  const project = nextProject();
  const { receiptId } = expectCounted(await counters.countScore(scoreInput(project, 's')));
  await counters.releaseReceipts(project, [receiptId]);
  clockMs += 9 * 60_000;
  await counters.releaseReceipts(project, [receiptId]);
  t.not(await counters.recentReceipt(project, receiptId), null);
  clockMs += 60_000;
  t.equal(await counters.recentReceipt(project, receiptId), null);
  await counters.close();
});

t.test('a snapshot brings everything back after a restart', async (t) => {
  const folder = temporaryDirectory(t);
  const snapshotPath = join(folder, 'counters.snapshot');
  const open = () => openMemoryCounters({ snapshotPath, keysMax: 10_000, now: () => startMs });
  const project = nextProject();
  const same = { device: ref('d'), respondent: ref('r'), address: ref('a'), prefix: ref('p'), source: ref('source') };
  const score = (name: string) => scoreInput(project, name, same);

  const before = await open();
  const straight = await openMemoryCounters({ snapshotPath: null, keysMax: 10_000, now: () => startMs });
  for (const counters of [before, straight]) {
    await counters.storeProbe(probeInput(project, 's1', { bands: ['b'] }));
    await counters.countScore(score('s1'));
    await counters.storeProbe(probeInput(project, 's2', { bands: ['b'] }));
  }
  await before.close();
  t.same(await readdir(folder), ['counters.snapshot'], 'nothing else is left behind');

  const after = await open();
  t.match(await after.countScore(score('s1')), { kind: 'replayed' });
  t.same(await countsOf(after, score('s2')), await countsOf(straight, score('s2')));
  t.same(
    await after.recentReceipt(project, `rcpt_${project}_s1`),
    await straight.recentReceipt(project, `rcpt_${project}_s1`),
  );
  await after.close();
});

t.test(
  'a store that starts without a snapshot has no complete project; one that has it knows which are, and their history',
  async (t) => {
    const folder = temporaryDirectory(t);
    const snapshotPath = join(folder, 'counters.snapshot');
    const project = nextProject();
    const value = { n: 1, fraud: 1, clawbacks: 0, asOfDay: 20_000 };
    const told = async (nowMs: number, from: string | null): Promise<unknown> => {
      const counters = await openMemoryCounters({ snapshotPath: from, keysMax: 10_000, now: () => nowMs });
      const history = { respondent: ref('r'), source: null, subSource: null };
      const { complete, history: found } = expectCounted(
        await counters.countScore(scoreInput(project, `at ${nowMs}`, { nowMs, history })),
      );
      await counters.close();
      return [complete, found.respondent];
    };
    const first = await openMemoryCounters({ snapshotPath, keysMax: 10_000, now: () => startMs });
    await first.markComplete(project);
    await first.publishHistory(project, [{ subject: ref('r'), version: 1, value }]);
    await first.close();
    t.same(await told(startMs, null), [false, null]);
    t.same(await told(startMs + 47 * hourMs, snapshotPath), [true, value]);
    t.same(await told(startMs + 94 * hourMs, snapshotPath), [true, value], 'scoring keeps it complete');
    t.same(await told(startMs + 143 * hourMs, snapshotPath), [false, value], 'two days without a score do not');
    t.same(await told(startMs + 401 * 24 * hourMs, snapshotPath), [false, null]);
  },
);

t.test('what expired while it was closed does not come back', async (t) => {
  const folder = temporaryDirectory(t);
  const snapshotPath = join(folder, 'counters.snapshot');
  const project = nextProject();
  const first = await openMemoryCounters({ snapshotPath, keysMax: 10_000, now: () => startMs });
  await first.countScore(scoreInput(project, 's1', { device: ref('d') }));
  await first.close();
  const later = await openMemoryCounters({ snapshotPath, keysMax: 10_000, now: () => startMs + 24 * hourMs });
  t.equal(await later.recentReceipt(project, `rcpt_${project}_s1`), null);
  await later.close();
});

t.test('a broken snapshot is reported and set aside, and counting starts from nothing', async (t) => {
  const folder = temporaryDirectory(t);
  const snapshotPath = join(folder, 'counters.snapshot');
  const first = await openMemoryCounters({ snapshotPath, keysMax: 10_000, now: () => startMs });
  await first.countScore(scoreInput('proj', 's1'));
  await first.close();
  const whole = await readFile(snapshotPath);
  const flipped = Buffer.from(whole);
  flipped[40] = (flipped[40] ?? 0) ^ 1;
  for (const broken of [
    whole.subarray(0, whole.length - 5),
    Buffer.alloc(0),
    Buffer.from('not a snapshot at all'),
    flipped,
  ]) {
    await writeFile(snapshotPath, broken);
    const notes: SnapshotNote[] = [];
    const counters = await openMemoryCounters({
      snapshotPath,
      keysMax: 10_000,
      now: () => startMs,
      logger: { warn: (note) => notes.push(note) },
    });
    t.match(notes, [{ code: 'SNAPSHOT_BROKEN', path: snapshotPath }]);
    t.match(await counters.countScore(scoreInput('proj', 's1')), { kind: 'counted' });
    t.same(await readdir(folder), ['counters.snapshot.broken']);
    await rm(`${snapshotPath}.broken`);
  }
});

t.test('a full store refuses what is new, forgets nothing, and takes it once something expired', async (t) => {
  const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 120, now: () => startMs });
  const project = nextProject();
  let accepted = 0;
  const fill = async (): Promise<void> => {
    for (;;) {
      await counters.countScore(scoreInput(project, `s${accepted}`, { device: ref(`d${accepted}`) }));
      accepted += 1;
    }
  };
  await t.rejects(fill(), { code: 'STORE_UNAVAILABLE' });
  t.ok(accepted > 3);
  t.ok(await counters.recentReceipt(project, `rcpt_${project}_s0`));
  await t.rejects(
    counters.storeProbe(probeInput(project, 'late')).then(() => fill()),
    { code: 'STORE_UNAVAILABLE' },
  );
  t.match(await counters.countScore(scoreInput(project, 'next month', { nowMs: startMs + 32 * 24 * hourMs })), {
    kind: 'counted',
  });
  await counters.close();
});

t.test('a closed store is unavailable', async (t) => {
  const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 100 });
  await counters.close();
  await counters.close();
  for (const call of [counters.ping(), counters.takeRate('tag', startMs, []), counters.recentReceipt('p', 'r')]) {
    t.ok(unavailable(await call.catch((error: unknown) => error)));
  }
});
