/**
 * Explaining of scores, put together. It runs the pure core on the thread that asks: an operator asks now and then, and a process of any
 * role can answer.
 */
import { deriveSigningKey } from '../crypto/master-key.js';
import { createExplain, type Explain, type ExplainServiceDeps } from '../scoring/explain-service.js';
import { explainFacts } from '../../workers/evidence/explain.js';

export function wireExplain({
  masterKey,
  ...deps
}: Pick<ExplainServiceDeps, 'database' | 'counters' | 'now'> & { readonly masterKey: Uint8Array }): Explain {
  return createExplain({ ...deps, receiptKey: deriveSigningKey(masterKey, 'receipts'), explainFacts });
}
