/**
 * Score mode: what the project’s fences do with a verdict. The first fence that stands in the way names the reason. A null score is no
 * low score: no fence stops what was not measured.
 */
import type { ScoreModeConfig } from '../../src/contract/project-parts.js';
import type { Verdict, VerdictDispatch } from '../../src/contract/verdict.js';

export function dispatchVerdict(
  verdict: Pick<Verdict, 'status' | 'scores' | 'risk' | 'fraudSignals' | 'failureReasons' | 'unifiedVerdict'>,
  verificationMode: 'block' | 'score',
  fences: ScoreModeConfig,
): VerdictDispatch {
  const { verdict: decision } = verdict.unifiedVerdict;
  if (verificationMode === 'block') {
    const status = verdict.status === 'pass' ? 'pass' : 'fail';
    return { status, decision: status === 'fail' ? 'block' : decision, reason: verdict.failureReasons[0] ?? null };
  }
  const fence = findFence(verdict, fences);
  if (fence !== null) return { status: 'score_blocked', decision: 'block', reason: fence };
  return { status: 'scored', decision, reason: null };
}

function findFence(
  { risk, scores, fraudSignals }: Pick<Verdict, 'scores' | 'risk' | 'fraudSignals'>,
  { blockAboveRisk, blockBelowUniqueness, blockOnFraudSignals, minEvidenceQuality }: ScoreModeConfig,
): string | null {
  if (blockAboveRisk !== undefined && risk.overall >= blockAboveRisk) return 'blockAboveRisk';
  if (blockBelowUniqueness !== undefined && scores.uniqueness !== null && scores.uniqueness <= blockBelowUniqueness)
    return 'blockBelowUniqueness';
  const signal = fraudSignals.find(({ type }) => blockOnFraudSignals?.includes(type));
  if (signal !== undefined) return `blockOnFraudSignals: ${signal.type}`;
  return minEvidenceQuality !== undefined && scores.quality < minEvidenceQuality ? 'minEvidenceQuality' : null;
}
