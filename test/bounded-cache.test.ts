import t from 'tap';
import { createBoundedCache } from '../src/bounded-cache.js';

t.test('the least recently used entry makes room for one too many', async (t) => {
  const cache = createBoundedCache<number>(3);
  for (const [index, key] of ['a', 'b', 'c'].entries()) cache.set(key, index);
  cache.get('a');
  cache.set('c', 9);
  cache.set('d', 3);
  t.strictSame([...cache.entries()].sort(), [
    ['a', 0],
    ['c', 9],
    ['d', 3],
  ]);
});

t.test('an empty one takes no memory, however much it may hold', async (t) => {
  const before = process.memoryUsage().arrayBuffers;
  const caches = Array.from({ length: 20 }, () => createBoundedCache(100_000));
  t.ok(process.memoryUsage().arrayBuffers - before < 100_000);
  t.equal(caches.length, 20);
});
