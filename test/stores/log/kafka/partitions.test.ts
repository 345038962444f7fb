import t from 'tap';
import {
  createPartitions,
  type PartitionsDeps,
  type PartitionWork,
} from '../../../../src/stores/log/kafka/partitions.js';
import type { LogEntry, Subscription } from '../../../../src/stores/log/port.js';
import { waitUntil } from '../../../helpers/wait-until.js';
import { entry, textOf } from '../contract.js';

/** Partitions over a group that exists in memory only, and all that it was asked to do. */
function createBench(handle: Subscription['handle'], changes: Partial<PartitionsDeps> = {}) {
  const commits: string[] = [];
  const asked: string[] = [];
  const partitions = createPartitions({
    now: () => 0,
    subscription: { batchMax: 2, handle, tenantOf: ({ key }) => key.split('-')[0] ?? '' },
    commit: async (partition, offset) => void commits.push(`${partition}:${offset}`),
    pause: (partition) => void asked.push(`pause ${partition}`),
    resume: (partition) => void asked.push(`resume ${partition}`),
    onFailure: (_error, partition, failures) => void asked.push(`failure ${failures} of ${partition}`),
    ...changes,
  });
  return { partitions, commits, asked };
}

/** Entries of one tenant, from offset 100 on unless told otherwise. */
const work = (partition: number, count: number, { tenant = 'a', from = 100 } = {}): PartitionWork => ({
  partition,
  entries: Array.from({ length: count }, (_, n) => entry(`${tenant}-${n}`, `${partition}/${from + n}`)),
  offsets: Array.from({ length: count }, (_, n) => from + n),
});

/** A handler that stands still until told otherwise. */
function createGate() {
  const inside: { readonly entries: readonly LogEntry[]; readonly signal: AbortSignal; readonly leave: () => void }[] =
    [];
  const handle = (entries: readonly LogEntry[], signal: AbortSignal) =>
    new Promise<void>((leave) => void inside.push({ entries, signal, leave }));
  return { inside, handle };
}

t.test(
  'what was fetched is handed out in batches, each committed before the next, and the partition is fetched again',
  async (t) => {
    const parts: string[][] = [];
    const { partitions, commits, asked } = createBench(async (entries) => void parts.push(entries.map(textOf)));
    partitions.take(work(3, 5));
    await waitUntil(() => asked.includes('resume 3'), 'the partition is free again');
    await waitUntil(() => commits.length === 3, 'all is committed');
    t.same(parts, [['3/100', '3/101'], ['3/102', '3/103'], ['3/104']]);
    t.same(commits, ['3:102', '3:104', '3:105']);
  },
);

t.test('partitions do not wait for each other, and what is fetched again is known', async (t) => {
  const { inside, handle } = createGate();
  const { partitions, commits } = createBench(handle);
  t.equal(partitions.take(work(0, 1)), 101);
  t.equal(partitions.take(work(0, 1)), 101);
  partitions.take(work(1, 1));
  await waitUntil(() => inside.length === 2, 'both partitions are at work');
  inside[1]?.leave();
  await waitUntil(() => commits.length === 1, 'the second is done');
  t.same(commits, ['1:101']);
  inside[0]?.leave();
  await waitUntil(() => commits.length === 2, 'the first is done');
  t.equal(inside.length, 2);
});

t.test('what comes while a flood is worked off is in the next batch, and the commit waits for the flood', async (t) => {
  const { inside, handle } = createGate();
  const { partitions, commits, asked } = createBench(handle);
  partitions.take(work(0, 9));
  await waitUntil(() => inside.length === 1, 'the flood is at work');
  inside[0]?.leave();
  await waitUntil(() => asked.includes('resume 0') && inside.length === 2, 'more is fetched meanwhile');
  t.equal(partitions.take(work(0, 1, { tenant: 'b', from: 109 })), 110);
  inside[1]?.leave();
  await waitUntil(() => inside.length === 3, 'the next batch is at work');
  t.same(inside[2]?.entries.map(textOf), ['0/104', '0/109']);
  inside[2]?.leave();
  await waitUntil(() => commits.length === 3, 'it is committed');
  t.same(commits, ['0:102', '0:104', '0:105']);
});

t.test('a window that is full takes nothing on and fetches nothing until half of it is done', async (t) => {
  const { inside, handle } = createGate();
  const { partitions, asked } = createBench(handle);
  t.equal(partitions.take(work(0, 10_000)), 100 + 8_192);
  t.equal(partitions.take(work(0, 10, { from: 100 + 8_192 })), 100 + 8_192);
  for (let n = 0; n < 2_048; n += 1) {
    await waitUntil(() => inside.length > n, 'a batch is at work');
    t.notOk(asked.includes('resume 0'));
    inside[n]?.leave();
  }
  await waitUntil(() => inside.length > 2_048, 'half is done');
  t.notOk(asked.includes('resume 0'), 'exactly half is not less than half');
  inside[2_048]?.leave();
  await waitUntil(() => asked.includes('resume 0'), 'less than half is left');
});

t.test(
  'after a failure the same batch comes again, and nothing behind it is handed out or fetched before',
  async (t) => {
    const parts: string[][] = [];
    const { partitions, commits, asked } = createBench(async (entries) => {
      parts.push(entries.map(textOf));
      if (parts.length === 2) throw new Error('not this time');
    });
    partitions.take(work(0, 4));
    await waitUntil(() => commits.length === 2, 'all is done');
    t.same(commits, ['0:102', '0:104']);
    t.same(parts, [
      ['0/100', '0/101'],
      ['0/102', '0/103'],
      ['0/102', '0/103'],
    ]);
    t.same(asked, ['pause 0', 'resume 0', 'failure 1 of 0', 'resume 0']);
  },
);

t.test('a commit that fails counts as a failure of its batch', async (t) => {
  const parts: string[][] = [];
  let commitsLeft = 1;
  const { partitions, asked } = createBench(async (entries) => void parts.push(entries.map(textOf)), {
    commit: () => (commitsLeft-- > 0 ? Promise.reject(new Error('coordinator away')) : Promise.resolve()),
  });
  partitions.take(work(0, 2));
  await waitUntil(() => asked.includes('resume 0'), 'it is done');
  t.same(asked, ['pause 0', 'failure 1 of 0', 'resume 0']);
  t.same(parts, [
    ['0/100', '0/101'],
    ['0/100', '0/101'],
  ]);
});

t.test('a partition that is read again from further back is handed out again', async (t) => {
  const texts: string[] = [];
  const { partitions, commits } = createBench(async (entries) => void texts.push(...entries.map(textOf)));
  partitions.take(work(0, 1));
  await waitUntil(() => commits.length === 1, 'it is done');
  t.equal(partitions.take(work(0, 1, { from: 0 })), 1);
  await waitUntil(() => commits.length === 2, 'it is done again');
  t.same(texts, ['0/100', '0/0']);
  t.same(commits, ['0:101', '0:1']);
});

t.test('a partition that went to another member commits nothing more, and its handler is told', async (t) => {
  const { inside, handle } = createGate();
  const { partitions, commits, asked } = createBench(handle);
  partitions.assign('me', [0, 1]);
  partitions.take(work(0, 4));
  partitions.take(work(1, 1));
  await waitUntil(() => inside.length === 2, 'both are at work');
  partitions.assign('me', [1]);
  t.ok(inside[0]?.signal.aborted);
  t.notOk(inside[1]?.signal.aborted);
  for (const { leave } of inside) leave();
  await waitUntil(() => asked.includes('resume 0') && asked.includes('resume 1'), 'both have ended');
  t.same(commits, ['1:101']);
  t.equal(inside.length, 2, 'the rest of the lost partition is not handled');
});

t.test(
  'a member that was shut out and came back as another commits nothing from before, even where it has the partition again',
  async (t) => {
    const { inside, handle } = createGate();
    const { partitions, commits, asked } = createBench(handle);
    partitions.assign('first life', [0]);
    partitions.take(work(0, 1));
    await waitUntil(() => inside.length === 1, 'it is at work');
    partitions.assign('second life', [0]);
    inside[0]?.leave();
    await waitUntil(() => asked.includes('resume 0'), 'it has ended');
    t.same(commits, []);
    partitions.take(work(0, 1));
    await waitUntil(() => inside.length === 2, 'it is at work again');
    inside[1]?.leave();
    await waitUntil(() => commits.length === 1, 'the new life commits');
  },
);

t.test('stopping waits for what is in the handler, commits it, and starts nothing more', async (t) => {
  const { inside, handle } = createGate();
  const { partitions, commits } = createBench(handle);
  partitions.take(work(0, 4));
  await waitUntil(() => inside.length === 1, 'it is at work');
  const stopped = partitions.stop();
  inside[0]?.leave();
  await stopped;
  partitions.take(work(1, 1));
  t.same(commits, ['0:102']);
  t.equal(inside.length, 1);
});

t.test('records that fail again and again wait since they came, and those that are taken do not', async (t) => {
  let nowMs = 1_000;
  let isPoison = true;
  const { partitions, asked, commits } = createBench(
    async () => {
      if (isPoison) throw new Error('unreadable');
    },
    { now: () => nowMs },
  );
  t.equal(partitions.waitingMs(), 0);
  partitions.take(work(0, 1));
  for (let round = 1; round <= 2; round++) {
    await waitUntil(() => asked.includes(`failure ${round} of 0`), 'it fails');
    nowMs += 40_000;
    t.equal(partitions.waitingMs(), round * 40_000);
  }
  isPoison = false;
  await waitUntil(() => commits.length === 1 && partitions.waitingMs() === 0, 'it is taken');
});
