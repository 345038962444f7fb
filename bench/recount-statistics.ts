/** Intervals and the curve of a recount, by other means than the reports: summed densities, and a fit by halved steps. */
import type { Estimate } from '../src/contract/reports.js';

const steps = 20_000;
const reach = 1.96;

/** The mean and 95% of a beta distribution: its density is summed over angles, in which its width depends on a + b alone. */
export function intervalOfBeta(a: number, b: number): Estimate {
  const middle = Math.asin(Math.sqrt(a / (a + b)));
  const width = 14 / (2 * Math.sqrt(a + b));
  const from = Math.max(0, middle - width);
  const step = (Math.min(Math.PI / 2, middle + width) - from) / steps;
  const density = (angle: number): number =>
    (2 * a - 1) * Math.log(Math.sin(angle)) + (2 * b - 1) * Math.log(Math.cos(angle));
  const angles = Array.from({ length: steps }, (_, n) => from + (n + 0.5) * step);
  const logs = angles.map(density);
  const top = logs.reduce((most, each) => Math.max(most, each), -Infinity);
  const weights = logs.map((each) => Math.exp(each - top));
  const total = weights.reduce((sum, each) => sum + each, 0);
  const at = (share: number): number => {
    let sum = 0;
    const n = weights.findIndex((weight) => (sum += weight) >= share * total);
    const over = (sum - share * total) / (weights[n] ?? 1);
    return Math.sin((angles[n] ?? 0) + (0.5 - over) * step) ** 2;
  };
  return { value: a / (a + b), low: at(0.025), high: at(0.975) };
}

/** An observed share with the 95% interval of Jeffreys. */
export function intervalOfShare(events: number, trials: number): Estimate {
  const { low, high } = intervalOfBeta(events + 0.5, trials - events + 0.5);
  return { value: events / trials, low: events === 0 ? 0 : low, high: events === trials ? 1 : high };
}

interface Point {
  /** The probability of the model. */
  readonly at: number;
  readonly sessions: number;
  readonly fraud: number;
}

const logit = (p: number): number => Math.log(p / (1 - p));
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const round = (value: number): number => Math.round(1e4 * value) / 1e4;
const places = [0.001, 0.004, 0.015, 0.04, 0.08, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99];

/** Logistic regression on log-odds with a normal prior of variance 1 around a slope of 1, its band, and the calibration errors. */
export function fitLogistic(points: readonly Point[]) {
  const gradient = (offset: number, slope: number): readonly [number, number] => {
    let [byOffset, bySlope] = [0, slope - 1];
    for (const { at, sessions, fraud } of points) {
      const miss = sessions * sigmoid(offset + slope * logit(at)) - fraud;
      byOffset += miss;
      bySlope += miss * logit(at);
    }
    return [byOffset, bySlope];
  };
  // The loss is convex: each gradient rises with its own variable.
  const rootOf = (rises: (value: number) => number, low: number, high: number): number => {
    for (let n = 0; n < 80; n += 1) {
      const middle = (low + high) / 2;
      if (rises(middle) < 0) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  };
  const offsetAt = (slope: number): number => rootOf((offset) => gradient(offset, slope)[0], -1_000, 1_000);
  const slope = rootOf((value) => gradient(offsetAt(value), value)[1], 0, 200);
  const offset = offsetAt(slope);
  const information = { offset: 0, both: 0, slope: 1 };
  for (const { at, sessions } of points) {
    const p = sigmoid(offset + slope * logit(at));
    information.offset += sessions * p * (1 - p);
    information.both += sessions * p * (1 - p) * logit(at);
    information.slope += sessions * p * (1 - p) * logit(at) ** 2;
  }
  const determinant = information.offset * information.slope - information.both ** 2;
  const curve = places.map((at) => {
    const x = logit(at);
    const deviation = Math.sqrt(
      (information.slope - 2 * information.both * x + information.offset * x * x) / determinant,
    );
    return [at, ...[0, -reach, reach].map((times) => round(sigmoid(offset + slope * x + times * deviation)))];
  });
  const sessions = points.reduce((sum, point) => sum + point.sessions, 0);
  const errorOf = (probabilityOf: (at: number) => number): number => {
    const misses = new Map<number, number>();
    for (const { at, sessions: count, fraud } of points)
      misses.set(at, (misses.get(at) ?? 0) + count * probabilityOf(at) - fraud);
    return [...misses.values()].reduce((sum, miss) => sum + Math.abs(miss), 0) / sessions;
  };
  const onCurve = (at: number): number => {
    const next = curve.findIndex(([place = 0]) => place >= at);
    if (next <= 0) return (next < 0 ? curve.at(-1) : curve[0])?.[1] ?? 0;
    const [[x0 = 0, y0 = 0], [x1 = 0, y1 = 0]] = [curve[next - 1] ?? [], curve[next] ?? []];
    return round(y0 + ((at - x0) / (x1 - x0)) * (y1 - y0));
  };
  return { curve, ece: { before: errorOf((at) => at), after: errorOf(onCurve) } };
}
