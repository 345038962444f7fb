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
  let bins: (readonly Balanced[])[] = binEnds.map((end, bin) =>
    published.slice(Math.floor((binEnds[bin - 1] ?? 0) * published.length), Math.floor(end * published.length)),
  );
  for (let at = 1; at < bins.length; at += 1)
    if (bins[at]!.length === 0 || shareOf(bins[at]!, isFraud) <= shareOf(bins[at - 1]!, isFraud)) {
      bins = bins.with(at - 1, [...bins[at - 1]!, ...bins[at]!]).toSpliced(at, 1);
      at = Math.max(0, at - 2);
    }
  const values = bins.map(shareIn);
  const variance = varianceOf(
    rows.filter(({ market }) => market !== 0),
    values,
    bins.slice(1).map((bin) => bin[0]!.balance),
  );
  return bins.map((bin, at) => {
    const value = values[at]!;
    const deviation = Math.sqrt(samplingOf(bin.length, value) + variance);
    const balance = bin.reduce((sum, one) => sum + one.balance, 0) / bin.length;
    return [
      Math.round(1e3 * balance) / 1e3,
      ...[0, -reach, reach].map((times) => Math.round(1e4 * sigmoid(logit(value) + times * deviation)) / 1e4),
    ];
  });
}

const isFraud = ({ fraud }: Balanced): boolean => fraud;

/** Share of fraud, never 0 or 1. */
const shareIn = (bin: readonly Balanced[]): number => (bin.filter(isFraud).length + 0.5) / (bin.length + 1);

/** Binomial variance of the log-odds of a share. */
const samplingOf = (sessions: number, share: number): number => 1 / ((sessions + 1) * share * (1 - share));

/**
 * Variance between other markets and the curve, in log-odds: the squared distance of each market from each bin’s value, less what sampling explains.
 * The more sessions, the more it counts.
 */
function varianceOf(others: readonly Balanced[], values: readonly number[], starts: readonly number[]): number {
  const byMarket = groupBy(
    others,
    ({ market, balance }) => `${market}\n${starts.filter((at) => at <= balance).length}`,
  );
  let [excess, information] = [0, 0];
  for (const [key, sessions] of byMarket) {
    const value = values[Number(key.split('\n')[1])]!;
    const sampling = samplingOf(sessions.length, value);
    excess += ((logit(shareIn(sessions)) - logit(value)) ** 2 - sampling) / sampling;
    information += 1 / sampling;
  }
  return information === 0 ? 0 : Math.max(0, excess / information);
}

/** For each score from 0 to 100, the percentage of `scores` below it. */
export const shareBelow = (scores: readonly number[]): number[] =>
  Array.from({ length: 101 }, (_, score) => Math.round(1e4 * shareOf(scores, (one) => one < score)) / 100);
