/**
 * The arithmetic of risk: evidence is measured in logits, and one curve turns logits into a score and back.
 */
import { clamp } from './rule.js';

export const model = {
  /** Probability of fraud when nothing was found: of sessions that look clean, not of all sessions. */
  cleanProbability: 0.01,
  /** Most that one axis may contribute, logits. */
  axisMax: 5.5,
  /** Most that findings in the respondent’s favour may take away, logits. */
  exculpatoryMax: 2,
  /** An axis with this much evidence agrees with another one, logits. */
  corroborationMin: 0.5,
  /** What each further finding of a correlation group is worth of the one before. */
  groupDiscount: 0.5,
  /** Range of the per-country multiplier on the network axis. */
  geoWeightMin: 0.5,
  geoWeightMax: 2,
  /** Logits from which a finding reads moderate and strong. */
  moderateMin: 1,
  strongMin: 2.5,
  /** Adjudicated records: weight of the prior in sessions, and the range of the result. */
  recordPrior: 4,
  recordMin: -2,
  recordMax: 4,
} as const;

/** Score from 0 to 100 of an evidence weight in logits; 0 for none. */
export function scoreOf(weight: number): number {
  const odds = Math.exp(Math.min(weight, 50));
  const { cleanProbability: clean } = model;
  return Math.round((100 * clean * (odds - 1)) / (1 - clean + clean * odds));
}

/** Logits that alone lead to a score; the inverse of scoreOf. */
export function weightOf(score: number): number {
  const share = clamp(score, 0, 99.9) / 100;
  const { cleanProbability: clean } = model;
  return Math.log((share * (1 - clean) + clean) / (clean * (1 - share)));
}

/** Logits that a record of `fraud` among `n` adjudicated sessions is worth against a clean session’s prior. */
export function recordWeight(fraud: number, n: number): number {
  const { cleanProbability: clean, recordPrior: prior, recordMin, recordMax } = model;
  const share = (fraud + prior * clean) / (n + prior);
  return clamp(logit(Math.min(share, 0.999)) - logit(clean), recordMin, recordMax);
}

function logit(probability: number): number {
  return Math.log(probability / (1 - probability));
}
