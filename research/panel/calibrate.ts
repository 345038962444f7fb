/** From evidence to probability: the share of fraud without evidence, and a rising curve over the balance of evidence. */
import { logit } from '../../workers/scoring/model.js';
import { groupBy, shareOf } from './measures.js';

export interface Balanced {
  readonly fraud: boolean;
  /** 0: the published rates, which the curve follows; the others distinguish how far markets differ. */
  readonly market: number;
  /** Logits that make the score, never negative; and all of them. */
  readonly weight: number;
  readonly balance: number;
}

/** Probability of fraud without evidence, with which the sessions’ scores expect as much fraud as there is. */
export function solveClean(rows: readonly Balanced[]): number {
  const published = rows.filter(({ market }) => market === 0);
  const frauds = published.filter(({ fraud }) => fraud).length;
  let [low, high] = [-9, 0];
  for (let step = 0; step < 40; step += 1) {
    const middle = (low + high) / 2;
    const expected = published.reduce((sum, { weight }) => sum + sigmoid(middle + weight), 0);
    if (expected > frauds) high = middle;
    else low = middle;
  }
  return Math.round(1e4 * sigmoid(low)) / 1e4;
}

const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));

/** Shares of the sessions at which one bin of the curve ends and the next begins: finer where fraud is. */
const binEnds = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.78, 0.84, 0.88, 0.91, 0.935, 0.955, 0.97, 0.985, 1];
/** Deviations on either side that hold 90%. */
const reach = 1.645;

/** Knots [balance, probability, low, high]: none falls behind the one before. */
export function calibrate(rows: readonly Balanced[]): number[][] {
  const published = rows.filter(({ market }) => market === 0).sort((a, b) => a.balance - b.balance);
  const spread = spreadOf(rows);
  let bins: (readonly Balanced[])[] = binEnds.map((end, bin) =>
    published.slice(Math.floor((binEnds[bin - 1] ?? 0) * published.length), Math.floor(end * published.length)),
  );
  for (let at = 1; at < bins.length; at += 1)
    if (bins[at]!.length === 0 || shareOf(bins[at]!, isFraud) <= shareOf(bins[at - 1]!, isFraud)) {
      bins = bins.with(at - 1, [...bins[at - 1]!, ...bins[at]!]).toSpliced(at, 1);
      at = Math.max(0, at - 2);
    }
  return bins.map((bin) => {
    const frauds = bin.filter(isFraud).length;
    const value = (frauds + 0.5) / (bin.length + 1);
    const deviation = Math.sqrt(1 / ((bin.length + 1) * value * (1 - value)) + spread ** 2);
    const balance = bin.reduce((sum, one) => sum + one.balance, 0) / bin.length;
    return [
      Math.round(1e3 * balance) / 1e3,
      ...[0, -reach, reach].map((times) => Math.round(1e4 * sigmoid(logit(value) + times * deviation)) / 1e4),
    ];
  });
}

const isFraud = ({ fraud }: Balanced): boolean => fraud;

/** Deviation between markets of the log-odds of fraud. */
function spreadOf(rows: readonly Balanced[]): number {
  const odds = [...groupBy(rows, ({ market }) => String(market)).values()].map((some) => logit(shareOf(some, isFraud)));
  const mean = odds.reduce((sum, one) => sum + one, 0) / odds.length;
  return Math.sqrt(odds.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, odds.length - 1));
}
