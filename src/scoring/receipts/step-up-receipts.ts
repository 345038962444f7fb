/** Which verification a receipt asks for. */
import type { ScoreReply } from '../../contract/score.js';
import type { FindStepUp } from '../../contract/step-up.js';
import { invalid, notFound } from '../../kernel/faults.js';
import { namespaceOf } from '../../stores/counters/namespace.js';
import { findRecorded, type EvidenceServiceDeps } from './evidence-service.js';

/** Throws NOT_FOUND for a receipt that is not of the project and the mode, VALIDATION_FAILED for one that asks for nothing. */
export function createStepUpReceipts(deps: EvidenceServiceDeps): FindStepUp {
  return async ({ mode, ...owner }, receiptId) => {
    const caller = { ...owner, isTest: mode === 'test', isDemo: mode === 'demo' };
    const recorded = await findRecorded(deps, caller, receiptId);
    if (recorded === null || !recorded.authentic || namespaceOf(recorded.owner) !== namespaceOf(caller))
      throw notFound('receipt');
    const { reply } = await deps.pool.run({ kind: 'score', facts: [recorded.facts] });
    const { stepUpIntensity, sessionId } = JSON.parse(reply) as ScoreReply;
    if (stepUpIntensity === 'none')
      throw invalid([{ path: '/stepUpFor', message: 'is a receipt whose recommendation is not step_up.' }]);
    return { receiptId, sessionId, intensity: stepUpIntensity };
  };
}
