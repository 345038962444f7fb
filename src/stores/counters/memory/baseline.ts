/**
 * Sessions of a source per hour, against what is usual: exponentially weighted mean and variance (alpha 0.1) of all
 * its hours and of each hour of the week. Hours in which the source was silent are left out: fielding comes in waves,
 * and the start of a wave would otherwise always look like a burst. An hour of the week speaks for itself once it was
 * seen in three weeks; until then all hours together do.
 */
import { bounds } from '../bounds.js';

/** [mean, variance, hours] */
type Moments = [number, number, number];

export interface Baseline {
  hour: number;
  count: number;
  /** An hour that is restored behind the current one, until that ends too. */
  restoredHour: number;
  restoredCount: number;
  all: Moments;
  /** By hour of the week. */
  own: Map<number, Moments>;
}

export interface SourceRate {
  readonly hour: number;
  readonly mean: number;
  readonly variance: number;
  readonly hours: number;
}

export function createBaseline(hour: number): Baseline {
  return { hour, count: 0, restoredHour: -1, restoredCount: 0, all: [0, 0, 0], own: new Map() };
}

/** Moves on to `hour`, folding the hour that ended into the baseline, and counts one session if `add`. */
export function countSource(baseline: Baseline, hour: number, add: boolean): SourceRate {
  if (hour > baseline.hour) {
    foldHour(baseline, baseline.restoredHour, baseline.restoredCount);
    foldHour(baseline, baseline.hour, baseline.count);
    baseline.hour = hour;
    baseline.count = 0;
    baseline.restoredHour = -1;
    baseline.restoredCount = 0;
  }
  if (add) baseline.count += 1;
  const own = baseline.own.get(baseline.hour % bounds.hoursPerWeek);
  const [mean, variance] = own !== undefined && own[2] >= bounds.baselineOwnHours ? own : baseline.all;
  return { hour: baseline.count, mean, variance, hours: baseline.all[2] };
}

/** Counts a session of an hour before the current one. Such hours come in their order; each ends with the next. */
export function restoreSource(baseline: Baseline, hour: number): void {
  if (hour > baseline.restoredHour) {
    foldHour(baseline, baseline.restoredHour, baseline.restoredCount);
    baseline.restoredHour = hour;
    baseline.restoredCount = 0;
  }
  baseline.restoredCount += 1;
}

function foldHour(baseline: Baseline, hour: number, count: number): void {
  if (count === 0) return;
  const ofWeek = hour % bounds.hoursPerWeek;
  baseline.all = fold(baseline.all, count);
  baseline.own.set(ofWeek, fold(baseline.own.get(ofWeek) ?? [0, 0, 0], count));
}

/** The first hour sets the mean; each later one moves it by alpha. */
function fold([mean, variance, hours]: Moments, count: number): Moments {
  if (hours === 0) return [count, 0, 1];
  const alpha = bounds.baselineAlpha;
  const difference = count - mean;
  return [mean + alpha * difference, (1 - alpha) * (variance + alpha * difference * difference), hours + 1];
}
