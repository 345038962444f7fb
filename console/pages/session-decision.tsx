/** The grounds of the verdict: the thresholds at the score, or a rule of the study that refused the respondent whatever the score. */
import { programFindings } from '../../src/contract/program-findings.js';
import type { EvidenceReply } from '../../src/contract/score.js';
import type { TrailReceipt } from '../../src/contract/session-trail.js';
import type { RespondentReply } from '../../src/contract/study-replies.js';
import { readable } from '../parts/words.js';
import { screenOutTexts } from './study-respondents.js';

interface DecisionProps {
  readonly receipt: TrailReceipt;
  readonly evidence: EvidenceReply | null;
  /** null: the session is no place of a study. */
  readonly respondent: RespondentReply | null;
}

export const SessionDecision = ({ receipt, evidence, respondent }: DecisionProps) => (
  <p class="summary">{refusalOf(receipt, evidence, respondent) ?? receipt.decision.text}</p>
);

/** null: the study did not refuse the respondent for another reason than the score. */
function refusalOf(
  { recommendation }: TrailReceipt,
  evidence: EvidenceReply | null,
  respondent: RespondentReply | null,
): string | null {
  const reason = respondent?.screenOutReason ?? null;
  if (reason === null) return null;
  if (reason === 'duplicate') return 'Refused by the study’s rule against duplicates, not by the score.';
  if (reason !== 'quality') return `Refused by the study: ${screenOutTexts[reason]}. The score did not decide.`;
  if (recommendation === 'block') return null;
  const { against = [], notes = [] } = evidence?.evidence ?? {};
  const program = [...against, ...notes].find(({ code }) => programFindings.includes(code));
  return program === undefined
    ? 'Refused by the study’s minimum quality or verification, not by the score.'
    : `Refused by the study’s rule against programs (${readable(program.code).toLowerCase()}), not by the score.`;
}
