/**
 * The oracle: the posterior of the generator, from sessions that it drew itself and knows the truth of. It sees what the service may see
 * and obeys the contract’s ceilings: one axis alone never blocks. No rule, weight or threshold of the service is in it.
 */
import { riskAxes, type RiskAxis } from '../../src/contract/axes.js';
import { trainBoosting, type Boosted } from './boosting.js';
import type { Judged } from './measures.js';
import { observeAxes } from './observe.js';
import type { ReplayedSession } from './replay.js';

export type Oracle = (replayed: ReplayedSession) => Judged;

const whole = { trees: 160, depth: 5, rate: 0.12, leafMin: 4 } as const;
const single = { trees: 50, depth: 4, rate: 0.2, leafMin: 6 } as const;
/** Log-odds above the base rate from which an axis speaks against a session at all. */
const speaks = 0.5;

export function trainOracle(drawn: readonly ReplayedSession[]): Oracle {
  const observed = drawn.map(({ facts }) => observeAxes(facts));
  const labels = drawn.map(({ session }) => session.truth.fraud);
  const share = labels.filter(Boolean).length / labels.length;
  const base = Math.log(share / (1 - share));
  const joint = trainBoosting(observed.map(joinAxes), labels, whole);
  const byAxis = riskAxes.map((axis): readonly [RiskAxis, Boosted] => [
    axis,
    trainBoosting(
      observed.map((one) => one[axis]),
      labels,
      single,
    ),
  ]);
  return ({ session, facts }) => {
    const axes = observeAxes(facts);
    const probability = 1 / (1 + Math.exp(-joint.predict(joinAxes(axes))));
    const speaking = byAxis.filter(([axis, model]) => model.predict(axes[axis]) - base >= speaks).length;
    return { fraud: session.truth.fraud, score: 100 * probability, probability, mayBlock: speaking >= 2 };
  };
}

const joinAxes = (axes: Readonly<Record<RiskAxis, readonly number[]>>): number[] =>
  riskAxes.flatMap((axis) => axes[axis]);
