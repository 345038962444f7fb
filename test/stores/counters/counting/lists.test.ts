/** The packed lists and counts that values are made of. */
import fc from 'fast-check';
import t from 'tap';
import {
  packRef,
  packTime,
  timeAt,
  u32At,
  unpackRef,
  type Bytes,
} from '../../../../src/stores/counters/counting/bytes.js';
import { countCrowd, noCrowd } from '../../../../src/stores/counters/counting/crowds.js';
import { admit, createGuard, packGuard, readGuard } from '../../../../src/stores/counters/counting/guard.js';
import { addSighting, dropEntries, entryBytes, noteEntry } from '../../../../src/stores/counters/counting/sightings.js';
import { tally } from '../../../../src/stores/counters/counting/tallies.js';
import { ref, startMs } from '../inputs.js';

const entry = (name: string, ms: number): Bytes => packRef(ref(name)) + packTime(ms);
const listOf = (...seen: (readonly [name: string, ms: number])[]): Bytes =>
  seen.map(([name, ms]) => entry(name, ms)).join('');

t.test('references and times come back as they were, and times sort as texts', async (t) => {
  fc.assert(
    fc.property(fc.nat(2 ** 43), fc.nat(2 ** 43), fc.string({ maxLength: 20 }), (one, other, name) => {
      if (timeAt(packTime(one), 0) !== one) return false;
      if (packTime(one) < packTime(other) !== one < other) return false;
      return unpackRef(packRef(ref(name))) === ref(name);
    }),
  );
  t.throws(() => packRef('somebody else'), RangeError);
});

t.test('a sighting takes its place in time', async (t) => {
  const list = listOf(['c', 30], ['b', 20], ['a', 10]);
  const cases: readonly (readonly [name: string, ms: number, since: number, max: number, expected: Bytes])[] = [
    ['d', 40, 0, 9, listOf(['d', 40], ['c', 30], ['b', 20], ['a', 10])],
    ['d', 15, 0, 9, listOf(['c', 30], ['b', 20], ['d', 15], ['a', 10])],
    ['d', 5, 0, 3, list],
    ['d', 40, 0, 3, listOf(['d', 40], ['c', 30], ['b', 20])],
    ['a', 40, 5, 9, list],
    ['a', 40, 10, 9, listOf(['a', 40], ['c', 30], ['b', 20])],
  ];
  for (const [name, ms, since, max, expected] of cases)
    t.equal(addSighting(list, packRef(ref(name)), packTime(ms), packTime(since), max), expected, `${name} at ${ms}`);
  t.equal(noteEntry(list, packRef(ref('a')), packTime(5)), list, 'a later sighting stands');
  t.equal(dropEntries(list, packTime(20)), listOf(['c', 30]));
});

t.test('buckets hold the window and no more', async (t) => {
  let tallies: Bytes = '';
  const count = (bucket: number, add: boolean): number => {
    const tallied = tally(tallies, bucket, 12, add);
    tallies = tallied.tallies;
    return tallied.sum;
  };
  t.same([count(100, true), count(100, true), count(105, true), count(111, false)], [1, 2, 3, 3]);
  t.equal(count(112, true), 2);
  t.equal(u32At(tallies, 0), 105, 'the first bucket is gone');
});

t.test('a crowd is exact up to 128, within 5% to 2,048, and over an hour later nobody', async (t) => {
  let crowd = noCrowd;
  const slot = 1_000_000;
  const seen = new Map<number, number>();
  for (let i = 1; i <= 2_048; i += 1) {
    const counted = countCrowd(crowd, slot + Math.floor(i / 200), packRef(ref(`member ${i}`)));
    crowd = counted.crowd;
    seen.set(i, counted.count);
  }
  t.equal(seen.get(128), 128);
  for (const many of [129, 500, 1_000, 2_048])
    t.ok(Math.abs((seen.get(many) ?? 0) - many) <= 0.05 * many, `${seen.get(many)} is near ${many}`);
  t.equal(countCrowd(crowd, slot + 10 + 12, null).count, 0);
  t.equal(countCrowd(crowd, slot + 10 + 12, packRef(ref('late'))).count, 1);
});

t.test('a guard admits each counter once, and 64 of them, and is forgotten after two days', async (t) => {
  const guard = createGuard(startMs);
  t.same([admit(guard, 'd1'), admit(guard, 'd1'), admit(guard, 'd2')], [true, false, true]);
  for (let i = 0; i < 100; i += 1) admit(guard, `more ${i}`);
  const value = `\0\0${packGuard(guard, startMs, startMs)}`;
  const known = readGuard(value, startMs + 1, startMs + 1);
  t.same([admit(known, 'd2'), admit(known, 'more 61'), admit(known, 'more 62')], [false, false, false]);
  t.equal(known.counted.length, 64 * 6);
  const dayMs = 86_400_000;
  t.equal(readGuard(value, startMs + 2 * dayMs, startMs + 2 * dayMs).counted, '');
  t.equal(entryBytes, 14);
});
