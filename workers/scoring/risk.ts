/**
 * From signals to the score: evidence is fused, ceilings and policy are applied, and each finding is told whether it moved the result.
 * Taken strongest first, a finding against moved the score if the whole number rose when it came, one in favour if it fell. That is not the
 * same as leaving each out in turn: of two findings that saturate the score both would then have moved nothing.
 */
import { riskAxes, type RiskAxis } from '../../src/contract/axes.js';
import type { ScoreFacts } from '../../src/contract/facts.js';
import type { Ceiling } from '../../src/contract/score.js';
import { applyCaps, type Cap } from './caps.js';
import { fuseSignals, type Fusion, type Weighed } from './fuse.js';
import { model, scoreOf } from './model.js';
import type { Signal } from './rule.js';
import { categoryOf } from './verdict.js';

export interface Assessed extends Weighed {
  readonly moved: boolean;
}

export interface Risk {
  readonly score: number;
  readonly uncapped: number;
  readonly caps: readonly Cap[];
  /** Those of the caps that shaped this score. */
  readonly ceilings: readonly Ceiling[];
  readonly findings: readonly Assessed[];
  readonly categories: Readonly<Record<RiskAxis, number>>;
}

interface Assessment extends Omit<Risk, 'findings' | 'categories' | 'ceilings'> {
  readonly fusion: Fusion;
  /** Whether policy led higher than the evidence alone. */
  readonly policyMoved: boolean;
}

export function assessRisk(facts: ScoreFacts, signals: readonly Signal[]): Risk {
  const policy = signals.filter(isPolicy);
  const whole = assess(facts, signals);
  const weighed: readonly Weighed[] = [
    ...whole.fusion.weighed,
    ...policy.map((signal) => ({
      signal,
      applied: whole.policyMoved ? signal.weight : 0,
      discounted: signal.weight,
    })),
  ];
  const moving = whole.score === 0 ? new Set<Signal>() : findMoving(facts, weighed, whole.score);
  return {
    score: whole.score,
    uncapped: whole.uncapped,
    caps: whole.caps,
    ceilings: findCeilings(whole, facts.calibration.blockThreshold),
    findings: weighed.map(({ signal, applied, discounted }) => ({
      signal,
      applied,
      discounted,
      moved: moving.has(signal),
    })),
    categories: categorize(whole.fusion.axes, whole.policyMoved ? policy : []),
  };
}

/** A cap is named where the score would be another without it; that one axis alone speaks also where that axis has said all that it can. */
function findCeilings({ caps, uncapped, score, fusion, policyMoved }: Assessment, blockThreshold: number): Ceiling[] {
  const shapes = (cap: Cap): boolean =>
    applyCaps(
      uncapped,
      caps.filter((other) => other !== cap),
      blockThreshold,
    ) !== score;
  const full = riskAxes.some((axis) => fusion.axes[axis] >= model.axisMax);
  return [
    ...(caps.includes('uncorroborated') && (full || shapes('uncorroborated')) ? (['uncorroborated'] as const) : []),
    ...(policyMoved ? (['policy'] as const) : []),
    ...(caps.includes('dispositive') && shapes('dispositive') ? (['dispositive'] as const) : []),
  ];
}

/** What the project’s policy adds, rather than anything that was seen. */
function isPolicy({ rule, weight }: Signal): boolean {
  return rule.class === 'diagnostic' && weight > 0;
}

function assess({ calibration, address }: ScoreFacts, signals: readonly Signal[]): Assessment {
  const policy = signals.filter(isPolicy);
  const evidence = policy.length === 0 ? signals : signals.filter((signal) => !isPolicy(signal));
  const { geoRiskWeights, blockThreshold, dispositiveSignals } = calibration;
  const { country } = address;
  const fusion = fuseSignals(
    evidence,
    country !== null && Object.hasOwn(geoRiskWeights, country) ? (geoRiskWeights[country] ?? 1) : 1,
  );
  const caps: Cap[] = [];
  const decisive = signals.some(({ code }) => (dispositiveSignals as readonly string[]).includes(code));
  if (decisive) caps.push('dispositive');
  else if (fusion.agreeing < 2 && fusion.weight > 0) caps.push('uncorroborated');
  const evidenceScore = scoreOf(fusion.weight);
  const withoutPolicy = applyCaps(evidenceScore, caps, blockThreshold);
  if (policy.length === 0) return { score: withoutPolicy, uncapped: evidenceScore, caps, fusion, policyMoved: false };
  const uncapped = scoreOf(fusion.weight + policy.reduce((sum, { weight }) => sum + weight, 0));
  caps.push(`policy:${evidenceScore}`);
  const score = applyCaps(uncapped, caps, blockThreshold);
  // Where the evidence alone says as much, policy moved nothing.
  return { score, uncapped, caps, fusion, policyMoved: score > withoutPolicy };
}

/** The signals that moved the score, by the walk described above. Policy comes after the evidence, as it does in the score. */
function findMoving(facts: ScoreFacts, weighed: readonly Weighed[], score: number): ReadonlySet<Signal> {
  const moving = new Set<Signal>();
  const strongestFirst = (list: readonly Weighed[]): Signal[] =>
    [...list].sort((a, b) => Math.abs(b.applied) - Math.abs(a.applied)).map(({ signal }) => signal);
  const favour = strongestFirst(weighed.filter(({ signal }) => signal.weight < 0));
  const against = [
    ...strongestFirst(weighed.filter(({ signal }) => signal.weight > 0 && !isPolicy(signal))),
    ...strongestFirst(weighed.filter(({ signal }) => isPolicy(signal))),
  ];
  let reached = 0;
  for (let taken = 1; taken <= against.length && reached < score; taken += 1) {
    const next = assess(facts, [...favour, ...against.slice(0, taken)]).score;
    if (next > reached) moving.add(against[taken - 1] as Signal);
    reached = Math.max(reached, next);
  }
  if (favour.length === 0) return moving;
  reached = assess(facts, against).score;
  for (let taken = 1; taken <= favour.length && reached > score; taken += 1) {
    const next = assess(facts, [...against, ...favour.slice(0, taken)]).score;
    if (next < reached) moving.add(favour[taken - 1] as Signal);
    reached = next;
  }
  return moving;
}

function categorize(axes: Readonly<Record<RiskAxis, number>>, policy: readonly Signal[]): Record<RiskAxis, number> {
  const weights = { ...axes };
  for (const { rule, weight } of policy) if (rule.axis !== 'duplicate') weights[rule.axis] += weight;
  for (const axis of riskAxes) weights[axis] = categoryOf(Math.min(weights[axis], model.axisMax));
  return weights;
}
