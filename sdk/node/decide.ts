/**
 * From a score to a decision, by both axes: the recommendation, which knows risk alone, and the duplicate band. Pure.
 */
import type { DecideOptions, Recommendation, ScoredDecision, ScoreReply } from './api.js';
import { invalidOption } from './errors.js';

/** Least risk at which a duplicate is blocked, by rule. */
const riskAtLeast = { recommended: 50, tighter: 60 } as const;
const actions: readonly string[] = ['allow', 'review', 'block', 'step_up'] satisfies readonly Recommendation[];

/**
 * Blocks what the service recommends to block, and what is risky and at the same time a likely or confirmed duplicate; else does what is
 * recommended. A recommendation that this version does not know is reviewed.
 */
export function decide(score: ScoreReply, { rule = 'recommended' }: DecideOptions = {}): ScoredDecision {
  checkRule(rule);
  const { measured, band } = score.duplicate;
  const isDuplicate = measured && (band === 'likely' || band === 'confirmed');
  const isRuled = isDuplicate && score.score >= riskAtLeast[rule] && score.recommendation !== 'block';
  const recommended = actions.includes(score.recommendation) ? score.recommendation : 'review';
  return {
    degraded: false,
    action: isRuled ? 'block' : recommended,
    because: isRuled ? 'risk_and_duplicate' : 'recommendation',
    duplicateBand: measured ? band : null,
    sweep: !measured,
    score,
  };
}

/** Throws for a rule that does not exist. */
export function checkRule(rule: DecideOptions['rule']): void {
  if (rule !== undefined && !Object.hasOwn(riskAtLeast, rule))
    throw invalidOption('rule is "recommended" or "tighter".');
}
