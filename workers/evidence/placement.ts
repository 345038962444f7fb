/** Sorts findings by their real effect on the score: raised the risk, lowered it, or had none. */
import type { Classification } from '../../src/contract/facts.js';
import type { Ceiling, EvidenceBlock, Finding, Reason, ScoreReply } from '../../src/contract/score.js';
import { describeSignal, model, sortDown } from '../scoring/model.js';
import { rankOf, type Weighed } from '../scoring/risk.js';

export interface Placed {
  readonly evidence: Omit<EvidenceBlock, 'summary'>;
  readonly classification: Classification;
  readonly reasons: Reason[];
}

/** Foremost first within each list; equal ones in the order in which they were found. */
export function placeFindings(findings: readonly Weighed[]): Placed {
  const evidence = { against: [] as Finding[], for: [] as Finding[], notes: [] as Finding[] };
  const classification: { code: string; list: 'against' | 'for' | 'notes'; strength: Finding['strength'] }[] = [];
  const reasons: Reason[] = [];
  for (const { signal, applied, moved } of sortDown([...findings], rankOf)) {
    const { code, rule } = signal;
    const list = listOf(applied, moved);
    const strength = strengthOf(moved ? Math.abs(applied) : 0);
    const detail = describeSignal(signal);
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

const openings: Readonly<Record<ScoreReply['recommendation'], string>> = {
  allow: 'Little or no evidence against this session.',
  review: 'There is enough evidence against this session to review it.',
  step_up: 'This session needs a further verification.',
  block: 'There is strong evidence against this session.',
};

function openingOf(
  { recommendation, verdictClass }: Pick<ScoreReply, 'recommendation' | 'verdictClass'>,
  automated: boolean,
): string {
  if (verdictClass === 'verified_agent') return 'The visitor is a verified agent.';
  if (automated && recommendation === 'allow')
    return 'Automation seems to run this session, although its score is below the review threshold.';
  return openings[recommendation];
}

/** Explains the ceiling that kept a score from being higher or lower. */
const ceilingWords: Readonly<Record<Ceiling, string>> = {
  uncorroborated: 'Only one kind of evidence is against it. One kind alone never reaches the block band.',
  policy: 'Project policy raised the score. Policy alone never moves it into the block band.',
  dispositive: 'A signal was found that the project allows to block alone.',
};

interface Circumstances {
  readonly deviceMeasured: boolean;
  /** The browser, or what drives it, says that it is a program. */
  readonly automated: boolean;
  readonly ceilings: readonly Ceiling[];
}

/** The verdict in words. */
export function summarize(
  reply: Pick<ScoreReply, 'score' | 'recommendation' | 'verdictClass'>,
  { against, for: favour }: Placed['evidence'],
  { deviceMeasured, automated, ceilings }: Circumstances,
): string {
  const sentences = [`Risk ${reply.score} of 100.`, openingOf(reply, automated)];
  const [strongest] = against;
  if (strongest !== undefined) sentences.push(`Main finding: ${strongest.detail}`);
  if (against.length > 1)
    sentences.push(
      against.length === 2
        ? 'One further finding is against it.'
        : `${against.length - 1} further findings are against it.`,
    );
  if (favour.length > 0) sentences.push(`In its favor: ${favour[0]?.detail}`);
  sentences.push(...ceilings.map((ceiling) => ceilingWords[ceiling]));
  if (!deviceMeasured) sentences.push('The probe did not measure the device.');
  return sentences.join(' ');
}
