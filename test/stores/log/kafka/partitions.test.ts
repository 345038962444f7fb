import t from 'tap';
import {
  createPartitions,
  type PartitionsDeps,
  type PartitionWork,
} from '../../../../src/stores/log/kafka/partitions.js';
import type { LogEntry } from '../../../../src/stores/log/port.js';
import { waitUntil } from '../../../helpers/wait-until.js';
import { entry, textOf } from '../contract.js';

/** Partitions over a group that exists in memory only, and all that it was asked to do. */
function createBench(handle: PartitionsDeps['handle'], changes: Partial<PartitionsDeps> = {}) {
  const commits: string[] = [];
  const asked: string[] = [];
  const partitions = createPartitions({
    now: () => 0,
    batchMax: 2,
    handle,
    commit: async (partition, offset) => void commits.push(`${partition}:${offset}`),
    pause: (partition) => void asked.push(`pause ${partition}`),
    resume: (partition) => void asked.push(`resume ${partition}`),
    onFailure: (_error, partition, failures) => void asked.push(`failure ${failures} of ${partition}`),
    ...changes,
  });
  return { partitions, commits, asked };
}

const work = (partition: number, count: number): PartitionWork => ({
  partition,
  entries: Array.from({ length: count }, (_, n) => entry(`${n}`, `${partition}/${n}`)),
  offsets: Array.from({ length: count }, (_, n) => `${100 + n}`),
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
  'a batch is handed out in parts, each committed before the next, and the partition is fetched again after the last',
  async (t) => {
    const parts: string[][] = [];
    const { partitions, commits, asked } = createBench(async (entries) => void parts.push(entries.map(textOf)));
    partitions.take(work(3, 5));
    await waitUntil(() => asked.includes('resume 3'), 'the partition is free again');
    t.same(parts, [['3/0', '3/1'], ['3/2', '3/3'], ['3/4']]);
    t.same(commits, ['3:101', '3:103', '3:104']);
  },
);

t.test('partitions do not wait for each other, and a busy one takes nothing more on', async (t) => {
  const { inside, handle } = createGate();
  const { partitions, commits } = createBench(handle);
  partitions.take(work(0, 1));
  partitions.take(work(0, 1));
  partitions.take(work(1, 1));
  await waitUntil(() => inside.length === 2, 'both partitions are at work');
  inside[1]?.leave();
  await waitUntil(() => commits.length === 1, 'the second is done');
  t.same(commits, ['1:100']);
  t.equal(inside.length, 2);
  inside[0]?.leave();
  await waitUntil(() => commits.length === 2, 'the first is done');
});

t.test(
  'after a failure nothing behind it is handed out or committed until the partition is fetched again',
  async (t) => {
    let calls = 0;
    const { partitions, commits, asked } = createBench(async () => {
      if (++calls === 2) throw new Error('not this time');
    });
    partitions.take(work(0, 6));
    await waitUntil(() => asked.includes('resume 0'), 'the pause is over');
    t.same(commits, ['0:101']);
    t.same(asked, ['pause 0', 'failure 1 of 0', 'resume 0']);
    t.equal(calls, 2);
  },
);

t.test('a commit that fails counts as a failure', async (t) => {
  const { partitions, asked } = createBench(async () => undefined, {
    commit: () => Promise.reject(new Error('coordinator away')),
  });
  partitions.take(work(0, 6));
  await waitUntil(() => asked.includes('resume 0'), 'the pause is over');
  t.same(asked, ['pause 0', 'failure 1 of 0', 'resume 0']);
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
  t.same(commits, ['1:100']);
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
  t.same(commits, ['0:101']);
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
  for (let round = 1; round <= 2; round++) {
    partitions.take(work(0, 1));
    await waitUntil(() => asked.filter((what) => what === 'resume 0').length === round, 'the pause is over');
    nowMs += 40_000;
    t.equal(partitions.waitingMs(), round * 40_000);
  }
  isPoison = false;
  partitions.take(work(0, 1));
  await waitUntil(() => commits.length === 1 && partitions.waitingMs() === 0, 'it is taken');
});
