/** Joint logistic fit of weights with signs and priors: what goes along with each other shares its weight, and what was hardly seen keeps its prior. */

export interface FitRow {
  readonly fraud: boolean;
  /** How often the row counts. */
  readonly emphasis: number;
  /** The index of the row’s intercept. */
  readonly group: number;
  /** Features by number, with the share of their full strength, 0-1. */
  readonly features: readonly (readonly [feature: number, share: number])[];
}

export interface FitPrior {
  readonly weight: number;
  readonly deviation: number;
  readonly min: number;
  readonly max: number;
}

export interface LogisticFit {
  readonly weights: Float64Array;
  readonly intercepts: Float64Array;
}

const rounds = 400;
const interceptPrior = 1e-3;

/** Newton steps along each coordinate at once, damped; the objective is convex. */
export function fitLogistic(rows: readonly FitRow[], priors: readonly FitPrior[], groups: number): LogisticFit {
  const weights = Float64Array.from(priors, ({ weight }) => weight);
  const intercepts = new Float64Array(groups).fill(-3);
  for (let round = 0; round < rounds; round += 1) {
    const { slopes, curves, groupSlopes, groupCurves } = differentiate(rows, weights, intercepts);
    const damping = 0.3;
    for (const [feature, { weight, deviation, min, max }] of priors.entries()) {
      const strength = 1 / deviation ** 2;
      const slope = slopes[feature]! + strength * (weights[feature]! - weight);
      const step = (damping * slope) / (curves[feature]! + strength);
      weights[feature] = Math.min(max, Math.max(min, weights[feature]! - step));
    }
    for (let group = 0; group < groups; group += 1)
      intercepts[group]! -= (damping * groupSlopes[group]!) / (groupCurves[group]! + interceptPrior);
  }
  return { weights, intercepts };
}

function differentiate(rows: readonly FitRow[], weights: Float64Array, intercepts: Float64Array) {
  const [slopes, curves] = [new Float64Array(weights.length), new Float64Array(weights.length)];
  const [groupSlopes, groupCurves] = [new Float64Array(intercepts.length), new Float64Array(intercepts.length)];
  for (const { fraud, emphasis, group, features } of rows) {
    let logit = intercepts[group]!;
    for (const [feature, share] of features) logit += weights[feature]! * share;
    const probability = 1 / (1 + Math.exp(-logit));
    const slope = emphasis * (probability - Number(fraud));
    const curve = emphasis * probability * (1 - probability);
    groupSlopes[group]! += slope;
    groupCurves[group]! += curve;
    for (const [feature, share] of features) {
      slopes[feature]! += slope * share;
      curves[feature]! += curve * share * share;
    }
  }
  return { slopes, curves, groupSlopes, groupCurves };
}
