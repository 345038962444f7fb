/** Statistics of short series that the detectors share. Empty input gives 0, so that what was not seen moves nothing. */

export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index += 1) sum += values[index] ?? 0;
  return values.length === 0 ? 0 : sum / values.length;
}

/** Standard deviation of the whole population. */
export function spread(values: ArrayLike<number>): number {
  const middle = mean(values);
  let sum = 0;
  for (let index = 0; index < values.length; index += 1) sum += ((values[index] ?? 0) - middle) ** 2;
  return values.length === 0 ? 0 : Math.sqrt(sum / values.length);
}

/** The value below which a share of the others lies; `share` from 0 to 1. */
export function quantile(values: ArrayLike<number>, share: number): number {
  if (values.length === 0) return 0;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

export function median(values: ArrayLike<number>): number {
  return quantile(values, 0.5);
}

/** 0 up to `low`, 1 from `high` on, straight between. */
export function ramp(value: number, low: number, high: number): number {
  if (!(value > low)) return 0;
  return value >= high ? 1 : (value - low) / (high - low);
}

/** Pearson’s; 0 where either stands still. */
export function correlation(a: ArrayLike<number>, b: ArrayLike<number>, lag = 0): number {
  const count = Math.min(a.length, b.length - lag);
  if (count < 3) return 0;
  let sumA = 0;
  let sumB = 0;
  for (let index = 0; index < count; index += 1) {
    sumA += a[index] ?? 0;
    sumB += b[index + lag] ?? 0;
  }
  let both = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (let index = 0; index < count; index += 1) {
    const offA = (a[index] ?? 0) - sumA / count;
    const offB = (b[index + lag] ?? 0) - sumB / count;
    both += offA * offB;
    squaresA += offA * offA;
    squaresB += offB * offB;
  }
  const size = Math.sqrt(squaresA * squaresB);
  return size > 1e-12 ? both / size : 0;
}

/** Brings what may be anything into 0-1; what is no number is 0. */
export function toUnit(value: number): number {
  if (!(value > 0)) return 0;
  return value < 1 ? value : 1;
}
