/**
 * What a rule is, and how an axis raises one. A rule says what it means to see something; a signal says that it was seen in
 * this session, and how much of the rule’s weight that is worth. Nothing here decides anything.
 */
import type { Axis } from '../../src/contract/axes.js';
import type { findingClasses, severities } from '../../src/contract/score.js';

export interface Rule {
  readonly axis: Axis;
  readonly class: (typeof findingClasses)[number];
  readonly severity: (typeof severities)[number];
  /** Logits at full strength: positive against the respondent, negative in favour, 0 where the rule only informs. A graded rule may apply less. */
  readonly weight: number;
  /** Rules that one cause tends to raise together; within a group each further one counts half of the one before. */
  readonly group: string | null;
  /** The probe’s own word on another axis than its two; what the probe says in favour does not take from it. */
  readonly source?: 'probe';
  /** One sentence for people; `{value}` stands for what was measured. Never a threshold or a weight. */
  readonly detail: string;
}

export type Rules = Readonly<Record<string, Rule>>;

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

/** Of several looks at one thing, each finding once, at its worst. What speaks in favour is left to whoever sees all looks. */
export function keepWorst(looks: readonly (readonly Signal[])[]): Signal[] {
  const worst = new Map<string, Signal>();
  for (const signal of looks.flat()) {
    const known = worst.get(signal.code);
    if (signal.weight >= 0 && (known === undefined || signal.weight > known.weight)) worst.set(signal.code, signal);
  }
  return [...worst.values()];
}

/** The sentence of a signal. */
export function describeSignal({ rule, value }: Signal): string {
  return value === null ? rule.detail : rule.detail.replace('{value}', String(value));
}

/** The value itself, or the nearer end of the range. */
export function clamp(value: number, low: number, high: number): number {
  if (value < low) return low;
  return value > high ? high : value;
}
