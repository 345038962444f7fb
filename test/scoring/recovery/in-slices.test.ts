import t from 'tap';
import { mapInSlices } from '../../../src/scoring/receipts/receipts.js';

const busyMs = (ms: number): void => {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
};

t.test('a list is mapped in order, and others have their turns meanwhile', async (t) => {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const squares = await mapInSlices(
    Array.from({ length: 60 }, (_, n) => n),
    (n) => {
      busyMs(1);
      return n * n;
    },
  );
  isDone = true;
  t.same(squares.slice(0, 4), [0, 1, 4, 9]);
  t.equal(squares.length, 60);
  t.ok(turns >= 15, `${turns} turns in 60 ms of work`);
});

t.test('a short list takes one turn, and what the mapping throws is thrown', async (t) => {
  let turns = 0;
  setImmediate(() => (turns += 1));
  t.same(await mapInSlices([1, 2], (n) => n + 1), [2, 3]);
  t.equal(turns, 0);
  await t.rejects(
    mapInSlices([1], () => {
      throw new Error('unreadable');
    }),
    { message: 'unreadable' },
  );
});
