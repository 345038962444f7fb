/**
 * Explaining of scores, put together. It runs the pure core on the thread that asks: an operator asks now and then, and a process of any
 * role can answer.
 */
import { deriveSigningKey } from '../crypto/master-key.js';
import { createExplain, type Explain, type ExplainServiceDeps } from '../scoring/receipts/explain-service.js';
import { explainFacts } from '../../workers/evidence/explain.js';

export function wireExplain({
  masterKeys,
  ...deps
}: Pick<ExplainServiceDeps, 'database' | 'counters' | 'now'> & {
  readonly masterKeys: readonly Uint8Array[];
}): Explain {
  const receiptKeys = masterKeys.map((key) => deriveSigningKey(key, 'receipts'));
  return createExplain({ ...deps, receiptKeys, explainFacts });
}
