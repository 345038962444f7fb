/** Makes the verdict of a verification session. Pure. Never throws on facts that the contract allows, however hostile the envelope. */
import { judgeCameraUse } from '../../src/contract/envelope.js';
import type {
  FraudSignal,
  UnifiedVerdict,
  Verdict,
  VerdictDispatch,
  VerdictFacts,
  VerdictOutcome,
  VerdictScores,
} from '../../src/contract/verdict.js';
import { isSparse, readCapture, type Capture } from './capture.js';
import { weighDeviceEvidence, type DeviceEvidence } from './device-evidence.js';
import {
  findBorderline,
  findFailures,
  isGrave,
  listReasons,
  reasonOfSignal,
  type Case,
  type Failure,
} from './gates.js';
import { verdictModelVersion } from './model-version.js';
import { viewForPage } from './page-view.js';
import { assessRisk, showRisk } from './risk.js';
import { scoreAuthenticity, scoreFraud, scoreLiveness, scoreOverall, scoreQuality } from './scores.js';
import { findSignals, describeRaised } from './signals.js';
import { verdictTables } from './tables.js';
import { judgeUniqueness } from './uniqueness.js';
import type { ScoreModeConfig } from '../../src/contract/project-parts.js';

export function judgeSession(facts: VerdictFacts): VerdictOutcome {
  const { envelope } = facts;
  const { use, capture, device, raised, unique, scores } = measure(facts);
  const isCaptured = capture !== null;
  const fraudSignals = [...raised.map(describeRaised), ...device.signals];
  // Frames came and none showed a face: that much was seen here.
  const faceless = use === 'usable' && envelope.frames != null && !isCaptured;
  const cameraFailureReason = envelope.cameraFailureReason ?? (faceless ? 'no_face_capture' : null);
  const each: Case = {
    facts,
    scores,
    screenless: capture?.screen == null ? null : 1 - capture.screen,
    isCaptured,
    isSparse: capture !== null && isSparse(capture),
    repeats: unique.repeats,
    pictureDoubt: capture?.pictureDoubt ?? null,
    cameraFailureReason,
    declined: envelope.consent?.biometric === false,
    device,
    fraudSignals,
    ownTypes: new Set(raised.map(({ type }) => type)),
  };
  const failures = findFailures(each);
  const borderline = findBorderline(each);
  const decided = decide(facts.verificationMode, failures, borderline);
  const risk = assessRisk(facts, scores.overall, capture, device, raised);
  const verdict: Verdict = {
    modelVersion: verdictModelVersion,
    ...decided,
    scores,
    fraudSignals,
    risk,
    isDuplicate: decided.failureCategory === 'duplicate' || unique.prior !== null,
    lowQuality: scores.quality < verdictTables.quality.low,
    highFraudRisk: isCaptured && fraudSignals.some(isGrave),
    duplicateMatch: decided.failureCategory === 'duplicate' ? unique.match : null,
    priorParticipation: unique.prior,
    duplication: unique.duplication,
    demographics: isCaptured ? (envelope.demographics ?? null) : null,
    glassesDetected: isCaptured ? (envelope.glassesDetected ?? null) : null,
    assuranceLevel: assuranceOf(isCaptured, device),
    verificationOutcome: each.isSparse
      ? 'unverified_technical'
      : outcomeOf(facts, isCaptured, each.declined, cameraFailureReason),
    biometricEvidence: evidenceOf(facts, capture),
    unifiedVerdict: unify(isCaptured, device, failures.length > 0, borderline),
    cameraFailureReason,
    summary: summarize(decided, isCaptured),
  };
  const dispatch = dispatchVerdict(verdict, isCaptured, facts);
  const shown = showRisk(facts, risk, unique.duplication);
  const page = viewForPage({
    ...{ verdict, shown, failures, borderline, reason: dispatch.reason },
    isRepeat: unique.repeats !== null,
    isReturning: facts.uniqueness.identity?.returning != null,
    isOpen: facts.riskAggregator === 'on',
    summarize: (failureReasons) => summarize({ ...decided, failureReasons: [...failureReasons] }, isCaptured),
  });
  return { verdict, dispatch, shown, page };
}

/** The session's measurements, before any decision. */
function measure(facts: VerdictFacts) {
  const use = judgeCameraUse(facts.envelope, facts);
  const capture = use === 'usable' ? onlyWithFace(readCapture(facts)) : null;
  const device = weighDeviceEvidence(facts, capture !== null);
  const raised = findSignals(facts, capture, device);
  const unique = judgeUniqueness(facts.uniqueness, capture !== null);
  const parts = {
    liveness: capture === null ? null : scoreLiveness(capture, raised),
    uniqueness: unique.score,
    authenticity: scoreAuthenticity(facts, capture, device, raised),
  };
  const scores: VerdictScores = {
    ...parts,
    overall: scoreOverall(parts),
    quality: scoreQuality(facts, capture, device),
    fraud: scoreFraud(raised, device.suspicion),
  };
  return { use, capture, device, raised, unique, scores };
}

/** Pictures that agree make a face seen; that they were asked for and do not fails the session. */
function evidenceOf({ pictures }: VerdictFacts, capture: Capture | null): Verdict['biometricEvidence'] {
  if (capture === null) return null;
  return pictures !== null && capture.pictureDoubt === null ? 'seen' : 'claimed';
}

function onlyWithFace(capture: Capture | null): Capture | null {
  return capture !== null && capture.usableFrames > 0 ? capture : null;
}

type Decided = Pick<Verdict, 'status' | 'failureReasons' | 'failureCodes' | 'failureCategory'>;

/** In block mode what is borderline fails; in score mode it is for review. */
function decide(
  verificationMode: VerdictFacts['verificationMode'],
  failures: readonly Failure[],
  borderline: readonly FraudSignal[],
): Decided {
  const [gravest] = failures;
  const reasons = listReasons([...failures, ...borderline.map(reasonOfSignal)]);
  if (gravest !== undefined) return { status: 'fail', ...reasons, failureCategory: gravest.category };
  if (borderline.length === 0) return { status: 'pass', ...reasons, failureCategory: null };
  const status = verificationMode === 'score' ? 'review' : 'fail';
  return { status, ...reasons, failureCategory: 'fraud_signal' };
}

function summarize(
  { status, failureReasons }: Pick<Decided, 'status' | 'failureReasons'>,
  isCaptured: boolean,
): string {
  const basis = isCaptured ? 'camera and device' : 'device and behavior only';
  if (status === 'pass') return `Passed on ${basis}.`;
  return `${status === 'fail' ? 'Failed' : 'For review'} on ${basis}: ${failureReasons[0] ?? ''}`;
}

function assuranceOf(isCaptured: boolean, { deviceMeasured }: DeviceEvidence): Verdict['assuranceLevel'] {
  if (isCaptured) return 'biometric';
  return deviceMeasured ? 'device_only' : 'none';
}

function unify(
  isCaptured: boolean,
  { deviceMeasured, humanlike }: DeviceEvidence,
  failed: boolean,
  borderline: readonly FraudSignal[],
): UnifiedVerdict {
  return {
    verdict: unifiedOf(failed, borderline),
    assuranceLevel: unifiedLevel(isCaptured, deviceMeasured, humanlike),
  };
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

function unifiedOf(failed: boolean, borderline: readonly FraudSignal[]): UnifiedVerdict['verdict'] {
  if (failed) return 'block';
  return borderline.length > 0 ? 'review' : 'allow';
}

/** Declining is a decision and completes; a camera that should have been and was not is a matter of technique. */
function outcomeOf(
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

type Dispatched = Pick<Verdict, 'status' | 'scores' | 'risk' | 'fraudSignals' | 'unifiedVerdict'> &
  Omit<Decided, 'status'>;

function dispatchVerdict(
  verdict: Dispatched,
  isCaptured: boolean,
  { verificationMode, fences }: Pick<VerdictFacts, 'verificationMode' | 'fences'>,
): VerdictDispatch {
  const { failureCategory } = verdict;
  const { verdict: decision } = verdict.unifiedVerdict;
  if (verificationMode === 'block') {
    const status = verdict.status === 'pass' ? 'pass' : 'fail';
    const reason = verdict.failureReasons[0] ?? null;
    return { status, decision: status === 'fail' ? 'block' : decision, reason, failureCategory };
  }
  const fence = findFence(verdict, fences);
  if (fence === null) return { status: 'scored', decision, reason: null, failureCategory };
  const [reason, category] = fence;
  const own = category ?? (isCaptured ? 'liveness' : 'fingerprint');
  return { status: 'score_blocked', decision: 'block', reason, failureCategory: failureCategory ?? own };
}

/** The fence, and the category of what it holds off; null where the evidence as a whole was too weak. */
function findFence(
  { risk, scores, fraudSignals }: Pick<Verdict, 'scores' | 'risk' | 'fraudSignals'>,
  { blockAboveRisk, blockBelowUniqueness, blockOnFraudSignals, minEvidenceQuality }: ScoreModeConfig,
): readonly [reason: string, category: Verdict['failureCategory']] | null {
  if (blockAboveRisk !== undefined && risk.overall >= blockAboveRisk) return ['blockAboveRisk', null];
  if (blockBelowUniqueness !== undefined && scores.uniqueness !== null && scores.uniqueness <= blockBelowUniqueness)
    return ['blockBelowUniqueness', 'duplicate'];
  const signal = fraudSignals.find(({ type }) => blockOnFraudSignals?.includes(type));
  if (signal !== undefined) return [`blockOnFraudSignals: ${signal.type}`, 'fraud_signal'];
  return minEvidenceQuality !== undefined && scores.quality < minEvidenceQuality ? ['minEvidenceQuality', null] : null;
}
