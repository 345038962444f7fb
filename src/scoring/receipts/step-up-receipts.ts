/** The verification that a receipt requests. */
import type { DeviceSketch } from '../../contract/facts.js';
import type { ScoreReply } from '../../contract/score.js';
import type { FindStepUp } from '../../contract/step-up.js';
import { invalid, notFound } from '../../kernel/faults.js';
import type { MakeRef } from '../../crypto/master-key.js';
import { holderOf, namespaceOf } from '../../stores/counters/namespace.js';
import { respondentSubject } from '../gather.js';
import { scoredVisitOf } from '../step-ups.js';
import { openFacts } from '../../record/record.js';
import { sketchKnown } from '../../pool/known-device.js';
import { findRecorded, type EvidenceServiceDeps } from './evidence-service.js';

const unnamed = 'is required. Send the respondentId of the score in stepUpFor.';
const other = 'differs from the respondent of the score in stepUpFor. Send that one, or score this respondent first.';

/** The device of the page that was scored; null where no probe described one. */
async function sketchScored(pool: EvidenceServiceDeps['pool'], facts: Uint8Array): Promise<DeviceSketch | null> {
  const { probe } = openFacts(facts);
  return probe === null ? null : sketchKnown(pool, probe.body);
}

/** Throws NOT_FOUND for a receipt that is not of the project and the mode, VALIDATION_FAILED for one that asks for nothing or of another respondent. */
export function createStepUpReceipts(
  deps: Omit<EvidenceServiceDeps, 'isPlace'> & { readonly makeRef: MakeRef },
): FindStepUp {
  return async ({ mode, ...owner }, receiptId, respondentId) => {
    const caller = { ...owner, isTest: mode === 'test', isDemo: mode === 'demo' };
    const recorded = await findRecorded(deps, caller, receiptId);
    if (recorded === null || !recorded.authentic || namespaceOf(recorded.owner) !== namespaceOf(caller))
      throw notFound('receipt');
    const { respondent } = recorded.subjects;
    if (respondent !== null && respondentId !== undefined) {
      if (respondentId === null) throw invalid([{ path: '/respondentId', message: unnamed }]);
      if (respondentSubject(deps.makeRef, holderOf(recorded.owner), respondentId) !== respondent)
        throw invalid([{ path: '/respondentId', message: other }]);
    }
    const { reply } = await deps.pool.run({ kind: 'score', facts: [recorded.facts] });
    const { stepUpIntensity, sessionId } = JSON.parse(reply) as ScoreReply;
    if (stepUpIntensity === 'none')
      throw invalid([{ path: '/stepUpFor', message: 'is a receipt without the recommendation step_up.' }]);
    const device = await sketchScored(deps.pool, recorded.facts);
    return { receiptId, sessionId, intensity: stepUpIntensity, device, ...scoredVisitOf(recorded) };
  };
}
