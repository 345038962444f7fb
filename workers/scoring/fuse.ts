/**
 * Fuses signals into one weight of evidence. Per axis: correlated findings are discounted, adjudicated and impossible ones come first and
 * undiscounted, and the axis is capped; then findings in favour take away from correlates only. Each signal gets the logits that
 * really counted, so that what is listed against a respondent is exactly what moved the score. Adding evidence against never lowers the result.
 */
import { riskAxes, type RiskAxis } from '../../src/contract/axes.js';
import { model } from './model.js';
import { clamp, type Signal } from './rule.js';

export interface Weighed {
  readonly signal: Signal;
  /** Logits that counted: positive against, negative in favour, 0 for nothing. */
  applied: number;
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
  const weighed = signals.map((signal): Weighed => ({
    signal,
    applied: signal.weight * (signal.rule.axis === 'network' && signal.weight > 0 ? factor : 1),
  }));
  const against = weighed.filter((each) => each.applied > 0).sort((a, b) => b.applied - a.applied);
  const favour = weighed.filter((each) => each.applied < 0).sort((a, b) => a.applied - b.applied);
  discountGroups(against);
  discountGroups(favour);
  const axes: Record<RiskAxis, number> = { network: 0, device: 0, velocity: 0, behavior: 0, history: 0 };
  let correlates = 0;
  if (against.length > 0) {
    for (const axis of riskAxes) {
      const sums = capAxis(against.filter((each) => each.signal.rule.axis === axis));
      axes[axis] = sums.pinned + sums.correlates;
      correlates += sums.correlates;
    }
  }
  const offset = applyFavour(favour, correlates);
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

/** Correlates share what the pinned leave of an axis, so that they never crowd those out. */
function capAxis(members: readonly Weighed[]): { readonly pinned: number; readonly correlates: number } {
  const pinned = scaleTo(members.filter(isPinned), model.axisMax);
  const correlates = scaleTo(
    members.filter((each) => !isPinned(each)),
    model.axisMax - pinned,
  );
  return { pinned, correlates };
}

/** Scales the members down to a sum, if they exceed it. Returns their sum. */
function scaleTo(members: readonly Weighed[], max: number): number {
  const sum = members.reduce((total, each) => total + each.applied, 0);
  if (sum <= max) return sum;
  for (const each of members) each.applied *= max / sum;
  return max;
}

/** Takes from the correlates at most; what there is nothing to take from counts for nothing. Returns what was taken. */
function applyFavour(favour: readonly Weighed[], correlates: number): number {
  const sum = -favour.reduce((total, each) => total + each.applied, 0);
  const taken = Math.min(sum, model.exculpatoryMax, correlates);
  for (const each of favour) each.applied *= sum > 0 ? taken / sum : 0;
  return taken;
}
