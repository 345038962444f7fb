/**
 * What a recorded session would have been recommended under other thresholds, from what was recorded of it and never by scoring again. The same
 * ceilings and the same decision as in scoring, so that the thresholds it was scored with give back what it was answered.
 */
import { calibrationDefaults } from '../../src/contract/calibration.js';
import type { DecisionInputs, HypotheticalDecision, HypotheticalThresholds } from '../../src/contract/thresholds.js';
import { applyCaps, recommend } from '../scoring/verdict.js';

const verifiedAgent = { outcome: 'verified', agent: null, reason: null } as const;

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
    const thresholds = { reviewLow: 0, blockThreshold: middle, stepUpThreshold: null };
    if (decide(inputs, thresholds).recommendation === 'block') blocks = middle;
    else passes = middle;
  }
  return blocks;
}
