/**
 * The fitted weights. A rule’s own weight is an expert’s judgement; where a fit has seen enough of a finding, its weight stands in
 * model.json and replaces it. Fitted weights come from one joint fit, which has discounted what goes along with each other, so that among
 * themselves they add up in full.
 */
import { createHash } from 'node:crypto';
import fit from './model.json' with { type: 'json' };
import type { Rule, Signal } from './model.js';
import { rules } from './rule-set.js';

export type Fit = Omit<typeof fit, 'hash' | 'weights'> & { readonly weights: Readonly<Record<string, number>> };

/** Of what a fit found and where it comes from. */
export const hashFit = ({ provenance, cleanProbability: { probed, unprobed }, weights }: Fit): string =>
  createHash('sha256')
    .update(JSON.stringify([provenance, probed, unprobed, Object.entries(weights)]))
    .digest('hex');

if (hashFit(fit) !== fit.hash) throw new Error('model.json was changed by hand: run the bench fit, which hashes it');

interface FittedRule {
  readonly rule: Rule;
  /** Times the weight that the expert gave. */
  readonly factor: number;
}

const fittedRules: ReadonlyMap<string, FittedRule> = new Map(
  Object.entries<number>(fit.weights).map(([code, weight]) => {
    const rule = rules[code];
    if (rule === undefined || rule.weight === 0)
      throw new Error(`model.json has a weight for ${code}, which no rule has`);
    return [code, { rule: { ...rule, weight, fitted: true }, factor: weight / rule.weight }];
  }),
);

/** The signals with fitted weights, in their order. */
export const applyFit = (signals: readonly Signal[]): Signal[] =>
  signals.map((signal) => {
    const fitted = fittedRules.get(signal.code);
    if (fitted === undefined) return signal;
    const { code, weight, value } = signal;
    return { code, rule: fitted.rule, weight: weight * fitted.factor, value };
  });

/** Probability of fraud in a session against which nothing speaks: less where a probe came. */
export const cleanProbabilityOf = (isProbed: boolean): number =>
  isProbed ? fit.cleanProbability.probed : fit.cleanProbability.unprobed;

/** What a finding weighs in full; 0 for an unknown one. */
export const fullWeightOf = (code: string): number => (fittedRules.get(code)?.rule ?? rules[code])?.weight ?? 0;
