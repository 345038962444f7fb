/**
 * On what a verdict rests. Two scales that must not be mixed: the flat assuranceLevel knows biometric, device_only and none; the one inside
 * unifiedVerdict has a level for behaviour between the last two.
 */
import type { FraudSignal, UnifiedVerdict, Verdict, VerdictFacts } from '../../src/contract/verdict.js';
import type { DeviceEvidence } from './device-evidence.js';

export function assuranceOf(isCaptured: boolean, { deviceMeasured }: DeviceEvidence): Verdict['assuranceLevel'] {
  if (isCaptured) return 'biometric';
  return deviceMeasured ? 'device_only' : 'none';
}

export function unify(
  isCaptured: boolean,
  { deviceMeasured, humanlike }: DeviceEvidence,
  failed: boolean,
  borderline: readonly FraudSignal[],
): UnifiedVerdict {
  return { verdict: decide(failed, borderline), assuranceLevel: unifiedLevel(isCaptured, deviceMeasured, humanlike) };
}

function unifiedLevel(
  isCaptured: boolean,
  deviceMeasured: boolean,
  humanlike: boolean,
): UnifiedVerdict['assuranceLevel'] {
  if (isCaptured) return 'biometric';
  if (!deviceMeasured) return 'none';
  return humanlike ? 'behavioral' : 'device_only';
}

function decide(failed: boolean, borderline: readonly FraudSignal[]): UnifiedVerdict['verdict'] {
  if (failed) return 'block';
  return borderline.length > 0 ? 'review' : 'allow';
}

/** Declining is a decision and completes; a camera that should have been and was not is a matter of technique. */
export function outcomeOf(
  { widgetMode, escalateOnSuspicion }: VerdictFacts,
  isCaptured: boolean,
  declined: boolean,
  cameraFailureReason: string | null,
): Verdict['verificationOutcome'] {
  if (declined) return 'declined_by_user';
  if (isCaptured) return 'completed';
  const wanted =
    widgetMode === 'standard' || (cameraFailureReason !== null && (widgetMode === 'captcha' || escalateOnSuspicion));
  return wanted ? 'unverified_technical' : 'completed';
}
