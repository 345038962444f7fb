/**
 * The part of a verdict that a page may learn. Any page may call, so it learns how its session ended and not how to tune the next one: scores in steps, no
 * ids of other sessions, subtle signals without their names. The compared face is shown only if nothing but the face decided, so that a
 * forged capture reveals nothing of it.
 */
import { failureReasons, type FailureCode } from '../../src/contract/failure-reasons.js';
import type {
  Duplication,
  DuplicateMatch,
  FraudSignal,
  PageVerdict,
  ShownRisk,
  Verdict,
  VerdictScores,
} from '../../src/contract/verdict.js';
import { listReasons, reasonOfSignal, type Failure, type Reason } from './gates.js';
import { scoreOverall } from './scores.js';
import { signalRules } from './signals.js';

const unusual: Reason = { code: 'unusual' satisfies FailureCode, reason: failureReasons.unusual };
const confidences = { low: 0.25, medium: 0.5, high: 0.75 } as const;
/** Signals about other participants. */
const backendOnly: ReadonlySet<string> = new Set<keyof typeof signalRules>([
  'device_seen',
  'respondent_seen',
  'face_seen',
  'face_reused',
]);

/** A step is a tenth. Rounded times ten, 0.3 may come out as 2.999…. */
const roundDown = (value: number): number => Math.floor(value * 10 + 1e-9) / 10;
const round = (value: number): number => Math.round(value * 10) / 10;

export interface PageViewInput {
  readonly verdict: Verdict;
  readonly shown: ShownRisk;
  readonly reason: string | null;
  readonly failures: readonly Failure[];
  readonly borderline: readonly FraudSignal[];
  /** Whether respondent or device, and not a face, make it a duplicate; and the respondent a returning participant. */
  readonly isRepeat: boolean;
  readonly isReturning: boolean;
  /** Whether the project shows risk. */
  readonly isOpen: boolean;
  readonly summarize: (reasons: readonly string[]) => string;
}

export function viewForPage(input: PageViewInput): PageVerdict {
  const { verdict, failures, borderline, isRepeat, isReturning, isOpen } = input;
  const others = failures.filter(({ category }) => category !== 'duplicate');
  const hidesFace = verdict.status !== 'pass' && (isRepeat || others.length + borderline.length > 0);
  const reported = hidesFace && !isRepeat ? others : failures;
  const failureCategory =
    verdict.failureCategory === 'duplicate' ? (reported[0]?.category ?? 'fraud_signal') : verdict.failureCategory;
  const reasons = reasonsOf(verdict.fraudSignals, [...reported, ...borderline.map(reasonOfSignal)]);
  const scores = scoresOf(verdict.scores, hidesFace, isOpen);
  const priorParticipation = hidesFace && !isReturning ? null : withoutIds(verdict.priorParticipation);
  const duplicateMatch = failureCategory === 'duplicate' ? withoutIds(verdict.duplicateMatch) : null;
  return {
    failureCategory,
    ...reasons,
    scores,
    priorParticipation,
    duplicateMatch,
    isDuplicate: (duplicateMatch ?? priorParticipation) !== null,
    fraudSignals: isOpen ? verdict.fraudSignals : signalsOf(verdict.fraudSignals),
    summary: input.summarize(reasons.failureReasons),
    reason: reasonOf(input.reason, reasons.failureReasons, hidesFace),
    shown: shownOf(input.shown, scores, hidesFace),
  };
}

function scoresOf(scores: VerdictScores, hidesFace: boolean, isOpen: boolean): VerdictScores {
  const uniqueness = scores.uniqueness === null || hidesFace ? null : round(1 - roundDown(1 - scores.uniqueness));
  const { liveness, authenticity, quality, fraud } = scores;
  const overall = scoreOverall({ liveness, uniqueness, authenticity });
  if (isOpen) return { ...scores, uniqueness, overall };
  return {
    liveness: liveness === null ? null : round(liveness),
    uniqueness,
    authenticity: round(authenticity),
    overall: round(overall),
    quality: round(quality),
    fraud: round(fraud),
  };
}

function withoutIds<M extends DuplicateMatch>(match: M | null): M | null {
  if (match === null) return null;
  const { sessionId: _sessionId, respondentId: _respondentId, ...rest } = match;
  return { ...rest, similarity: roundDown(match.similarity) } as M;
}

/** Subtle ones as one of each severity. */
function signalsOf(signals: readonly FraudSignal[]): FraudSignal[] {
  const named = signals.flatMap(({ type, severity, category, description }) => {
    if (backendOnly.has(type)) return [];
    const isObvious = category === 'obvious';
    const confidence = confidences[severity];
    return [
      {
        type: isObvious ? type : 'other',
        severity,
        category,
        description: isObvious ? description : unusual.reason,
        confidence,
      },
    ];
  });
  return [...new Map(named.map((signal) => [`${signal.type} ${signal.severity}`, signal])).values()];
}

function reasonsOf(signals: readonly FraudSignal[], reasons: readonly Reason[]) {
  const subtle = new Set(signals.filter(({ category }) => category === 'sophisticated').map(({ type }) => type));
  return listReasons(reasons.map((each) => (subtle.has(each.code) ? unusual : each)));
}

/** Names of fences stay, without the signal that stood in the way; that of uniqueness goes where the face is hidden. */
function reasonOf(reason: string | null, shown: readonly string[], hidesFace: boolean): string | null {
  const fence = /^(blockAboveRisk|blockBelowUniqueness|blockOnFraudSignals|minEvidenceQuality)\b/.exec(
    reason ?? '',
  )?.[0];
  if (fence === undefined) return reason === null ? null : (shown[0] ?? null);
  return hidesFace && fence === 'blockBelowUniqueness' ? null : fence;
}

function shownOf(
  { risk, riskOverall, duplication }: ShownRisk,
  { overall }: VerdictScores,
  hidesFace: boolean,
): ShownRisk {
  const own = 1 - overall;
  return {
    ...(risk === undefined
      ? {}
      : { risk: risk && { ...risk, overall: own, biometric: risk.biometric === null ? null : own } }),
    ...(riskOverall === undefined ? {} : { riskOverall: own }),
    ...(duplication === undefined ? {} : { duplication: duplication && duplicationOf(duplication, hidesFace) }),
  };
}

function duplicationOf({ deviceMatch, biometricMatch, matchMethod }: Duplication, hidesFace: boolean): Duplication {
  const device = deviceMatch === null ? null : roundDown(deviceMatch);
  const face = biometricMatch === null || hidesFace ? null : roundDown(biometricMatch);
  return {
    overall: (device ?? face) === null ? null : Math.max(device ?? 0, face ?? 0),
    deviceMatch: device,
    biometricMatch: face,
    matchMethod: matchMethod === 'biometric' && hidesFace ? 'none' : matchMethod,
  };
}
