/** From scores and signals to pass, fail or review. Every gate is checked, so that all failures are listed. A null score has no gate. */
import { failureReasons, type FailureCode } from '../../src/contract/failure-reasons.js';
import {
  failureCategories,
  type FailureCategory,
  type FraudSignal,
  type Verdict,
  type VerdictFacts,
  type VerdictScores,
} from '../../src/contract/verdict.js';
import type { PictureDoubt } from './pictures.js';
import type { DeviceEvidence } from './device-evidence.js';
import { verdictTables } from './tables.js';
import type { Uniqueness } from './uniqueness.js';

export interface Case {
  readonly facts: VerdictFacts;
  readonly scores: VerdictScores;
  /** Confidence that no screen was before the camera; null where not measured. */
  readonly screenless: number | null;
  readonly isCaptured: boolean;
  /** Too few frames came to show anything. */
  readonly isSparse: boolean;
  readonly repeats: Uniqueness['repeats'];
  /** Evidence in the pictures of the capture against it. */
  readonly pictureDoubt: PictureDoubt | null;
  /** Why the camera gave nothing, as far as it is known; and whether the respondent declined it. */
  readonly cameraFailureReason: string | null;
  readonly declined: boolean;
  readonly device: DeviceEvidence;
  readonly fraudSignals: readonly FraudSignal[];
  /** Types of those that this capture and session raised, not its device. */
  readonly ownTypes: ReadonlySet<string>;
}

/** A failure, as a code and in words for people. */
export interface Reason {
  readonly code: string;
  readonly reason: string;
}

export interface Failure extends Reason {
  readonly category: FailureCategory;
}

const pictureFailures: Readonly<Record<Exclude<PictureDoubt, 'unneeded'>, readonly [FailureCategory, FailureCode]>> = {
  missing: ['authenticity', 'pictures_missing'],
  other_face: ['authenticity', 'pictures_other_face'],
  other_movement: ['liveness', 'pictures_other_movement'],
};

export const reasonOfSignal = ({ type, description }: FraudSignal): Reason => ({ code: type, reason: description });

/** Each once, in their order. */
export function listReasons(reasons: readonly Reason[]): Pick<Verdict, 'failureReasons' | 'failureCodes'> {
  const listed = [...new Map(reasons.map((each) => [each.code, each])).values()];
  return { failureReasons: listed.map(({ reason }) => reason), failureCodes: listed.map(({ code }) => code) };
}

/** All failures, the gravest category first; empty where every gate is passed. */
export function findFailures(each: Case): readonly Failure[] {
  const { scores, facts } = each;
  const failures: Failure[] = [];
  const fail = (category: FailureCategory, code: FailureCode): void =>
    void failures.push({ category, code, reason: failureReasons[code] });
  const below = (score: number | null, threshold: number): boolean => score !== null && score < threshold;
  if (each.repeats === 'respondent' || below(scores.uniqueness, facts.thresholds.uniqueness))
    fail('duplicate', 'already_took_part');
  if (each.repeats === 'device') fail('duplicate', 'device_took_part');
  if (below(scores.liveness, facts.thresholds.liveness))
    fail('liveness', each.isSparse ? 'too_few_frames' : 'liveness_low');
  if (facts.minimumAssurance === 'biometric' && !each.isCaptured) fail('liveness', 'camera_check_needed');
  if (isCaptureOwed(each)) fail('liveness', 'capture_missing');
  if (each.isCaptured) {
    if (below(scores.authenticity, facts.thresholds.authenticity)) fail('authenticity', 'camera_doubtful');
    if (below(each.screenless, facts.thresholds.screenDetection)) fail('authenticity', 'screen_shown');
    if (each.pictureDoubt !== null && each.pictureDoubt !== 'unneeded') fail(...pictureFailures[each.pictureDoubt]);
  }
  for (const signal of each.fraudSignals)
    if (isGrave(signal)) failures.push({ category: 'fraud_signal', ...reasonOfSignal(signal) });
  if (!each.isCaptured) {
    if (below(scores.authenticity, facts.thresholds.authenticity)) fail('fingerprint', 'device_doubtful');
    if (isUseOwed(each)) fail('fingerprint', 'use_missing');
  }
  if (failures.length === 0 && scores.overall < facts.thresholds.overall)
    fail(each.isCaptured ? 'liveness' : 'fingerprint', 'evidence_weak');
  // Nobody passes because nobody looked.
  if (each.pictureDoubt === 'unneeded' && failures.length === 0 && findBorderline(each).length === 0)
    fail(...pictureFailures.missing);
  return failures.sort((a, b) => failureCategories.indexOf(a.category) - failureCategories.indexOf(b.category));
}

/** The full camera flow ends with a capture, or says what kept it from one. */
function isCaptureOwed({ facts, isCaptured, declined, cameraFailureReason }: Case): boolean {
  return facts.widgetMode === 'standard' && !isCaptured && !declined && cameraFailureReason === null;
}

/** If there is a button to press, its press must have been seen. */
function isUseOwed({ facts, device }: Case): boolean {
  return facts.widgetMode !== 'invisible' && !device.behaved;
}

/** High severity and sure enough: fails by itself. */
export function isGrave({ severity, confidence }: FraudSignal): boolean {
  return severity === 'high' && confidence >= verdictTables.fraud.failConfidence;
}

/** The signals that leave a session between pass and fail. Findings of the device weigh together, as device_suspicious, never one by one. */
export function findBorderline({ fraudSignals, ownTypes }: Case): readonly FraudSignal[] {
  return fraudSignals.filter(
    (signal) =>
      ownTypes.has(signal.type) &&
      signal.severity !== 'low' &&
      !isGrave(signal) &&
      signal.confidence >=
        (signal.type === 'device_suspicious'
          ? verdictTables.fraud.deviceBorderline
          : verdictTables.fraud.borderlineConfidence),
  );
}
