/** The verdict in words. They say what was not measured, and never more or less than score, recommendation and lists do. */
import { unmeasuredAxes, type RiskAxis } from '../../src/contract/axes.js';
import type { EvidenceBlock, ScoreReply } from '../../src/contract/score.js';
import type { SummaryTexts } from './texts/en.js';

interface Circumstances {
  readonly deviceMeasured: boolean;
  /** The browser, or what drives it, says that it is a program. */
  readonly automated: boolean;
  readonly reviewLow: number;
}

type Verdict = Pick<
  ScoreReply,
  'score' | 'recommendation' | 'verdictClass' | 'categories' | 'degradedSignals' | 'ceilings'
> & { readonly duplicate: Pick<ScoreReply['duplicate'], 'measured'> };

/** Never empty. */
export function summarize(
  verdict: Verdict,
  evidence: Omit<EvidenceBlock, 'summary'>,
  circumstances: Circumstances,
  texts: SummaryTexts,
): string {
  const [strongest, ...others] = evidence.against;
  const [favorable] = evidence.for;
  const unmeasured = listUnmeasured(verdict, circumstances);
  const sentences = [
    texts.risk.replace('{score}', String(verdict.score)),
    texts.openings[
      openingOf(verdict, evidence.against, circumstances) ??
        (unmeasured.length > 0 && verdict.score === 0 ? 'nothingMeasured' : 'allow')
    ],
  ];
  if (strongest !== undefined) sentences.push(texts.main.replace('{detail}', () => strongest.detail));
  if (others.length === 1) sentences.push(texts.oneFurther);
  if (others.length > 1) sentences.push(texts.further.replace('{count}', String(others.length)));
  if (favorable !== undefined) sentences.push(texts.favor.replace('{detail}', () => favorable.detail));
  sentences.push(...verdict.ceilings.map((ceiling) => texts.ceilings[ceiling]));
  if (unmeasured.length > 0)
    sentences.push(
      texts.unmeasured.replace('{parts}', unmeasured.map((part) => texts.parts[part]).join(texts.separator)),
    );
  return sentences.join(texts.space);
}

/** null: nothing of weight is against it. */
function openingOf(
  { score, recommendation, verdictClass }: Verdict,
  against: EvidenceBlock['against'],
  { automated, reviewLow }: Circumstances,
): keyof SummaryTexts['openings'] | null {
  if (verdictClass === 'verified_agent') return recommendation === 'block' ? 'agentBlocked' : 'agent';
  // A score reviews from reviewLow on; below it, a step-up that was asked for and failed does.
  if (recommendation === 'review' && (score === 0 || score < reviewLow)) return 'failedStepUp';
  // Policy weighs what is missing, which is no evidence.
  if (recommendation === 'review' && against.every((finding) => finding.class === 'diagnostic')) return 'policy';
  if (recommendation !== 'allow') return recommendation;
  if (automated) return 'automatedAllow';
  if (against.some(({ strength }) => strength === 'strong') || (score > 0 && 2 * score >= reviewLow)) return 'below';
  return null;
}

type Part = RiskAxis | 'duplicate';

function listUnmeasured(verdict: Verdict, { deviceMeasured }: Circumstances): Part[] {
  const axes = unmeasuredAxes(verdict);
  const parts: Part[] = deviceMeasured || axes.includes('device') ? [...axes] : ['device', ...axes];
  if (!verdict.duplicate.measured) parts.push('duplicate');
  return parts;
}
