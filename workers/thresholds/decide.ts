/**
 * What a recorded session would have been recommended under other edges, from what was recorded of it and never by scoring again. The same
 * ceilings and the same decision as in scoring, so that the edges it was scored with give back what it was answered.
 */
import { calibrationDefaults } from '../../src/contract/calibration.js';
import type { ScoreFacts, ScoreOutcome } from '../../src/contract/facts.js';
import type { DecisionInputs, HypotheticalDecision, HypotheticalThresholds } from '../../src/contract/thresholds.js';
import { applyCaps } from '../scoring/caps.js';
import { recommend } from '../scoring/verdict.js';

const verifiedAgent = { outcome: 'verified', agent: null, reason: null } as const;

/** What a receipt keeps of a score for such questions. */
export function decisionInputsOf({ uncapped, caps }: ScoreOutcome, { agent, calibration }: ScoreFacts): DecisionInputs {
  const policy = agent?.outcome === 'verified' ? calibration.verifiedAgentPolicy : 'score_normally';
  return {
    uncapped,
    caps,
    agentPolicy: policy === 'score_normally' ? null : policy,
    stepUpThreshold: calibration.stepUpEnabled ? calibration.stepUpThreshold : null,
  };
}

export function decide(inputs: DecisionInputs, thresholds: HypotheticalThresholds): HypotheticalDecision {
  const { reviewLow, blockThreshold } = thresholds;
  const score = applyCaps(inputs.uncapped, inputs.caps, blockThreshold);
  const calibration = {
    ...calibrationDefaults,
    reviewLow,
    blockThreshold,
    stepUpEnabled: inputs.stepUpThreshold !== null,
    stepUpThreshold: thresholds.stepUpThreshold ?? inputs.stepUpThreshold ?? calibrationDefaults.stepUpThreshold,
    verifiedAgentPolicy: inputs.agentPolicy ?? calibrationDefaults.verifiedAgentPolicy,
  };
  const agent = inputs.agentPolicy === null ? null : verifiedAgent;
  return {
    score,
    recommendation: recommend(score, calibration, agent, inputs.caps.includes('dispositive')).recommendation,
  };
}

/** The highest whole blockThreshold from 1 to 100 that would block such a session; 0 where none does. Lower ones block it as well. */
export function blockLevelOf(inputs: DecisionInputs): number {
  let blocks = 0;
  let passes = 101;
  while (passes - blocks > 1) {
    const middle = Math.floor((blocks + passes) / 2);
    const edges = { reviewLow: 0, blockThreshold: middle, stepUpThreshold: null };
    if (decide(inputs, edges).recommendation === 'block') blocks = middle;
    else passes = middle;
  }
  return blocks;
}
