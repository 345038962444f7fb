import t from 'tap';
import { createGroupCommit, type GroupCommitOptions } from '../../../src/stores/log/group-commit.js';
import type { LogEntry } from '../../../src/stores/log/port.js';
import { entry, textOf } from './contract.js';

const options = { store: 'log', deadlineMs: 5_000, writeBytesMax: 1_000, waitingBytesMax: 10_000 };

/** A group commit whose writes end when told to. */
function createBench(changes: Partial<GroupCommitOptions> = {}) {
  const writes: { readonly texts: string[]; readonly end: (error?: Error) => void }[] = [];
  const started: (() => void)[] = [];
  const write = (entries: readonly LogEntry[]) =>
    new Promise<void>((resolve, reject) => {
      writes.push({ texts: entries.map(textOf), end: (error) => (error === undefined ? resolve() : reject(error)) });
      started.shift()?.();
    });
  const nextWrite = () => new Promise<void>((resolve) => void started.push(resolve));
  return { commit: createGroupCommit({ ...options, write, ...changes }), writes, nextWrite };
}

t.test('appends of one tick go out together; those that come meanwhile go out next, in order', async (t) => {
  const { commit, writes, nextWrite } = createBench();
  let next = nextWrite();
  const first = [commit.append([entry('k', 'a')]), commit.append([entry('k', 'b'), entry('k', 'c')])];
  await next;
  next = nextWrite();
  const second = [commit.append([entry('k', 'd')]), commit.append([entry('k', 'e')])];
  t.same(
    writes.map(({ texts }) => texts),
    [['a', 'b', 'c']],
  );
  writes[0]?.end();
  await Promise.all(first);
  await next;
  t.same(
    writes.map(({ texts }) => texts),
    [
      ['a', 'b', 'c'],
      ['d', 'e'],
    ],
  );
  writes[1]?.end();
  await Promise.all([...second, commit.drain()]);
});

t.test('a failed write rejects its own appends and no others', async (t) => {
  const { commit, writes, nextWrite } = createBench();
  let next = nextWrite();
  const lost = commit.append([entry('k', 'a')]);
  await next;
  next = nextWrite();
  const kept = commit.append([entry('k', 'b')]);
  writes[0]?.end(new Error('disk full'));
  await t.rejects(lost, /disk full/);
  await next;
  writes[1]?.end();
  await t.resolves(kept);
});

t.test('writes are bounded in size, and what waits is bounded too', async (t) => {
  const { commit, writes, nextWrite } = createBench({ writeBytesMax: 1_000, waitingBytesMax: 2_500 });
  const next = nextWrite();
  const appends = [
    commit.append([entry('k', 'x'.repeat(700))]),
    commit.append([entry('k', 'y'.repeat(700))]),
    commit.append([entry('k', 'z'.repeat(700))]),
  ];
  await t.rejects(commit.append([entry('k', 'w'.repeat(700))]), { code: 'STORE_UNAVAILABLE' });
  await next;
  for (let turn = 0; turn < appends.length; turn++) {
    const later = nextWrite();
    writes[turn]?.end();
    if (turn < appends.length - 1) await later;
  }
  await Promise.all(appends);
  t.same(
    writes.map(({ texts }) => texts.length),
    [1, 1, 1],
  );
});

t.test('an append past its deadline rejects, and is not written later when it had not been begun', async (t) => {
  const { commit, writes, nextWrite } = createBench({ deadlineMs: 30 });
  const next = nextWrite();
  const begun = commit.append([entry('k', 'a')]);
  await next;
  const waiting = commit.append([entry('k', 'b')]);
  await t.rejects(begun, { code: 'STORE_UNAVAILABLE' });
  await t.rejects(waiting, { code: 'STORE_UNAVAILABLE' });
  writes[0]?.end();
  await commit.drain();
  t.same(
    writes.map(({ texts }) => texts),
    [['a']],
  );
});
