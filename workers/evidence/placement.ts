/** Sorts findings by their real effect on the score: raised the risk, lowered it, or had none. */
import type { Classification } from '../../src/contract/facts.js';
import type { EvidenceBlock, Finding, Reason } from '../../src/contract/score.js';
import { model, sortDown } from '../scoring/model.js';
import { rankOf, type Weighed } from '../scoring/risk.js';
import type { Describe } from './describe.js';

export interface Placed {
  readonly evidence: Omit<EvidenceBlock, 'summary'>;
  readonly classification: Classification;
  readonly reasons: Reason[];
}

/** Foremost first within each list; equal ones in the order in which they were found. */
export function placeFindings(findings: readonly Weighed[], describe: Describe): Placed {
  const evidence = { against: [] as Finding[], for: [] as Finding[], notes: [] as Finding[] };
  const classification: { code: string; list: 'against' | 'for' | 'notes'; strength: Finding['strength'] }[] = [];
  const reasons: Reason[] = [];
  for (const { signal, applied, moved } of sortDown([...findings], rankOf)) {
    const { code, rule } = signal;
    const list = listOf(applied, moved);
    const strength = strengthOf(moved ? Math.abs(applied) : 0);
    const detail = describe(signal);
    evidence[list].push({ code, class: rule.class, axis: rule.axis, severity: rule.severity, strength, detail });
    classification.push({ code, list, strength });
    reasons.push({ code, severity: rule.severity, detail, scored: moved });
  }
  return { evidence, classification, reasons };
}

function listOf(applied: number, moved: boolean): Classification[number]['list'] {
  if (!moved) return 'notes';
  return applied > 0 ? 'against' : 'for';
}

function strengthOf(logits: number): Finding['strength'] {
  if (logits === 0) return 'none';
  if (logits >= model.strongMin) return 'strong';
  return logits >= model.moderateMin ? 'moderate' : 'weak';
}
