import t from 'tap';
import { storeUnavailable } from '../../../src/errors.js';
import type { LogEntry } from '../../../src/stores/log/port.js';
import { inPortions } from '../../../src/stores/log/dead-letters/dead-letters.js';
import { entry, textOf } from './contract.js';

const { signal } = new AbortController();
const batch = (count: number): LogEntry[] => Array.from({ length: count }, (_, n) => entry(`key-${n}`, `${n}`));

t.test('what does not fit into a deadline comes in portions that do, in order, and whole again later', async (t) => {
  let fitting = 40;
  let taken: string[] = [];
  const lengths: number[] = [];
  const handle = inPortions(async (entries) => {
    lengths.push(entries.length);
    if (entries.length > fitting) throw storeUnavailable('the deadline passed');
    taken.push(...entries.map(textOf));
  });
  const entries = batch(300);
  let goes = 0;
  for (let isTaken = false; !isTaken && goes < 10; goes += 1) {
    taken = [];
    isTaken = await handle(entries, signal).then(
      () => true,
      () => false,
    );
  }
  t.same(taken, entries.map(textOf));
  t.equal(goes, 3, 'of 300, of 75, of 18');
  fitting = Infinity;
  for (let n = 0; n < 6; n += 1) await handle(entries, signal);
  t.equal(lengths.at(-1), 300, 'with the store its portions recover');
});

t.test('a record that cannot be taken makes nothing smaller', async (t) => {
  const lengths: number[] = [];
  const handle = inPortions(async (entries) => {
    lengths.push(entries.length);
    throw new Error('poison');
  });
  for (let n = 0; n < 2; n += 1) await t.rejects(handle(batch(8), signal), /poison/);
  t.same(lengths, [8, 8]);
});
