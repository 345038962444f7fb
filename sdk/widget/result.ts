/**
 * Results of mounts: the service's reply as a result or an error, and the result of a mount that the service could not judge. Optional
 * fields that the service gave as null stay away.
 */
import type { ScoreEnvelope, VerifyReply } from '../../src/contract/score-envelope.js';
import type {
  DegradedMode,
  DegradedReason,
  ScoreDispatch,
  VerifyErrorContext,
  VHDeepfake,
  VHMountResult,
} from './api.js';
import { VerifyError } from './errors.js';
import { passiveGate, type Estimate } from './estimate.js';
import type { Reply, Trouble } from './http.js';

/** The page's own facts about a mount. */
export interface LocalFacts {
  readonly estimate: Estimate;
  readonly livenessScore: number;
  readonly challengesPassed: number;
  readonly challengesTotal: number;
  readonly deepfake: VHDeepfake | null;
  readonly deviceId: string;
  readonly locale: string;
  readonly timestamp: number;
}

type LocalPart = Pick<
  VHMountResult,
  | 'livenessScore'
  | 'confidence'
  | 'challengesPassed'
  | 'challengesTotal'
  | 'step'
  | 'deviceId'
  | 'locale'
  | 'timestamp'
  | 'behavioralSignals'
  | 'deepfake'
>;

function localPart({ estimate, deepfake, ...facts }: LocalFacts): LocalPart {
  return {
    ...facts,
    confidence: estimate.confidence,
    behavioralSignals: estimate.signals,
    step: facts.challengesTotal > 0 ? 2 : 1,
    ...(deepfake === null ? {} : { deepfake }),
  };
}

const shownNames = [
  'demographics',
  'glassesDetected',
  'isDuplicate',
  'lowQuality',
  'highFraudRisk',
  'cameraFailureReason',
  'duplicateMatch',
  'priorParticipation',
  'assuranceLevel',
  'verificationOutcome',
  'biometricEvidence',
  'unifiedVerdict',
] as const satisfies readonly (keyof VerifyReply)[];

/** The result of a judged session. An older service leaves fields out. */
export function resultOf(reply: VerifyReply, local: LocalFacts): VHMountResult {
  const shown = shownNames.map((name) => [name, reply[name]] as const).filter(([, value]) => value != null);
  return {
    status: reply.status === 'pass' ? 'pass' : 'fail',
    success: reply.status === 'pass',
    sessionId: reply.sessionId,
    token: reply.verificationToken,
    scores: reply.scores,
    failureReasons: reply.failureReasons,
    failureCodes: reply.failureCodes ?? [],
    fraudSignals: reply.fraudSignals ?? [],
    risk: reply.risk ?? null,
    ...localPart(local),
    ...(Object.fromEntries(shown) as Partial<VHMountResult>),
  };
}

/** Codes of verdicts by the category that the service names; `fingerprint` is the device's. A newer service may name others. */
const verdictCodes: { readonly [category: string]: keyof typeof verdictMessages } = {
  duplicate: 'DUPLICATE_DETECTED',
  liveness: 'LIVENESS_FAILED',
  authenticity: 'AUTHENTICITY_FAILED',
  fraud_signal: 'FRAUD_SIGNAL',
  fingerprint: 'FRAUD_SIGNAL',
};

const verdictMessages = {
  DUPLICATE_DETECTED: 'This person has already taken part.',
  LIVENESS_FAILED: 'A live person could not be confirmed.',
  AUTHENTICITY_FAILED: 'The capture does not seem to come from a real camera or device.',
  FRAUD_SIGNAL: 'A fraud signal was found.',
} as const;

/** The error of a verdict that did not pass. `isLastTry`: no retry is left. */
export function verdictError(reply: VerifyReply, isLastTry: boolean): VerifyError {
  const category = reply.failureCategory;
  const code = verdictCodes[category ?? ''] ?? 'LIVENESS_FAILED';
  const { scores, failureReasons, fraudSignals, sessionId, duplicateMatch } = reply;
  const context: VerifyErrorContext = {
    scores,
    failureReasons,
    failureCodes: reply.failureCodes ?? [],
    fraudSignals: fraudSignals ?? [],
    risk: reply.risk ?? null,
    sessionId,
    token: reply.verificationToken,
    ...(duplicateMatch == null ? {} : { duplicateMatch }),
    ...(category == null ? {} : { serverCode: category }),
  };
  const message = [...new Set([verdictMessages[code], ...failureReasons.slice(0, 1)])].join(' ');
  return new VerifyError(code, message, { context, recoverable: !isLastTry && code !== 'DUPLICATE_DETECTED' });
}

/** Refusals that another try may not meet. */
const passing: readonly unknown[] = [429, 410];

/** The error of a refusal: the service's own code and message. `isFinal`: another try meets it again. */
export function refusalError({ status, body }: Reply, sessionId?: string, isFinal = false): VerifyError {
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown };
  const serverCode = typeof code === 'string' ? code : `HTTP_${status}`;
  return new VerifyError(
    serverCode,
    typeof message === 'string' ? message : `The service returned status ${status}. Check the request.`,
    {
      context: { serverCode, ...(sessionId === undefined ? {} : { sessionId }) },
      recoverable: !isFinal && passing.includes(status) && serverCode !== 'QUOTA_EXCEEDED',
    },
  );
}

export const troubleError = ({ reason, message }: Pick<Trouble, 'reason' | 'message'>): VerifyError =>
  reason === 'timeout'
    ? new VerifyError('TIMEOUT', message)
    : new VerifyError('NETWORK_ERROR', message.startsWith('E030') ? message : `E030: ${message}`);

export const degradedModeDefault: DegradedMode = 'FAIL_OPEN_FLAGGED';

/** The result of a mount without the service, in a mode that lets the respondent continue. */
export function degradedResult(
  mode: Exclude<DegradedMode, 'FAIL_CLOSED'>,
  reason: DegradedReason,
  sessionId: string | null,
  local: LocalFacts,
): VHMountResult {
  const isTrusted = mode === 'FAIL_OPEN_TRUSTED';
  const { confidence } = local.estimate;
  const status = isTrusted || confidence >= passiveGate ? 'pass' : 'fail';
  return {
    status,
    success: status === 'pass',
    sessionId: sessionId ?? '',
    token: null,
    scores: { liveness: null, uniqueness: null, authenticity: confidence, overall: confidence },
    failureReasons:
      status === 'pass' ? [] : ['The browser’s own signals were too weak, and the service could not be asked.'],
    failureCodes: status === 'pass' ? [] : ['page_signals_weak'],
    fraudSignals: [],
    risk: {
      overall: null,
      device: null,
      biometric: null,
      contributions: [],
      droppedSignals: [],
      degradedSignals: ['vh_unreachable'],
    },
    ...localPart(local),
    ...(isTrusted ? {} : { degraded: true, degradedReason: reason }),
  };
}

/** The argument of `onResult`. */
export function dispatchOf({ dispatch, ...envelope }: ScoreEnvelope): ScoreDispatch {
  return { mode: 'score', ...dispatch, envelope };
}

/** A session's signed envelope in place of the answer that got lost: says less, and the same. */
export const replyOfEnvelope = ({ token, dispatch: _dispatch, ...envelope }: ScoreEnvelope): VerifyReply =>
  ({
    ...envelope,
    verificationToken: token,
    failureCategory: envelope.scores.liveness === null ? 'authenticity' : 'liveness',
  }) as unknown as VerifyReply;
