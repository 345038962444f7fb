/** Draws of the panel simulator. Everything follows from the seed. */
import { createRandom } from '../../workers/seeded-random.js';

export interface Draw {
  /** In [0, 1). */
  random(): number;
  chance(probability: number): boolean;
  between(low: number, high: number): number;
  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number;
  pick<T>(list: readonly T[]): T;
  weighted<T>(entries: readonly (readonly [T, number])[]): T;
  normal(mean: number, deviation: number): number;
  /** By its median and the deviation of its logarithm. */
  lognormal(median: number, sigma: number): number;
  exponential(mean: number): number;
  poisson(mean: number): number;
  hex(length: number): string;
}

export function createDraw(seed: number): Draw {
  const random = createRandom(seed);
  // Neighboring seeds start out alike.
  for (let skipped = 0; skipped < 8; skipped += 1) random();
  const normal = (mean: number, deviation: number): number =>
    mean + deviation * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const pick = <T>(list: readonly T[]): T => {
    const item = list[Math.floor(random() * list.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  };
  return {
    random,
    normal,
    pick,
    chance: (probability) => random() < probability,
    between: (low, high) => low + (high - low) * random(),
    whole: (low, high) => low + Math.floor(random() * (high - low + 1)),
    lognormal: (median, sigma) => median * Math.exp(normal(0, sigma)),
    exponential: (mean) => -mean * Math.log(1 - random()),
    hex: (length) => Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join(''),
    weighted(entries) {
      let left = random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [item, weight] of entries) {
        left -= weight;
        if (left < 0) return item;
      }
      return pick(entries)[0];
    },
    poisson(mean) {
      let count = 0;
      for (let left = Math.exp(-mean), product = random(); product > left; product *= random()) count += 1;
      return count;
    },
  };
}
