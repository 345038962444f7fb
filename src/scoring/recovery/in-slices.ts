/** Long lists, worked through without holding up what else the process does. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Requests wait at most this long, and one item more. */
const sliceMs = 2;

/** As `items.map(map)`; others have their turn every two milliseconds. Rejects with what `map` throws. */
export async function mapInSlices<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  let sinceMs = performance.now();
  for (const item of items) {
    if (performance.now() - sinceMs > sliceMs) {
      await nextTurn();
      sinceMs = performance.now();
    }
    results.push(map(item));
  }
  return results;
}
