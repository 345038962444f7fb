/** The grounds of a recorded recommendation: the thresholds in force at the score, or a rule in their place. Pure. */
import type { Calibration } from '../../contract/calibration.js';
import type { AgentFacts } from '../../contract/facts.js';
import type { RecordedVerdict } from '../../contract/pool.js';
import type { Decision } from '../../contract/session-trail.js';

interface DecidedBy {
  readonly calibration: Calibration;
  readonly agent: AgentFacts | null;
}

export function describeDecision(verdict: RecordedVerdict, { calibration, agent }: DecidedBy): Decision {
  const { reviewLow, blockThreshold, stepUpThreshold } = calibration;
  const by = findRule(verdict, { calibration, agent });
  return {
    by,
    reviewLow,
    blockThreshold,
    stepUpThreshold: verdict.stepUpThreshold === null ? null : stepUpThreshold,
    text: by === 'thresholds' ? compare(verdict, calibration) : ruleTexts[by](verdict),
  };
}

function findRule(
  { recommendation, agentPolicy, caps, uncapped }: RecordedVerdict,
  { calibration: { blockThreshold }, agent }: DecidedBy,
): Decision['by'] {
  if (recommendation === 'block')
    return caps.includes('dispositive') && uncapped < blockThreshold ? 'dispositive_signal' : 'thresholds';
  if (recommendation !== agentPolicy) return 'thresholds';
  return agent?.outcome === 'verified' ? 'agent_policy' : 'failed_step_up';
}

const ruleTexts: Readonly<
  Record<Exclude<Decision['by'], 'thresholds'>, (verdict: Pick<RecordedVerdict, 'recommendation' | 'score'>) => string>
> = {
  agent_policy: ({ recommendation }) => `Decided by verifiedAgentPolicy (${recommendation}), not by the score.`,
  failed_step_up: () => 'Sent to review because the requested step-up was failed, not by the score.',
  dispositive_signal: ({ score }) => `Blocked by a signal of dispositiveSignals, which raised the score to ${score}.`,
};

function compare(
  { recommendation, score }: RecordedVerdict,
  { reviewLow, blockThreshold, stepUpThreshold }: Calibration,
): string {
  switch (recommendation) {
    case 'block':
      return `Blocked because ${score} ≥ ${blockThreshold} (blockThreshold).`;
    case 'step_up':
      return `Sent to step-up because ${score} ≥ ${stepUpThreshold} (stepUpThreshold) and < ${blockThreshold} (blockThreshold).`;
    case 'review':
      return `Sent to review because ${score} ≥ ${reviewLow} (reviewLow) and < ${blockThreshold} (blockThreshold).`;
    case 'allow':
      return score < reviewLow
        ? `Allowed because ${score} < ${reviewLow} (reviewLow).`
        : 'Allowed because a score of 0 is never reviewed.';
  }
}
