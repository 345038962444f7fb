import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import t from 'tap';
import { createLogger } from '../../../../src/telemetry/logger.js';
import { dot } from '../../../../src/verification/uniqueness/embedding.js';
import { createEncoder } from '../../../../src/verification/uniqueness/scan/encoder.js';
import { createGallery } from '../../../../src/verification/uniqueness/scan/gallery.js';
import { layoutFor } from '../../../../src/verification/uniqueness/scan/layout.js';
import { search } from '../../../../src/verification/uniqueness/scan/search.js';
import { bitsFor, createSearcher } from '../../../../src/verification/uniqueness/scan/searcher.js';
import { directionNear, randomDirection } from '../../../helpers/faces.js';
import { createRandom } from '../../../../workers/seeded-random.js';

function set(dimension: number, seed: number) {
  const random = createRandom(seed);
  const layout = layoutFor(dimension);
  const encoder = createEncoder(layout, (count) => Uint8Array.from({ length: count }, () => random() * 256));
  const gallery = createGallery(layout);
  const find = (
    direction: Float32Array,
    options: { cells?: string[]; likenessMin?: number; since?: number; best?: number; bits?: number },
  ) => {
    const { cells = ['a'], likenessMin = -2, since = 0, best = 8, bits = layout.codeBits } = options;
    const template = encoder.encode(direction);
    const request = { ...template, heads: gallery.headsOf(cells), bitsMax: bits, likenessMin };
    const found = search(gallery.space, { ...request, sinceSeconds: since, bestMax: best });
    const confirm = (list: typeof found.recent) => list.flatMap(({ slot }) => gallery.confirm(slot, template) ?? []);
    return { recent: confirm(found.recent), earlier: confirm(found.earlier), raw: found };
  };
  return { random, layout, encoder, gallery, find };
}

t.test('signed bytes keep a cosine to within a hundredth, at any dimension', (t) => {
  fc.assert(
    fc.property(
      fc.constantFrom(64, 96, 128, 512, 1_024),
      fc.integer(),
      fc.double({ min: -1, max: 1, noNaN: true }),
      (dimension, seed, cosine) => {
        const { random, encoder } = set(dimension, seed);
        const a = randomDirection(random, dimension);
        const b = directionNear(a, cosine, random);
        const [x, y] = [encoder.encode(a), encoder.encode(b)];
        const product = x.bytes.reduce((sum, value, index) => sum + value * (y.bytes[index] ?? 0), 0);
        return Math.abs(product * x.scale * y.scale - dot(a, b)) < 0.01;
      },
    ),
    { numRuns: 200 },
  );
  t.pass();
  t.end();
});

t.test('a scan finds what plain arithmetic finds, in the same order, over any number of templates', (t) => {
  fc.assert(
    fc.property(
      fc.constantFrom(64, 128, 300),
      fc.integer(),
      fc.integer({ min: 1, max: 150 }),
      (dimension, seed, count) => {
        const { random, encoder, gallery, find } = set(dimension, seed);
        const all = Array.from({ length: count }, () => encoder.encode(randomDirection(random, dimension)));
        all.forEach((template, number) => gallery.add('a', number, template, 0));
        const query = randomDirection(random, dimension);
        const { bytes, scale } = encoder.encode(query);
        const plain = all
          .map((one, number) => ({
            number,
            likeness: one.bytes.reduce((sum, value, index) => sum + value * (bytes[index] ?? 0), 0) * one.scale * scale,
          }))
          .sort((a, b) => b.likeness - a.likeness)
          .slice(0, 8);
        const { recent, raw } = find(query, {});
        return (
          recent.every(({ likeness }, index) => Math.abs(likeness - (plain[index]?.likeness ?? 9)) < 1e-5) &&
          raw.recent.every(({ likeness }, index) => Math.abs(likeness - (plain[index]?.likeness ?? 9)) < 1e-4) &&
          recent.length === plain.length
        );
      },
    ),
    { numRuns: 60 },
  );
  t.pass();
  t.end();
});

t.test('codes pass over most strangers and lose fewer than one in a hundred of those who are looked for', async (t) => {
  const { random, layout, encoder, gallery, find } = set(128, 5);
  const people = Array.from({ length: 4_000 }, () => randomDirection(random));
  people.forEach((person, number) => gallery.add('a', number, encoder.encode(person), 0));
  const sure = 0.5;
  const bits = bitsFor(sure, layout.codeBits);
  let found = 0;
  const asked = 1_000;
  for (let index = 0; index < asked; index += 1) {
    const { recent } = find(directionNear(people[index] ?? new Float32Array(128), sure, random), {
      likenessMin: 0.45,
      bits,
    });
    if (recent[0]?.number === index) found += 1;
  }
  t.ok(found >= asked * 0.99, `found ${found} of ${asked}`);
  const passed = find(randomDirection(random), { bits, best: 4_000 }).recent.length;
  t.ok(passed < 200, `${passed} of 4,000 strangers were looked at`);
});

t.test('cells are apart, and a scope is any set of them', async (t) => {
  const { random, encoder, gallery, find } = set(128, 6);
  const person = randomDirection(random);
  for (let number = 0; number < 100; number += 1)
    gallery.add(number % 2 === 0 ? 'a' : 'b', number, encoder.encode(person), 0);
  const numbersIn = (cells: string[]) => find(person, { cells, best: 200 }).recent.map(({ number }) => number);
  t.ok(numbersIn(['a']).every((number) => number % 2 === 0) && numbersIn(['a']).length === 50);
  t.equal(numbersIn(['a', 'b']).length, 100);
  t.same(numbersIn(['c']), []);
  t.equal(gallery.sizeOf(['a', 'b', 'c']), 100);
});

t.test('an erased template is zeros at once, is never found, and its place is taken by the next', async (t) => {
  const { random, encoder, gallery, find } = set(128, 7);
  const [gone, next] = [randomDirection(random), randomDirection(random)];
  gallery.add('a', 1, encoder.encode(gone), 9);
  const slot = find(gone, {}).raw.recent[0]?.slot ?? -1;
  t.ok(gallery.remove(1));
  t.notOk(gallery.remove(1), 'once');
  t.equal(gallery.confirm(slot, encoder.encode(gone)), null);
  t.same(find(gone, { likenessMin: 0.1 }).raw, { recent: [], earlier: [] });
  t.equal(gallery.size(), 0);
  const bytes = gallery.bytes();
  gallery.add('a', 2, encoder.encode(next), 9);
  t.match(find(next, {}).recent, [{ number: 2 }]);
  t.equal(find(next, {}).raw.recent[0]?.slot, slot);
  t.equal(gallery.bytes(), bytes);
});

t.test('the best before and after a time compete apart', async (t) => {
  const { random, encoder, gallery, find } = set(128, 8);
  const person = randomDirection(random);
  for (let number = 0; number < 60; number += 1) gallery.add('a', number, encoder.encode(person), 100);
  gallery.add('a', 60, encoder.encode(directionNear(person, 0.7, random)), 101);
  const { recent, earlier } = find(person, { since: 101, best: 4 });
  t.same(
    recent.map(({ number }) => number),
    [60],
  );
  t.equal(earlier.length, 4);
});

t.test('more results than the scratch holds are all looked at', async (t) => {
  const { random, encoder, gallery, find } = set(64, 9);
  const person = randomDirection(random, 64);
  for (let number = 0; number < 5_000; number += 1)
    gallery.add('a', number, encoder.encode(directionNear(person, number === 4_999 ? 0.99 : 0.9, random)), 0);
  t.equal(find(person, { best: 1 }).recent[0]?.number, 4_999);
});

t.test('search threads see what is written after they were told of the gallery, in grown memory too', async (t) => {
  const { random, encoder, gallery } = set(128, 10);
  const searcher = createSearcher({ threads: 2, searchesMax: 64, deadlineMs: 20_000, logger: createLogger('silent') });
  t.teardown(() => searcher.close());
  const ask = async (direction: Float32Array) => {
    const template = encoder.encode(direction);
    const limits = { likenessMin: 0.6, likenessSure: 0.7, sinceSeconds: 0, bestMax: 3 };
    const { recent } = await searcher.search(gallery, { cells: ['a'], template, ...limits });
    return recent.map(({ slot }) => gallery.confirm(slot, template)?.number);
  };
  t.same(await ask(randomDirection(random)), [], 'nothing is there yet');
  const people = Array.from({ length: 20_000 }, () => randomDirection(random));
  for (const [number, person] of people.entries()) {
    gallery.add('a', number, encoder.encode(person), 0);
    if (number % 4_000 === 0) t.same(await ask(person), [number]);
  }
  const answers = await Promise.all([0, 7_777, 19_999].map((number) => ask(people[number] ?? new Float32Array(128))));
  t.same(answers, [[0], [7_777], [19_999]]);
});

t.test('a gallery that is closed is let go of, searched no more, and others are searched on', async (t) => {
  const searcher = createSearcher({ threads: 1, searchesMax: 64, deadlineMs: 20_000, logger: createLogger('silent') });
  t.teardown(() => searcher.close());
  const open = (seed: number) => {
    const { random, encoder, gallery } = set(128, seed);
    const template = encoder.encode(randomDirection(random));
    gallery.add('a', seed, template, 0);
    const limits = { likenessMin: 0.6, likenessSure: 0.7, sinceSeconds: 0, bestMax: 3 };
    const ask = () => searcher.search(gallery, { cells: ['a'], template, ...limits });
    return { gallery, ask, memory: new WeakRef(gallery.space.memory) };
  };
  let old: ReturnType<typeof open> | null = open(12);
  const kept = open(13);
  const { memory } = old;
  for (const { ask } of [old, kept]) t.equal((await ask()).recent.length, 1);
  searcher.closeGallery(old.gallery);
  await t.rejects(old.ask(), { code: 'OVERLOADED' });
  old = null;
  for (const { ask } of [kept, open(14)]) t.equal((await ask()).recent.length, 1);
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  t.equal(memory.deref(), undefined);
});

t.test('too many searches at once, or one past its deadline, are OVERLOADED', async (t) => {
  const { random, encoder, gallery } = set(128, 11);
  for (let number = 0; number < 2_000; number += 1)
    gallery.add('a', number, encoder.encode(randomDirection(random)), 0);
  const query = {
    cells: ['a'],
    template: encoder.encode(randomDirection(random)),
    likenessMin: 0.6,
    likenessSure: 0.7,
  };
  const open = (searchesMax: number, deadlineMs: number) => {
    const searcher = createSearcher({
      threads: 1,
      searchesMax,
      deadlineMs,
      loadMsMax: 0,
      logger: createLogger('silent'),
    });
    t.teardown(() => searcher.close());
    return () => searcher.search(gallery, { ...query, sinceSeconds: 0, bestMax: 1 });
  };
  const ask = open(2, 20_000);
  const results = await Promise.allSettled([ask(), ask(), ask()]);
  t.match(results, [{ status: 'fulfilled' }, { status: 'fulfilled' }, { reason: { code: 'OVERLOADED' } }]);
  await t.rejects(open(2, 0)(), { code: 'OVERLOADED' });
});
