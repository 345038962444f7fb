/**
 * A sample kept as running statistics (Welford), so that an hour of events takes no more memory
 * than one. Values that are not finite numbers are left out.
 */
export type Statistics = readonly [n: number, mean: number, deviation: number, min: number, max: number];

/** Called with a number it takes it in; called without, it returns the statistics, or null while it is empty. */
export type Sample = (value?: number) => Statistics | null;

/** Rounds to three decimals: what lies beyond is noise that would only lengthen the message. */
export const round = (value: number): number => Math.round(value * 1e3) / 1e3;

export function createSample(): Sample {
  let n = 0;
  let mean = 0;
  let squares = 0;
  let min = Infinity;
  let max = -min;
  return (value) => {
    if (Number.isFinite(value)) {
      const delta = value! - mean;
      mean += delta / ++n;
      squares += delta * (value! - mean);
      min = Math.min(min, value!);
      max = Math.max(max, value!);
    }
    return n ? [n, round(mean), round(Math.sqrt(squares / n)), round(min), round(max)] : null;
  };
}

/** Whether a time is between whole milliseconds: some systems count their input's in whole ones. */
export const isFine = (ms: number): boolean => (ms + 0.05) % 1 > 0.1;
