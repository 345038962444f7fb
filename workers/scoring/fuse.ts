/**
 * Fuses signals into one weight of evidence. Per axis: correlated findings are discounted, adjudicated and impossible ones come first and
 * undiscounted, and the axis is capped; then findings in favour take away from correlates only, and of those neither from the ones of high severity nor,
 * where they come from the forgeable probe, from what the probe itself contradicts. Each signal gets the logits that
 * really counted, so that what is listed against a respondent is exactly what moved the score. Adding evidence against never lowers the result.
 */
import { riskAxes, type RiskAxis } from '../../src/contract/axes.js';
import { model } from './model.js';
import { clamp, type Signal } from './rule.js';

export interface Weighed {
  readonly signal: Signal;
  /** Logits that counted: positive against, negative in favour, 0 for nothing. */
  applied: number;
  /** Logits after the country’s multiplier and the group’s discount, before caps. */
  discounted: number;
}

export interface Fusion {
  /** In the order of the signals given. */
  readonly weighed: readonly Weighed[];
  /** Evidence against per axis after discounts and the cap, before anything in favour. */
  readonly axes: Readonly<Record<RiskAxis, number>>;
  /** Logits of all axes less what speaks in favour; never negative. */
  readonly weight: number;
  /** Axes with enough evidence to agree with another. */
  readonly agreeing: number;
}

/** Fuses evidence; signals of weight 0 only come along. `geoWeight` multiplies the network axis. */
export function fuseSignals(signals: readonly Signal[], geoWeight: number): Fusion {
  const factor = clamp(geoWeight, model.geoWeightMin, model.geoWeightMax);
  const weighed = signals.map((signal): Weighed => {
    const applied = signal.weight * (signal.rule.axis === 'network' && signal.weight > 0 ? factor : 1);
    return { signal, applied, discounted: applied };
  });
  const against = weighed.filter((each) => each.applied > 0).sort((a, b) => b.applied - a.applied);
  const favour = weighed.filter((each) => each.applied < 0).sort((a, b) => a.applied - b.applied);
  discountGroups(against);
  discountGroups(favour);
  for (const each of weighed) each.discounted = each.applied;
  const axes: Record<RiskAxis, number> = { network: 0, device: 0, velocity: 0, behavior: 0, history: 0 };
  if (against.length > 0)
    for (const axis of riskAxes) axes[axis] = capAxis(against.filter((each) => each.signal.rule.axis === axis));
  const offset = applyFavour(favour, against.filter(isOffsettable));
  const total = riskAxes.reduce((sum, axis) => sum + axes[axis], 0);
  return {
    weighed,
    axes,
    weight: Math.max(0, total - offset),
    agreeing: riskAxes.filter((axis) => axes[axis] >= model.corroborationMin).length,
  };
}

/** What cannot happen to honest people, and what an authority decided: neither discounted nor offset. */
function isPinned({ signal }: Weighed): boolean {
  return signal.rule.class === 'bound' || signal.rule.class === 'record';
}

/** Takes the strongest first. */
function discountGroups(sorted: readonly Weighed[]): void {
  const shares = new Map<string, number>();
  for (const each of sorted) {
    const { group, axis } = each.signal.rule;
    if (group === null || isPinned(each)) continue;
    const key = `${axis}/${group}`;
    const share = shares.get(key) ?? 1;
    each.applied *= share;
    shares.set(key, share * model.groupDiscount);
  }
}

/** Correlates share what the pinned leave of an axis, so that they never crowd those out. Returns the axis’s sum. */
function capAxis(members: readonly Weighed[]): number {
  const pinned = scaleTo(members.filter(isPinned), model.axisMax);
  const correlates = scaleTo(
    members.filter((each) => !isPinned(each)),
    model.axisMax - pinned,
  );
  return pinned + correlates;
}

/** Scales the members down to a sum, if they exceed it. Returns their sum. */
function scaleTo(members: readonly Weighed[], max: number): number {
  const sum = sumOf(members);
  if (sum <= max) return sum;
  for (const each of members) each.applied *= max / sum;
  return max;
}

/** Device and behavior are what the probe says, in favour and against. */
function isFromProbe({ signal: { rule } }: Weighed): boolean {
  return rule.axis === 'device' || rule.axis === 'behavior' || rule.source === 'probe';
}

/** A good record and a steady hand explain much, but not a program that says it is one. */
function isOffsettable(each: Weighed): boolean {
  return !isPinned(each) && each.signal.rule.severity !== 'high';
}

/** What there is nothing to take from counts for nothing. Returns what was taken. */
function applyFavour(favour: readonly Weighed[], correlates: readonly Weighed[]): number {
  if (favour.length === 0) return 0;
  const all = sumOf(correlates);
  const beyondProbe = sumOf(correlates.filter((each) => !isFromProbe(each)));
  const byProbe = scaleFavour(favour.filter(isFromProbe), Math.min(model.exculpatoryMax, beyondProbe));
  const byOthers = scaleFavour(
    favour.filter((each) => !isFromProbe(each)),
    Math.min(model.exculpatoryMax, all) - byProbe,
  );
  return byProbe + byOthers;
}

function scaleFavour(favour: readonly Weighed[], max: number): number {
  const sum = -sumOf(favour);
  const taken = Math.min(sum, max);
  for (const each of favour) each.applied *= sum > 0 ? taken / sum : 0;
  return taken;
}

function sumOf(members: readonly Weighed[]): number {
  return members.reduce((total, each) => total + each.applied, 0);
}
