/** From scores and signals to pass, fail or review. Every gate is checked, so that all failures are listed. A null score has no gate. */
import {
  failureCategories,
  type FailureCategory,
  type FraudSignal,
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
  /** What the pictures of the capture say against it. */
  readonly pictureDoubt: PictureDoubt | null;
  /** Why the camera gave nothing, as far as it is known; and whether the respondent declined it. */
  readonly cameraFailureReason: string | null;
  readonly declined: boolean;
  readonly device: DeviceEvidence;
  readonly fraudSignals: readonly FraudSignal[];
  /** Types of those that this capture and session raised, not its device. */
  readonly ownTypes: ReadonlySet<string>;
}

export interface Failure {
  readonly category: FailureCategory;
  readonly reason: string;
}

const pictureFailures: Readonly<Record<Exclude<PictureDoubt, 'unneeded'>, readonly [FailureCategory, string]>> = {
  missing: ['authenticity', 'The pictures that were asked for are missing, or could not be judged.'],
  other_face: ['authenticity', 'The pictures do not show the face that was measured.'],
  other_movement: ['liveness', 'The pictures do not show the movements that were measured.'],
};

/** All failures, the gravest category first; empty where every gate is passed. */
export function findFailures(each: Case): readonly Failure[] {
  const { scores, facts } = each;
  const failures: Failure[] = [];
  const fail = (category: FailureCategory, reason: string): void => void failures.push({ category, reason });
  const below = (score: number | null, threshold: number): boolean => score !== null && score < threshold;
  if (each.repeats === 'respondent' || below(scores.uniqueness, facts.thresholds.uniqueness))
    fail('duplicate', 'This person has already taken part.');
  if (each.repeats === 'device') fail('duplicate', 'Somebody has already taken part on this device.');
  if (below(scores.liveness, facts.thresholds.liveness))
    fail(
      'liveness',
      each.isSparse
        ? 'Too few frames came from the camera. Try again on a faster device, or with fewer programs open.'
        : 'A live person could not be made out with enough certainty.',
    );
  if (facts.minimumAssurance === 'biometric' && !each.isCaptured)
    fail('liveness', 'This study needs a camera check, and none was completed.');
  if (isCaptureOwed(each)) fail('liveness', 'No camera capture came, and no reason why.');
  if (each.isCaptured) {
    if (below(scores.authenticity, facts.thresholds.authenticity))
      fail('authenticity', 'The capture did not look as if it came from a real camera.');
    if (below(each.screenless, facts.thresholds.screenDetection))
      fail('authenticity', 'A screen or a picture seems to have been held before the camera.');
    if (each.pictureDoubt !== null && each.pictureDoubt !== 'unneeded') fail(...pictureFailures[each.pictureDoubt]);
  }
  for (const signal of each.fraudSignals) if (isGrave(signal)) fail('fraud_signal', signal.description);
  if (!each.isCaptured) {
    if (below(scores.authenticity, facts.thresholds.authenticity))
      fail('fingerprint', 'The device and its use could not be distinguished from a program’s.');
    if (isUseOwed(each)) fail('fingerprint', 'Nobody was seen using the page.');
  }
  if (failures.length === 0 && scores.overall < facts.thresholds.overall)
    fail(each.isCaptured ? 'liveness' : 'fingerprint', 'The evidence as a whole was too weak.');
  // Nobody passes because nobody looked.
  if (each.pictureDoubt === 'unneeded' && failures.length === 0 && findBorderline(each).length === 0)
    fail(...pictureFailures.missing);
  return failures.sort((a, b) => failureCategories.indexOf(a.category) - failureCategories.indexOf(b.category));
}

/** The full camera flow ends with a capture, or says what kept it from one. */
function isCaptureOwed({ facts, isCaptured, declined, cameraFailureReason }: Case): boolean {
  return facts.widgetMode === 'standard' && !isCaptured && !declined && cameraFailureReason === null;
}

/** Where there is a button to press, its press was seen. */
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
