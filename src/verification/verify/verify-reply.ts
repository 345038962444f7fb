/**
 * The part of the verdict that the page gets. The risk is shown as the project has it (absent, null or whole). Its contributions go only to a
 * caller who asked for diagnostics with a session whose key allows them.
 */
import type { VerifyReply } from '../../contract/score-envelope.js';
import type { VerdictOutcome } from '../../contract/verdict.js';

export function verifyReplyOf(
  sessionId: string,
  verificationToken: string,
  { verdict, shown }: VerdictOutcome,
  diagnostics: boolean,
): VerifyReply {
  const { modelVersion: _modelVersion, risk: _risk, duplication: _duplication, scores, ...rest } = verdict;
  const risk = shown.risk;
  return {
    verificationToken,
    sessionId,
    ...rest,
    scores: { ...scores, ...(shown.riskOverall === undefined ? {} : { riskOverall: shown.riskOverall }) },
    ...(risk === undefined ? {} : { risk: risk === null || diagnostics ? risk : { ...risk, contributions: [] } }),
    ...(shown.duplication === undefined ? {} : { duplication: shown.duplication }),
  };
}
