/**
 * Parts that the axes share. A rule says what seeing something means; a signal says that it was seen, and how much of the rule’s weight that is
 * worth. Evidence is in logits; one curve turns logits into a score and back.
 */
import type { Axis } from '../../src/contract/axes.js';
import type { findingClasses, severities } from '../../src/contract/score.js';

export const model = {
  /** Probability of fraud when nothing was found: of sessions that look clean, not of all sessions. */
  cleanProbability: 0.01,
  /** Most that one axis may contribute, logits. */
  axisMax: 5.5,
  /** Most that findings in the respondent’s favour may take away, logits. */
  exculpatoryMax: 2,
  /** An axis with this much evidence agrees with another one, logits. */
  corroborationMin: 0.5,
  /** Each further finding of a correlation group is worth this share of the one before. */
  groupDiscount: 0.5,
  /** Range of the per-country multiplier on the network axis. */
  geoWeightMin: 0.5,
  geoWeightMax: 2,
  /** Logits from which a finding reads moderate and strong. */
  moderateMin: 1,
  strongMin: 2.5,
  /** Adjudicated records: weight of the prior in sessions, and the range of the result. */
  recordPrior: 4,
  /** Likewise of a record better than a clean session’s: a program seldom comes back under a name that buyers have accepted, so that the first acceptances weigh most. */
  cleanRecordPrior: 0.05,
  recordMin: -2,
  recordMax: 4,
} as const;

/** Score from 0 to 100 of an evidence weight in logits; 0 for none. `clean`: probability of fraud without any evidence. */
export function scoreOf(weight: number, clean: number = model.cleanProbability): number {
  const odds = Math.exp(Math.min(weight, 50));
  return Math.round((100 * clean * (odds - 1)) / (1 - clean + clean * odds));
}

/** Logits that alone lead to a score; the inverse of scoreOf. */
export function weightOf(score: number, clean: number = model.cleanProbability): number {
  const share = clamp(score, 0, 99.9) / 100;
  return Math.log((share * (1 - clean) + clean) / (clean * (1 - share)));
}

/** Logits that a record of `fraud` among `n` adjudicated sessions is worth against a clean session’s prior. */
export function recordWeight(fraud: number, n: number): number {
  const { cleanProbability: clean, recordPrior, cleanRecordPrior, recordMin, recordMax } = model;
  const prior = fraud < n * clean ? cleanRecordPrior : recordPrior;
  const share = (fraud + prior * clean) / (n + prior);
  return clamp(logit(Math.min(share, 0.999)) - logit(clean), recordMin, recordMax);
}

export function logit(probability: number): number {
  return Math.log(probability / (1 - probability));
}

export interface Rule {
  readonly axis: Axis;
  readonly class: (typeof findingClasses)[number];
  readonly severity: (typeof severities)[number];
  /** Logits at full strength: positive against the respondent, negative in favour, 0 where the rule only informs. A graded rule may apply less. */
  readonly weight: number;
  /** Rules that one cause tends to raise together; within a group each further one counts half of the one before. */
  readonly group: string | null;
  /** Its weight comes from the joint fit, which knows how findings go together: fitted ones do not discount each other. */
  readonly fitted?: true;
  /** The probe’s own word on another axis than its two; what the probe says in favour does not take from it. */
  readonly source?: 'probe';
  /** One sentence for people; `{value}` stands for what was measured, `{event|events}` for its noun. Never a threshold or a weight. */
  readonly detail: string;
}

export type Rules = Readonly<Record<string, Rule>>;

/** Makes the rules of an axis that share class and correlation group, each of its severity, weight and sentence. */
export const rulesOf =
  (axis: Axis, ruleClass: Rule['class'], group: string | null = null) =>
  (severity: Rule['severity'], weight: number, detail: string): Rule => ({
    axis,
    class: ruleClass,
    severity,
    weight,
    group,
    detail,
  });

export interface Signal {
  readonly code: string;
  readonly rule: Rule;
  /** Logits, between 0 and the rule’s weight. */
  readonly weight: number;
  readonly value: string | number | null;
}

/** Returns a function that raises rules of one table, by code, onto a list. */
export function createRaise<const T extends Rules>(rules: T) {
  return (onto: Signal[], code: keyof T & string, weight?: number, value: string | number | null = null): void => {
    const rule = rules[code] as Rule;
    onto.push({ code, rule, weight: weight ?? rule.weight, value });
  };
}

/** Keeps each finding of several pages once, at its worst. Evidence in favour is left to the caller that sees all pages. */
export function keepWorst(looks: readonly (readonly Signal[])[]): Signal[] {
  const worst: Signal[] = [];
  for (const look of looks)
    for (const signal of look) {
      if (signal.weight < 0) continue;
      const at = worst.findIndex(({ code }) => code === signal.code);
      if (at < 0) worst.push(signal);
      else if (signal.weight > (worst[at]?.weight ?? 0)) worst[at] = signal;
    }
  return worst;
}

/** Sorts a short list in place, the largest first and equal ones as they stand: the runtime’s sort allocates several lists. */
export function sortDown<T>(list: T[], sizeOf: (item: T) => number): T[] {
  for (let from = 1; from < list.length; from += 1) {
    const item = list[from] as T;
    const size = sizeOf(item);
    let at = from;
    for (; at > 0 && sizeOf(list[at - 1] as T) < size; at -= 1) list[at] = list[at - 1] as T;
    list[at] = item;
  }
  return list;
}

/** The sentence of a signal. */
export function describeSignal({ rule, value }: Signal): string {
  if (value === null) return rule.detail;
  const detail = rule.detail.replace(/\{([^{}|]*)\|([^{}|]*)\}/, value === 1 ? '$1' : '$2');
  return detail.replace('{value}', () => String(value));
}

/** The value itself, or the nearer end of the range. */
export function clamp(value: number, low: number, high: number): number {
  if (value < low) return low;
  return value > high ? high : value;
}
