/**
 * Clopper-Pearson bounds on an observed share, by quantiles of the beta distribution (continued to the fractional counts of pooled labels),
 * and the paired bootstrap of the difference between two thresholds. Repeatable by its seed.
 */
import { createRandom } from '../seeded-random.js';

const logGammaTerms = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];
const bisections = 60;
const fractionTermsMax = 400;
const fractionPrecision = 1e-14;
const tiny = 1e-300;

/** Natural logarithm of the gamma function for x > 0 (Lanczos, g = 7). */
function logGamma(x: number): number {
  const base = x + 6.5;
  const sum = logGammaTerms.reduce((total, term, index) => total + term / (x + index), 0.99999999999980993);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(sum);
}

/** P(X <= x) for X ~ Beta(a, b). */
export function betaShare(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

/** The continued fraction of the incomplete beta function, by Lentz’s method. */
function betaFraction(x: number, a: number, b: number): number {
  const guard = (value: number): number => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / guard(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= fractionTermsMax; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / guard(1 + even * d);
    c = guard(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / guard(1 + odd * d);
    c = guard(1 + odd / c);
    result *= d * c;
    if (Math.abs(d * c - 1) < fractionPrecision) break;
  }
  return result;
}

/** The x that a share of Beta(a, b) lies below. */
export function betaQuantile(share: number, a: number, b: number): number {
  let low = 0;
  let high = 1;
  for (let step = 0; step < bisections; step += 1) {
    const middle = (low + high) / 2;
    if (betaShare(middle, a, b) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** One-sided upper bound on the share behind `events` of `trials`. 1 where nothing was tried. */
export function upperBound(events: number, trials: number, confidence: number): number {
  return trials <= events ? 1 : betaQuantile(confidence, events + 1, trials - events);
}

/** One-sided lower bound on the share behind `events` of `trials`. */
export function lowerBound(events: number, trials: number, confidence: number): number {
  return events <= 0 ? 0 : betaQuantile(1 - confidence, events, trials - events + 1);
}

/** Fewest trials with so many events among them whose upper bound meets the target. */
export function trialsNeeded(events: number, target: number, confidence: number): number {
  let low = Math.ceil(events / target);
  let high = Math.max(low, 1) * 2;
  while (upperBound(events, high, confidence) > target) high *= 2;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (upperBound(events, middle, confidence) <= target) high = middle;
    else low = middle + 1;
  }
  return high;
}

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
