/**
 * The fitted weights. A rule’s own weight is an expert’s judgement; where a fit has seen enough of a finding, its weight stands in
 * model.json and replaces it. Fitted weights come from one joint fit, which has discounted what goes along with each other, so that among
 * themselves they add up in full.
 */
import { createHash } from 'node:crypto';
import type { FraudProbability } from '../../src/contract/score.js';
import fit from './model.json' with { type: 'json' };
import { clamp, type Rule, type Signal } from './model.js';
import { rules } from './rule-set.js';

export type Fit = Omit<typeof fit, 'hash' | 'weights' | 'calibration'> & {
  readonly weights: Readonly<Record<string, number>>;
  /** Knots by rising balance, with a probe and without. */
  readonly calibration: Readonly<Record<'probed' | 'unprobed', readonly (readonly number[])[]>>;
  /** For each score from 0 to 100, the percentage of honest sessions that score lower under default settings. */
  readonly honestBelow: Readonly<Record<'probed' | 'unprobed', readonly number[]>>;
};

/** Hashes a fit’s results and their origin. */
export const hashFit = ({ provenance, cleanProbability, calibration, honestBelow, weights }: Fit): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        provenance,
        ...[cleanProbability, calibration, honestBelow].flatMap(({ probed, unprobed }) => [probed, unprobed]),
        Object.entries(weights),
      ]),
    )
    .digest('hex');

if (hashFit(fit) !== fit.hash) throw new Error('model.json was changed by hand: run the bench fit, which hashes it');

/** Returns a function that gives signals these weights, in their order. A graded signal keeps its share. */
export function createWeigh(weights: Fit['weights']): (signals: readonly Signal[]) => Signal[] {
  const fitted = new Map(
    Object.entries(weights).map(([code, weight]) => {
      const rule = rules[code];
      if (rule === undefined || rule.weight === 0)
        throw new Error(`model.json has a weight for ${code}, which no rule has`);
      return [code, { rule: { ...rule, weight, fitted: true } satisfies Rule, factor: weight / rule.weight }];
    }),
  );
  return (signals) =>
    signals.map((signal) => {
      const found = fitted.get(signal.code);
      if (found === undefined) return signal;
      const { code, weight, value } = signal;
      return { code, rule: found.rule, weight: weight * found.factor, value };
    });
}

export const applyFit = createWeigh(fit.weights);

/** Probability of fraud in a session against which nothing speaks: less where a probe came. */
export const cleanProbabilityOf = (isProbed: boolean): number =>
  isProbed ? fit.cleanProbability.probed : fit.cleanProbability.unprobed;

/** The full weight of a finding; 0 for an unknown one. */
export const fullWeightOf = (code: string): number => (fit.weights as Fit['weights'])[code] ?? rules[code]?.weight ?? 0;

/**
 * Calibrated probability of fraud. `balance` is what speaks against the session less what speaks for it, in logits; `calibration` replaces that
 * of the fit.
 */
export const probabilityOf = (
  balance: number,
  isProbed: boolean,
  calibration: Fit['calibration'] = fit.calibration,
): FraudProbability => interpolate(calibration[isProbed ? 'probed' : 'unprobed'], balance);

/** A curve of points [place, value, low, high] by rising place: linear between two of them, level before the first and after the last. */
export function interpolate(points: readonly (readonly number[])[], place: number): FraudProbability {
  const above = points.findIndex(([at = 0]) => at > place);
  const [from = [], to = []] =
    above < 0 ? [points.at(-1), points.at(-1)] : [points[Math.max(0, above - 1)], points[above]];
  const [at = 0, end = 0] = [from[0], to[0]];
  const share = end > at ? clamp((place - at) / (end - at), 0, 1) : 0;
  const [, value = 0, low = 0, high = 0] = from.map((known, column) =>
    roundShare(known + share * ((to[column] ?? 0) - known)),
  );
  return { value, low, high };
}

const roundShare = (share: number): number => Math.round(1e4 * share) / 1e4;

/** Percentage of the fit’s honest sessions that score lower. */
export const honestBelow = (score: number, isProbed: boolean): number =>
  fit.honestBelow[isProbed ? 'probed' : 'unprobed'][score] ?? 100;
