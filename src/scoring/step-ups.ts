/**
 * Finds the verifications of a scored session that belong to the visit that is scored now. A session id is the caller’s and proves nothing: a result holds for
 * the respondent and the device that it was asked of. The core compares what the probe saw of the device, and the intensity (workers/scoring/step-up.ts).
 */
import type { Ref, StepUpOutcome } from '../contract/facts.js';
import type { EndedStepUp, ScoredVisit } from '../contract/step-up.js';
import type { HistorySubjects, SessionTrace } from '../record/types.js';

/** More than retries make, at most what a receipt keeps. */
const keptMax = 4;

export function scoredVisitOf({
  trace: { device, deviceClass },
  subjects: { respondent },
}: {
  readonly trace: Pick<SessionTrace, 'device' | 'deviceClass'>;
  readonly subjects: Pick<HistorySubjects, 'respondent'>;
}): ScoredVisit {
  return { respondent, deviceHash: device, os: deviceClass?.split('/')[0] ?? null };
}

/** The results that hold for a visit, in their order. `refOf`: the reference of a respondentId. */
export const stepUpsOf = (
  ended: readonly EndedStepUp[],
  visit: ScoredVisit,
  refOf: (respondentId: string) => Ref,
): readonly StepUpOutcome[] =>
  ended
    .filter((each) => isOfRespondent(each, visit.respondent, refOf) && isOfDevice(each.stepUp, visit))
    .slice(0, keptMax)
    .map(({ passed, stepUp: { intensity, device } }) => ({ passed, intensity, device }));

/** The respondent of the score that asked, else the one that the verification named. A visit that names none is none of theirs if that score named one. */
function isOfRespondent(
  { stepUp, respondentId }: EndedStepUp,
  respondent: Ref | null,
  refOf: (respondentId: string) => Ref,
): boolean {
  if (respondent === null || stepUp.respondent !== null) return respondent === stepUp.respondent;
  return respondentId !== null && respondent === refOf(respondentId);
}

/** Unless both know the device and it differs. */
const isOfDevice = (one: ScoredVisit, other: ScoredVisit): boolean =>
  isSameOrUnknown(one.deviceHash, other.deviceHash) && isSameOrUnknown(one.os, other.os);

const isSameOrUnknown = (one: string | null, other: string | null): boolean =>
  one === null || other === null || one === other;
