/** The verdict’s grounds, the thresholds at the score or a rule of the study that refused the respondent whatever the score; and its meaning. */
import type { EvidenceReply } from '../../src/contract/score.js';
import type { TrailReceipt } from '../../src/contract/session-trail.js';
import type { RespondentReply } from '../../src/contract/study-replies.js';
import { reasonName } from '../parts/reason-names.js';
import { formatShare } from '../parts/words.js';
import { screenOutTexts } from './study-respondents.js';

interface DecisionProps {
  readonly receipt: TrailReceipt;
  /** null: the session is no place of a study. */
  readonly respondent: RespondentReply | null;
}

export const SessionDecision = ({ receipt, respondent }: DecisionProps) => (
  <p class="summary">{refusalOf(receipt, respondent) ?? receipt.decision.text}</p>
);

/** The score as a probability, and among honest people; nothing where neither is known. */
export function SessionMeaning({ verdict: { probability, falseBlockPercentile } }: Pick<EvidenceReply, 'verdict'>) {
  if (probability === null || falseBlockPercentile === null) return null;
  const { value, low, high } = probability;
  return (
    <p class="muted">
      Probability of fraud: {formatShare(value)} ({formatShare(low)} to {formatShare(high)}). Of honest simulated
      sessions, {lowerShare(falseBlockPercentile)} score lower.
    </p>
  );
}

/** The simulation is finite, so no score is above all honest people. */
const lowerShare = (percentile: number): string =>
  percentile > 99.9 ? 'more than 99.9%' : formatShare(percentile / 100);

/** null: the study did not refuse the respondent for another reason than the score. */
function refusalOf({ recommendation }: TrailReceipt, respondent: RespondentReply | null): string | null {
  const rule = respondent?.screenOutRule ?? null;
  switch (rule) {
    case null:
      return null;
    case 'score':
      return recommendation === 'block' ? null : 'Refused by the study’s minimum quality, not by the score.';
    case 'program':
      return `Refused by the study’s rule against programs (${reasonName(respondent?.reason ?? '').toLowerCase()}), not by the score.`;
    case 'verification':
      return 'Refused by the study’s verification, not by the score.';
    case 'duplicate':
      return 'Refused by the study’s rule against duplicates, not by the score.';
    default:
      return `Refused by the study: ${screenOutTexts[rule]}. The score did not decide.`;
  }
}
