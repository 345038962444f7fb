/** From the evidence to what the caller acts on: ceilings, recommendation, class, step-up and the legacy bands. Duplication has no way in. */
import { calibrationDefaults, ceilingOf, type Calibration } from '../../src/contract/calibration.js';
import type { AgentFacts, ScoreOutcome } from '../../src/contract/facts.js';
import type { DecisionInputs } from '../../src/contract/thresholds.js';
import { riskAxes, type RiskAxis } from '../../src/contract/axes.js';
import type { ScoreReply } from '../../src/contract/score.js';
import { model } from './model.js';

type Advice = Pick<ScoreReply, 'recommendation' | 'stepUpIntensity'>;

/** A score of 0 says nothing against anybody: no threshold blocks or reviews it. */
const reaches = (score: number, threshold: number): boolean => score > 0 && score >= threshold;

/** How much a verification has to prove at a score. */
export function intensityOf(
  score: number,
  { stepUpThreshold, stepUpIntensityThreshold }: Calibration,
): Advice['stepUpIntensity'] {
  if (score < stepUpThreshold) return 'none';
  return score < stepUpIntensityThreshold ? 'light' : 'heavy';
}

/** The advice that replaces the score’s. null: the score decides. */
export type Policy = DecisionInputs['agentPolicy'];

export function agentPolicyOf({ verifiedAgentPolicy }: Calibration, agent: AgentFacts | null): Policy {
  return agent?.outcome !== 'verified' || verifiedAgentPolicy === 'score_normally' ? null : verifiedAgentPolicy;
}

/**
 * The policy replaces what the score says, but `review` never lowers a block, and `allow` never overrides a dispositive
 * signal.
 */
export function recommend(score: number, calibration: Calibration, policy: Policy, dispositive: boolean): Advice {
  if (policy === 'allow' && !dispositive) return { recommendation: 'allow', stepUpIntensity: 'none' };
  if (reaches(score, calibration.blockThreshold)) return { recommendation: 'block', stepUpIntensity: 'none' };
  if (policy === 'review') return { recommendation: 'review', stepUpIntensity: 'none' };
  const stepUpIntensity = calibration.stepUpEnabled ? intensityOf(score, calibration) : 'none';
  if (stepUpIntensity !== 'none') return { recommendation: 'step_up', stepUpIntensity };
  return { recommendation: reaches(score, calibration.reviewLow) ? 'review' : 'allow', stepUpIntensity: 'none' };
}

/** `human` is said only of what was measured, and of nothing that says it is a program. */
export function classify(
  score: number,
  calibration: Calibration,
  agent: AgentFacts | null,
  perhapsHuman: boolean,
): ScoreReply['verdictClass'] {
  if (agent?.outcome === 'verified') return 'verified_agent';
  if (reaches(score, calibration.blockThreshold)) return 'fraud';
  return perhapsHuman && !reaches(score, calibration.reviewLow) ? 'human' : 'unknown';
}

/** How much of what one axis may contribute it did contribute, 0-100. */
export function categoryOf(axisWeight: number): number {
  return Math.round((100 * Math.min(axisWeight, model.axisMax)) / model.axisMax);
}

/** The bands that an older interface knows: 0, 50, 75 and 100, each from that value on. */
export function mapToLegacyBands(categories: Readonly<Record<RiskAxis, number>>): ScoreReply['grlCompat'] {
  const banded = { ...categories };
  for (const axis of riskAxes) banded[axis] = legacyBand(categories[axis]);
  return { forensicMaxScore: legacyBand(Math.max(...riskAxes.map((axis) => categories[axis]))), categories: banded };
}

function legacyBand(value: number): number {
  return [100, 75, 50].find((band) => value >= band) ?? 0;
}

/**
 * Ceilings and floors between the evidence and the score. They move with the block threshold, so a receipt keeps the score
 * before them and the names of those whose condition held. Scoring and simulation both apply them here.
 *
 *   uncorroborated  one axis alone speaks: the score stays below the block band
 *   dispositive     a signal that the project lets decide alone: the score reaches the block band
 *   policy:N        project policy weighed in (a missing probe, a new respondent); N is the score without it.
 *                   Policy leads below the block band at most, and never lowers what the evidence alone says.
 */
export type Cap = 'uncorroborated' | 'dispositive' | `policy:${number}`;

/** The score that the evidence alone leads to: without ceilings and without the project’s policy. */
export function evidenceScoreOf({ uncapped, caps }: Pick<DecisionInputs, 'uncapped' | 'caps'>): number {
  const policy = caps.find((cap) => cap.startsWith('policy:'));
  return policy === undefined ? uncapped : Number(policy.slice('policy:'.length));
}

/** The score under default settings: with the ceiling of a lone axis, without the project’s policy and dispositive signals. */
export function defaultScoreOf(risk: Pick<DecisionInputs, 'uncapped' | 'caps'> & { readonly isLone: boolean }): number {
  const caps = risk.isLone ? ['uncorroborated'] : [];
  return applyCaps(evidenceScoreOf(risk), caps, calibrationDefaults.blockThreshold);
}

/** The score that `uncapped` leads to under a block threshold. Unknown names are ignored. */
export function applyCaps(uncapped: number, caps: readonly string[], blockThreshold: number): number {
  const ceiling = ceilingOf(blockThreshold);
  const evidence = evidenceScoreOf({ uncapped, caps });
  const lowered = caps.includes('uncorroborated') ? Math.min(evidence, ceiling) : evidence;
  const capped = caps.includes('dispositive') ? Math.max(evidence, Math.ceil(blockThreshold), 1) : lowered;
  return evidence === uncapped ? capped : Math.max(capped, Math.min(uncapped, ceiling));
}

/** The part of a score that a receipt keeps to decide again under other thresholds; see `workers/thresholds/levels.ts`. */
export function decisionInputsOf({ uncapped, caps, policy, calibration }: ScoreOutcome): DecisionInputs {
  return {
    uncapped,
    caps,
    agentPolicy: policy,
    stepUpThreshold: calibration.stepUpEnabled ? calibration.stepUpThreshold : null,
  };
}
