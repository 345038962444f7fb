/**
 * Paired bootstrap of the difference between two thresholds on the same sessions: what both decide alike cancels out, and only the sessions
 * on which they differ are drawn again. Repeatable by its seed.
 */
import { createRandom } from '../seeded-random.js';

const replicates = 1_000;
const normalFrom = 60;

/** 95% interval of (gained - lost) / total, where so many of the total are blocked by the one threshold only. */
export function deltaInterval(
  groups: { readonly gained: number; readonly lost: number; readonly total: number },
  seed: number,
): [number, number] {
  const random = createRandom(seed);
  const same = groups.total - groups.gained - groups.lost;
  const deltas = Array.from({ length: replicates }, () => {
    const gained = drawPoisson(groups.gained, random);
    const lost = drawPoisson(groups.lost, random);
    const total = gained + lost + drawPoisson(same, random);
    return total === 0 ? 0 : (gained - lost) / total;
  }).sort((a, b) => a - b);
  const at = (share: number): number => deltas[Math.round(share * (replicates - 1))] ?? 0;
  return [at(0.025), at(0.975)];
}

function drawPoisson(mean: number, random: () => number): number {
  if (mean <= 0) return 0;
  if (mean >= normalFrom) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.max(0, Math.round(mean + normal * Math.sqrt(mean)));
  }
  const limit = Math.exp(-mean);
  let product = random();
  let drawn = 0;
  while (product > limit) {
    product *= random();
    drawn += 1;
  }
  return drawn;
}
