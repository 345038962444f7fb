/**
 * What a receipt keeps of a score beside its facts.
 */
import type { ScoreFacts, ScoreOutcome } from '../../src/contract/facts.js';
import type { RecordedVerdict } from '../../src/contract/pool.js';
import { decisionInputsOf } from '../thresholds/decide.js';

export function recordVerdict(outcome: ScoreOutcome, facts: ScoreFacts): RecordedVerdict {
  const { reply, classification, modelVersion } = outcome;
  return {
    modelVersion,
    score: reply.score,
    recommendation: reply.recommendation,
    verdictClass: reply.verdictClass,
    duplicateBand: reply.duplicate.band,
    classification,
    // Last: what is spread first and added to is made eighty times slower.
    ...decisionInputsOf(outcome, facts),
  };
}
