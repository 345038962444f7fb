/**
 * From signals to the score: evidence is fused, ceilings and policy are applied, and each finding says whether it moved the result.
 * Taken in the order of `rankOf`, a finding against moved the score if the whole number rose when it came, one in favour if it fell. That is
 * not the same as leaving each out in turn: of two findings that saturate the score neither would then have been needed.
 *
 * Fusion, per axis: correlated findings are discounted, adjudicated and impossible ones come first and undiscounted, and the axis is capped. Then
 * findings in favour take away from correlates only: not from those of high severity, nor, if they come from the forgeable probe, from what the probe
 * itself contradicts. Each signal gets the logits that counted, so that what is listed against a respondent is what moved the score. Adding evidence
 * against never lowers the result.
 */
import { riskAxes, type RiskAxis } from '../../src/contract/axes.js';
import type { ScoreFacts } from '../../src/contract/facts.js';
import type { Ceiling } from '../../src/contract/score.js';
import { applyCaps, categoryOf, type Cap } from './verdict.js';
import { clamp, model, scoreOf, sortDown, type Signal } from './model.js';

export interface Risk {
  readonly score: number;
  readonly uncapped: number;
  /** Logits against less logits in favour, of what was seen; negative where more speaks in favour. */
  readonly balance: number;
  readonly caps: readonly Cap[];
  /** Evidence against on one axis alone, whether or not a dispositive signal lifts the cap for that. */
  readonly isLone: boolean;
  /** Those of the caps that shaped this score. */
  readonly ceilings: readonly Ceiling[];
  readonly findings: readonly Weighed[];
  readonly categories: Readonly<Record<RiskAxis, number>>;
}

interface Assessment extends Omit<Risk, 'findings' | 'categories' | 'ceilings' | 'balance' | 'isLone'> {
  readonly fusion: Fusion;
  /** Whether policy led higher than the evidence alone. */
  readonly policyMoved: boolean;
}

/** `clean`: probability of fraud in a session against which nothing speaks. */
export function assessRisk(facts: ScoreFacts, signals: readonly Signal[], clean: number): Risk {
  const policy = signals.filter(isPolicy);
  const whole = assess(facts, signals, clean);
  const findings: Weighed[] = [...whole.fusion.weighed];
  for (const signal of policy)
    findings.push({ signal, applied: whole.policyMoved ? signal.weight : 0, discounted: signal.weight, moved: false });
  if (whole.score > 0) {
    const moving = findMoving(findings, whole.score, (some) => assess(facts, some, clean).score);
    for (const each of findings) each.moved = moving.has(each.signal);
  }
  return {
    score: whole.score,
    uncapped: whole.uncapped,
    balance: whole.fusion.balance,
    caps: whole.caps,
    isLone: isLone(whole.fusion),
    ceilings: findCeilings(whole, facts.calibration.blockThreshold),
    findings,
    categories: categorize(whole.fusion.axes, whole.policyMoved ? policy : []),
  };
}

/** Names each cap that changes the score. `uncorroborated` is also named if the only axis is at its cap. */
function findCeilings({ caps, uncapped, score, fusion, policyMoved }: Assessment, blockThreshold: number): Ceiling[] {
  const shapes = (cap: Cap): boolean => {
    const others = caps.filter((other) => other !== cap);
    // A dispositive signal prevents the ceiling for a single axis.
    if (cap === 'dispositive' && fusion.agreeing < 2) others.push('uncorroborated');
    return applyCaps(uncapped, others, blockThreshold) !== score;
  };
  const full = riskAxes.some((axis) => fusion.axes[axis] >= model.axisMax);
  return [
    ...(caps.includes('uncorroborated') && (full || shapes('uncorroborated')) ? (['uncorroborated'] as const) : []),
    ...(policyMoved ? (['policy'] as const) : []),
    ...(caps.includes('dispositive') && shapes('dispositive') ? (['dispositive'] as const) : []),
  ];
}

const isLone = ({ agreeing, weight }: Fusion): boolean => agreeing < 2 && weight > 0;

/** Signals that the project’s policy adds, as opposed to evidence. */
function isPolicy({ rule, weight }: Signal): boolean {
  return rule.class === 'diagnostic' && weight > 0;
}

function assess({ calibration, address }: ScoreFacts, signals: readonly Signal[], clean: number): Assessment {
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
  else if (isLone(fusion)) caps.push('uncorroborated');
  const evidenceScore = scoreOf(fusion.weight, clean);
  const withoutPolicy = applyCaps(evidenceScore, caps, blockThreshold);
  if (policy.length === 0) return { score: withoutPolicy, uncapped: evidenceScore, caps, fusion, policyMoved: false };
  const uncapped = scoreOf(fusion.weight + policy.reduce((sum, { weight }) => sum + weight, 0), clean);
  caps.push(`policy:${evidenceScore}`);
  const score = applyCaps(uncapped, caps, blockThreshold);
  // Policy is not needed if the evidence alone says as much.
  return { score, uncapped, caps, fusion, policyMoved: score > withoutPolicy };
}

/** The signals that moved the score, by the walk described above. Policy comes after the evidence, as it does in the score. */
function findMoving(
  weighed: readonly Weighed[],
  score: number,
  scoreWith: (signals: readonly Signal[]) => number,
): ReadonlySet<Signal> {
  const moving = new Set<Signal>();
  const foremostFirst = (list: readonly Weighed[]): Signal[] => sortDown([...list], rankOf).map(({ signal }) => signal);
  const favour = foremostFirst(weighed.filter(({ signal }) => signal.weight < 0));
  const against = [
    ...foremostFirst(weighed.filter(({ signal }) => signal.weight > 0 && !isPolicy(signal))),
    ...foremostFirst(weighed.filter(({ signal }) => isPolicy(signal))),
  ];
  let reached = 0;
  for (let taken = 1; taken <= against.length && reached < score; taken += 1) {
    const next = scoreWith([...favour, ...against.slice(0, taken)]);
    if (next > reached) moving.add(against[taken - 1] as Signal);
    reached = Math.max(reached, next);
  }
  if (favour.length === 0) return moving;
  reached = scoreWith(against);
  for (let taken = 1; taken <= favour.length && reached > score; taken += 1) {
    const next = scoreWith([...against, ...favour.slice(0, taken)]);
    if (next < reached) moving.add(favour[taken - 1] as Signal);
    reached = next;
  }
  return moving;
}

/** Above all logits that one finding can count. */
const rankStep = 100;

/**
 * How early a finding is named and taken: what declares itself a program, then what cannot happen or was adjudicated, then statistics, the
 * strongest first. People understand them in this order. A weak finding has no precedence.
 */
export function rankOf({ signal, applied }: Weighed): number {
  const { rule, weight } = signal;
  const strength = Math.abs(applied);
  if (weight < model.strongMin) return strength;
  if (declaresProgram(signal)) return 2 * rankStep + strength;
  const isCertain = rule.class === 'bound' || rule.class === 'record' || rule.group === 'forgery';
  return isCertain ? rankStep + strength : strength;
}

/** Whether a browser, or what drives it, says that it is a program. */
export function declaresProgram({ rule, weight }: Signal): boolean {
  return rule.group === 'automation' && rule.severity === 'high' && weight > 0;
}

function categorize(axes: Readonly<Record<RiskAxis, number>>, policy: readonly Signal[]): Record<RiskAxis, number> {
  const weights = { ...axes };
  for (const { rule, weight } of policy) if (rule.axis !== 'duplicate') weights[rule.axis] += weight;
  for (const axis of riskAxes) weights[axis] = categoryOf(Math.min(weights[axis], model.axisMax));
  return weights;
}

export interface Weighed {
  readonly signal: Signal;
  /** Logits that counted: positive against, negative in favour, 0 for nothing. */
  applied: number;
  /** Logits after the country’s multiplier and the group’s discount, before caps. */
  discounted: number;
  /** Whether it moved the score. */
  moved: boolean;
}

export interface Fusion {
  /** In the order of the signals given. */
  readonly weighed: readonly Weighed[];
  /** Evidence against per axis after discounts and the cap, before anything in favour. */
  readonly axes: Readonly<Record<RiskAxis, number>>;
  /** Logits of all axes less what speaks in favour; never negative. */
  readonly weight: number;
  /** The same with all that speaks in favour, which may be more than there is to take from. */
  readonly balance: number;
  /** Axes with enough evidence to agree with another. */
  readonly agreeing: number;
}

/** Fuses evidence; signals of weight 0 only come along. `geoWeight` multiplies the network axis. */
export function fuseSignals(signals: readonly Signal[], geoWeight: number): Fusion {
  const factor = clamp(geoWeight, model.geoWeightMin, model.geoWeightMax);
  const weighed = signals.map((signal): Weighed => {
    const applied = signal.weight * (signal.rule.axis === 'network' && signal.weight > 0 ? factor : 1);
    return { signal, applied, discounted: applied, moved: false };
  });
  const against = sortDown(
    weighed.filter((each) => each.applied > 0),
    ({ applied }) => applied,
  );
  const favour = sortDown(
    weighed.filter((each) => each.applied < 0),
    ({ applied }) => -applied,
  );
  discountGroups(against);
  discountGroups(favour);
  for (const each of weighed) each.discounted = each.applied;
  const axes: Record<RiskAxis, number> = { network: 0, device: 0, velocity: 0, behavior: 0, history: 0 };
  let total = 0;
  let agreeing = 0;
  if (against.length > 0)
    for (const { axis, isPinned, isCorrelate } of membersOf) {
      // Correlates share what the pinned leave of an axis, so that they never crowd those out.
      const pinned = scaleTo(against, isPinned, model.axisMax);
      axes[axis] = pinned + scaleTo(against, isCorrelate, model.axisMax - pinned);
      total += axes[axis];
      if (axes[axis] >= model.corroborationMin) agreeing += 1;
    }
  const balance = total + sumOf(favour, () => true);
  return { weighed, axes, weight: Math.max(0, total - applyFavour(favour, against)), balance, agreeing };
}

/** Evidence that cannot happen to honest people, or that an authority decided: neither discounted nor offset. */
function isPinned({ signal }: Weighed): boolean {
  return signal.rule.class === 'bound' || signal.rule.class === 'record';
}

/** Takes the strongest first: each counts half of the one before it in its group, unless one joint fit has weighed both. */
function discountGroups(sorted: readonly Weighed[]): void {
  for (const each of sorted) {
    const { group, axis, fitted = false } = each.signal.rule;
    if (group === null || isPinned(each)) continue;
    for (const before of sorted) {
      if (before === each) break;
      const { rule } = before.signal;
      if (fitted && rule.fitted === true) continue;
      if (rule.group === group && rule.axis === axis && !isPinned(before)) each.applied *= model.groupDiscount;
    }
  }
}

const membersOf = riskAxes.map((axis) => ({
  axis,
  isPinned: (each: Weighed): boolean => each.signal.rule.axis === axis && isPinned(each),
  isCorrelate: (each: Weighed): boolean => each.signal.rule.axis === axis && !isPinned(each),
}));

/** Scales those who belong down to a sum, if they exceed it. Returns their sum. */
function scaleTo(all: readonly Weighed[], belongs: (each: Weighed) => boolean, max: number): number {
  const sum = sumOf(all, belongs);
  if (Math.abs(sum) <= max) return sum;
  const share = max / Math.abs(sum);
  for (const each of all) if (belongs(each)) each.applied *= share;
  return Math.sign(sum) * max;
}

/** Device and behavior are what the probe says, in favour and against. */
function isFromProbe({ signal: { rule } }: Weighed): boolean {
  return rule.axis === 'device' || rule.axis === 'behavior' || rule.source === 'probe';
}

/** A good record and a steady hand explain much, but not a program that says it is one. */
function isOffsettable(each: Weighed): boolean {
  return !isPinned(each) && each.signal.rule.severity !== 'high';
}

/** Evidence in favour counts only if there is something to take from. Returns the amount taken. */
function applyFavour(favour: readonly Weighed[], against: readonly Weighed[]): number {
  if (favour.length === 0) return 0;
  const all = sumOf(against, isOffsettable);
  const beyondProbe = sumOf(against, (each) => isOffsettable(each) && !isFromProbe(each));
  const byProbe = -scaleTo(favour, isFromProbe, Math.min(model.exculpatoryMax, beyondProbe));
  return byProbe - scaleTo(favour, (each) => !isFromProbe(each), Math.min(model.exculpatoryMax, all) - byProbe);
}

function sumOf(all: readonly Weighed[], belongs: (each: Weighed) => boolean): number {
  let sum = 0;
  for (const each of all) if (belongs(each)) sum += each.applied;
  return sum;
}
