/**
 * A score as it leaves the core: the reply as text, and what its record keeps. The same on whichever thread it is done.
 */
import type { ScoreFacts } from '../../src/contract/facts.js';
import type { PoolResults } from '../../src/contract/pool.js';
import { packOutcome } from '../../src/record/record.js';
import { recordVerdict } from './recorded-verdict.js';
import { scoreFacts } from './score.js';

/** `replayed`: the reply of an earlier call again; it says so, and is otherwise the same. */
export function judgeScore(facts: ScoreFacts, replayed: boolean): PoolResults['score'] {
  const outcome = scoreFacts(facts);
  const { degradedSignals, recommendation } = outcome.reply;
  return {
    reply: JSON.stringify({ ...outcome.reply, replayed }),
    degraded: degradedSignals,
    recommendation,
    outcome: packOutcome(recordVerdict(outcome, facts), facts),
  };
}
