/**
 * Statistics of a sample by name. The probe sends them as a tuple; here is the one place that knows its order. Samples of several page loads
 * are pooled as if they had been one.
 */
import type { ProbeBody } from '../../src/contract/probe.js';

export interface Statistics {
  readonly count: number;
  readonly mean: number;
  /** Standard deviation. */
  readonly deviation: number;
  readonly min: number;
  readonly max: number;
}

type Sample = NonNullable<NonNullable<ProbeBody['beh']>['interval']>;

/** null for an absent sample and for one of nothing. */
export function readStatistics(sample: Sample | null | undefined): Statistics | null {
  if (sample == null) return null;
  const [count, mean, deviation, min, max] = sample;
  return count > 0 ? { count, mean, deviation, min, max } : null;
}

/** null where none of them holds anything. */
export function poolStatistics(samples: readonly (Statistics | null)[]): Statistics | null {
  const known = samples.filter((sample) => sample !== null);
  const [first] = known;
  if (first === undefined || known.length === 1) return first ?? null;
  const count = sum(known.map((each) => each.count));
  const mean = sum(known.map((each) => each.mean * each.count)) / count;
  const squares = sum(known.map((each) => each.count * (each.deviation ** 2 + (each.mean - mean) ** 2)));
  return {
    count,
    mean,
    deviation: Math.sqrt(squares / count),
    min: Math.min(...known.map((each) => each.min)),
    max: Math.max(...known.map((each) => each.max)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
