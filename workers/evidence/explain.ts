/** Explains a score: what the present model makes of recorded facts, on the path that scores. Pure. */
import { axes } from '../../src/contract/axes.js';
import type { Calibration } from '../../src/contract/calibration.js';
import type { AxisSum, ExplainedFinding, ScoreBreakdown } from '../../src/contract/explanation.js';
import type { Contribution, ScoreFacts, ScoreOutcome } from '../../src/contract/facts.js';
import type { Language } from '../../src/contract/languages.js';
import type { PoolResults } from '../../src/contract/pool.js';
import { model } from '../scoring/model.js';
import { scoreFacts } from '../scoring/score.js';
import { translations } from './texts/all.js';

export function explainFacts(facts: ScoreFacts): ScoreBreakdown {
  const outcome = scoreFacts(facts);
  const { contributions, caps, reply, uncapped } = outcome;
  return {
    verdict: {
      modelVersion: outcome.modelVersion,
      score: reply.score,
      uncapped,
      caps,
      recommendation: reply.recommendation,
      verdictClass: reply.verdictClass,
      duplicateBand: reply.duplicate.band,
      classification: outcome.classification,
    },
    findings: explainFindings(outcome),
    axes: axes.map((axis) => sumAxis(axis, contributions)).filter(({ raised }) => raised > 0),
    favour: sum(contributions, ({ applied }) => Math.min(applied, 0)),
    axisMax: model.axisMax,
    caps: caps.map((cap) => explainCap(cap, uncapped, facts.calibration)),
    decision: explainDecision(outcome, facts),
    summary: reply.evidence.summary,
  };
}

function explainFindings({ reply, contributions }: ScoreOutcome): ExplainedFinding[] {
  // A code that was raised twice is listed twice: its contributions are taken in turn.
  const waiting = [...contributions].sort((a, b) => Math.abs(b.applied) - Math.abs(a.applied));
  return (['against', 'for', 'notes'] as const).flatMap((list) =>
    reply.evidence[list].map((finding) => {
      const index = waiting.findIndex(({ code }) => code === finding.code);
      const [contribution] = waiting.splice(index, index === -1 ? 0 : 1);
      if (contribution === undefined) throw new Error(`no contribution is known for the finding ${finding.code}`);
      const { weight, discounted, applied } = contribution;
      return { ...finding, weight, discounted, applied, list };
    }),
  );
}

function sumAxis(axis: AxisSum['axis'], contributions: readonly Contribution[]): AxisSum {
  const own = contributions.filter((each) => each.axis === axis);
  return {
    axis,
    raised: sum(own, ({ weight }) => Math.max(weight, 0)),
    discounted: sum(own, ({ discounted }) => Math.max(discounted, 0)),
    counted: sum(own, ({ applied }) => Math.max(applied, 0)),
  };
}

function sum(contributions: readonly Contribution[], read: (each: Contribution) => number): number {
  return contributions.reduce((total, each) => total + read(each), 0);
}

function explainCap(cap: string, uncapped: number, { blockThreshold }: Calibration): string {
  if (cap === 'uncorroborated')
    return `uncorroborated: fewer than two axes have ${model.corroborationMin} logits or more, so the score stays below blockThreshold (${blockThreshold}).`;
  if (cap === 'dispositive')
    return `dispositive: the project allows one signal to block alone, so the score reaches blockThreshold (${blockThreshold}).`;
  const [name, evidence] = cap.split(':');
  return name === 'policy'
    ? `policy: project policy raised the score from ${evidence} to ${uncapped}, below blockThreshold (${blockThreshold}).`
    : cap;
}

function explainDecision({ reply, uncapped }: ScoreOutcome, { calibration, agent }: ScoreFacts): string {
  const { score, recommendation, verdictClass, stepUpIntensity } = reply;
  const { reviewLow, blockThreshold, stepUpThreshold, verifiedAgentPolicy } = calibration;
  const held = uncapped === score ? '' : `, ${uncapped} before caps`;
  const subject = `Score ${score}${held}`;
  if (agent?.outcome === 'verified' && verifiedAgentPolicy === recommendation)
    return `${subject}; verified agent, project policy ${verifiedAgentPolicy}: ${recommendation}, class ${verdictClass}.`;
  const because: Readonly<Record<typeof recommendation, string>> = {
    allow: score === 0 && reviewLow === 0 ? '0, which is never reviewed' : `below reviewLow (${reviewLow})`,
    review: `at or above reviewLow (${reviewLow}) and below blockThreshold (${blockThreshold})`,
    step_up: `at or above stepUpThreshold (${stepUpThreshold}), and the project opted into step-up (${stepUpIntensity})`,
    block: `at or above blockThreshold (${blockThreshold})`,
  };
  return `${subject} is ${because[recommendation]}: ${recommendation}, class ${verdictClass}.`;
}

/** The evidence of a recorded session again, scored as it was: the same under the same rule set, else the classification shows the difference. */
export function renderEvidence(facts: ScoreFacts, language: Language): PoolResults['evidence'] {
  const texts = language === 'en' ? null : translations[language];
  const { reply, classification, modelVersion } = scoreFacts(facts, false, texts);
  const { score, recommendation, verdictClass, categories, duplicate } = reply;
  const { independence, declaredCountryMatch, degradedSignals, ceilings, probability, falseBlockPercentile } = reply;
  const verdict = {
    ...{ score, recommendation, verdictClass, categories, duplicate },
    ...{ independence, declaredCountryMatch, degradedSignals, ceilings, probability, falseBlockPercentile },
  };
  return { evidence: reply.evidence, verdict, classification, modelVersion };
}
