/**
 * The public types of `verifyhuman/node`. They stand here in full, because the package's declarations may need no other package; the tests hold
 * them against the service's contract. Fields that only newer services send are optional.
 */
import type { VerifyHumanError } from './errors.js';
import type { EventsSummary } from './events-summary.js';
import type { Reports } from './reports.js';

export type { EventsSummary, Issue } from './events-summary.js';

export type Recommendation = 'allow' | 'review' | 'block' | 'step_up';
export type DuplicateBand = 'none' | 'possible' | 'likely' | 'confirmed';
export type VerdictClass = 'human' | 'fraud' | 'verified_agent' | 'unknown';
export type Severity = 'info' | 'low' | 'medium' | 'high';
type Axis = 'network' | 'device' | 'velocity' | 'duplicate' | 'behavior' | 'history';

export interface RespondentStats {
  readonly attempts: number;
  /** At most `attempts`. */
  readonly completes: number;
  /** Share of completes reversed afterwards, 0 to 1. */
  readonly reconciliationRate?: number | null;
}

export interface WebBotAuth {
  readonly method: string;
  readonly targetUri: string;
  readonly headers: {
    readonly signature: string;
    readonly 'signature-input': string;
    readonly 'signature-agent'?: string | null;
  };
}

/** The facts by which a session is scored. */
export interface ScoreRequest {
  /** Byte for byte the `data-session-id` of the page's probe. */
  readonly sessionId: string;
  /** The respondent's own address, not your proxy's. */
  readonly clientIp: string;
  readonly userAgent?: string | null;
  /** Supplier and sub-supplier; stable across sessions. */
  readonly sourceId?: string | null;
  readonly subSourceId?: string | null;
  /** Scope of duplicates and rates; without it `sourceId` is. */
  readonly studyId?: string | null;
  /** ISO 3166-1 alpha-2. */
  readonly declaredCountry?: string | null;
  /** `hashIdentity` of your stable id of the person. */
  readonly respondentId?: string | null;
  /** `hashIdentity` of `ipPrefix`; of all sessions or of none. */
  readonly ipPrefixHash?: string | null;
  /** `hashIdentity` of a random id that you store on the device. */
  readonly deviceHash?: string | null;
  readonly respondentStats?: RespondentStats | null;
  readonly webBotAuth?: WebBotAuth | null;
}

export interface Finding {
  readonly code: string;
  readonly class: 'bound' | 'record' | 'correlate' | 'exculpatory' | 'diagnostic';
  readonly axis: Axis;
  readonly severity: Severity;
  /** none: noted, not needed for the score. */
  readonly strength: 'none' | 'weak' | 'moderate' | 'strong';
  readonly detail: string;
}

export interface Reason {
  readonly code: string;
  readonly severity: Severity;
  readonly detail: string;
  readonly scored: boolean;
}

/** The service's answer to a score. Counts that are null were not measured. */
export interface ScoreReply {
  /** Risk, 0 to 100, without duplication. */
  readonly score: number;
  readonly duplicateScore: number;
  readonly duplicate: {
    readonly score: number;
    readonly band: DuplicateBand;
    /** false: score and band mean nothing. */
    readonly measured: boolean;
    readonly reasons: readonly Reason[];
    readonly evidence: {
      readonly deviceSessionsDay: number | null;
      readonly deviceRespondentsDay: number | null;
      readonly respondentDay: number | null;
      readonly respondentDevicesWeek: number | null;
    };
  };
  readonly independence: {
    readonly score: number;
    readonly band: 'independent' | 'shared' | 'concentrated';
    /** false: too few sessions to judge; score and band mean nothing yet. */
    readonly measured: boolean;
    readonly grade: 'direct' | 'linked' | null;
    readonly factors: readonly string[];
  };
  readonly declaredCountryMatch: boolean | null;
  readonly recommendation: Recommendation;
  readonly verdictClass: VerdictClass;
  readonly categories: Readonly<Record<Axis, number>>;
  readonly reasons: readonly Reason[];
  readonly evidence: {
    readonly summary: string;
    readonly against: readonly Finding[];
    readonly for: readonly Finding[];
    readonly notes: readonly Finding[];
  };
  /** Signals that could not be measured, for example `client_probe_missing`. */
  readonly degradedSignals: readonly string[];
  readonly grlCompat: { readonly forensicMaxScore: number; readonly categories: Readonly<Record<string, number>> };
  readonly assuranceAvailable: string;
  readonly stepUpIntensity: 'none' | 'light' | 'heavy';
  readonly ceilings?: readonly string[];
  readonly sessionId: string;
  readonly receiptId: string;
  readonly replayed?: boolean;
  readonly supersedes?: string | null;
}

export type OutcomeType =
  | 'herring_result'
  | 'dq'
  | 'speeder'
  | 'buyer_reject'
  | 'reconciliation'
  | 'ban'
  | 'quality_term'
  | 'complete'
  | 'custom';

/** The outcome of a session. */
export interface OutcomeEvent {
  readonly sessionId: string;
  readonly type: OutcomeType;
  /** ISO 8601: when it happened, not when it is sent. */
  readonly occurredAt: string;
  /** Only fraud raises risk. Absent means unknown, which is neutral, but of a ban. */
  readonly reasonClass?: 'fraud' | 'fit' | 'quality' | 'unknown';
  /** An id of yours: the same one again replaces what it said. */
  readonly eventId?: string;
  /** Needed with an organization key. */
  readonly projectId?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** One field at fault; `path` is a JSON pointer. */
/** An earlier participation of the same person. */
export interface TokenMatch {
  readonly fingerprintId: string;
  /** 0-1; 1 where an identity and not a face matched. */
  readonly similarity: number;
  readonly sessionId?: string;
  readonly respondentId?: string;
}

export interface TokenReply {
  readonly success: boolean;
  readonly sessionId?: string;
  readonly status?: 'pass' | 'fail' | 'review';
  /** score_blocked: a fence of score mode stopped the session, whatever its status. */
  readonly dispatch?: 'pass' | 'fail' | 'scored' | 'score_blocked';
  readonly mode?: 'live' | 'test' | 'demo';
  readonly assuranceLevel?: 'biometric' | 'device_only' | 'none';
  readonly verificationOutcome?: 'completed' | 'unverified_technical' | 'declined_by_user';
  /** claimed: what the page measured. seen: the service judged pictures by itself. */
  readonly biometricEvidence?: 'claimed' | 'seen' | null;
  readonly widgetMode?: 'invisible' | 'captcha' | 'standard';
  /** liveness and uniqueness may be null: not measured. */
  readonly scores?: {
    readonly liveness: number | null;
    readonly uniqueness: number | null;
    readonly authenticity: number;
    readonly overall: number;
    /** Present if the project shows risk. */
    readonly riskOverall?: number;
  };
  /** Why the session did not pass, in sentences; for your own people. */
  readonly failureReasons?: readonly string[];
  readonly failureCategory?: 'duplicate' | 'liveness' | 'authenticity' | 'fraud_signal' | 'fingerprint' | null;
  readonly fraudSignals?: readonly {
    readonly type: string;
    readonly severity: 'low' | 'medium' | 'high';
    readonly category: 'obvious' | 'sophisticated';
    readonly confidence: number;
    readonly description: string;
  }[];
  readonly isDuplicate?: boolean;
  /** Whose participation it repeats. */
  readonly duplicateMatch?: TokenMatch | null;
  /** An earlier participation that no longer counts. */
  readonly priorParticipation?: (TokenMatch & { /** Unix seconds. */ readonly lastSeenAt: number }) | null;
  readonly studyId?: string;
  readonly respondentId?: string;
  readonly dataCollector?: string;
  /** Receipt that the session stepped up. */
  readonly stepUpFor?: string;
  /** Unix seconds. */
  readonly issuedAt?: number;
  readonly expiresAt?: number;
  /** Present if success is false. */
  readonly error?:
    | 'EXPIRED'
    | 'INVALID'
    | 'WRONG_AUDIENCE'
    | 'WRONG_PROJECT'
    | 'MALFORMED'
    | 'EXPECTATION_FAILED'
    | 'ALREADY_USED'
    | 'SESSION_ERASED';
  /** With INVALID: the token is of another mode than the key, or than was asked for. */
  readonly hint?: 'mode';
  /** The failed requirement of EXPECTATION_FAILED; use for ALREADY_USED and SESSION_ERASED. */
  readonly field?: 'studyId' | 'respondentId' | 'dataCollector' | 'minimumAssurance' | 'stepUpFor' | 'use';
}

/** Requirements of a token. None may be undefined: it would be checked against nothing. */
export interface TokenRequirements {
  /** The least evidence; biometric: a judged camera capture. */
  readonly assurance?: 'device_only' | 'biometric';
  readonly studyId?: string;
  readonly respondentId?: string;
  readonly dataCollector?: string;
  /** Receipt of the step-up. Without it, `use` of its token is EXPECTATION_FAILED. */
  readonly stepUpFor?: string;
}

/** Expectations of a token. */
export interface TokenExpectations {
  readonly require?: TokenRequirements;
  /** Your id of what the pass is spent on: the first of a session stands, any other is ALREADY_USED. */
  readonly use?: string;
}

export interface TokenToVerify extends TokenExpectations {
  readonly token: string | null;
}

export interface VerifyTokensOptions extends CallOptions {
  /** The mode of the sessions. Default live; others are INVALID unless they are requested, with a key of that mode. */
  readonly mode?: 'live' | 'test' | 'demo';
}

export interface VerifyTokenOptions extends VerifyTokensOptions, TokenExpectations {}

export interface DecideOptions {
  /** recommended: risk from 50 on with a duplicate that is likely or confirmed blocks. tighter: from 60 on. Default recommended. */
  readonly rule?: 'recommended' | 'tighter';
}

/** A decision that rests on a score. */
export interface ScoredDecision {
  readonly degraded: false;
  readonly action: Recommendation;
  /** risk_and_duplicate: the rule blocked what the recommendation alone would not have. */
  readonly because: 'recommendation' | 'risk_and_duplicate';
  /** null: not measured. */
  readonly duplicateBand: DuplicateBand | null;
  /** true: duplication was not measured; look at this session again at the end of the day. */
  readonly sweep: boolean;
  readonly score: ScoreReply;
}

/** A decision made without the service, which could not be reached. There is no score. */
export interface DegradedDecision {
  readonly degraded: true;
  readonly action: 'allow';
  readonly because: 'unavailable';
  readonly duplicateBand: null;
  readonly sweep: true;
  readonly score: null;
  readonly error: VerifyHumanError;
}

export type Decision = ScoredDecision | DegradedDecision;
export type FailMode = 'open' | 'closed';

export interface ClientOptions {
  /**
   * A secret key (`vf_...`). It belongs to backends: in a browser the client refuses to be made. Scores need the key of a project; outcomes and
   * reports also take that of an organization.
   */
  readonly apiKey: string;
  /** The API's root, which ends in `/api/v1`. */
  readonly baseUrl: string;
  /** Decides the result of `decide` if the service cannot be reached. open: a DegradedDecision that allows. closed (default): it throws. */
  readonly failMode?: FailMode;
  /** How long a call may take in all, retries included, milliseconds. Default 3,000; `events` has 60,000 for each request. */
  readonly deadlineMs?: number;
  /** How long one try may take, milliseconds. Default 1,500; `events` has 20,000. */
  readonly attemptMs?: number;
  /** How often a call is tried again after 429, 503, a broken network or a try that took too long. Default 3. */
  readonly retriesMax?: number;
}

export interface CallOptions {
  /** In place of the client's, milliseconds. */
  readonly deadlineMs?: number;
  /** Calls it off: the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface ScoreOptions extends CallOptions {
  /** 1 to 128 characters; by default each call has a random one of its own, which its retries share. */
  readonly idempotencyKey?: string;
}

export type DecideCallOptions = ScoreOptions & DecideOptions & { readonly failMode?: FailMode };

export interface EventsOptions extends CallOptions {
  /** Requests under way at once, 1 to 16. Default 4. */
  readonly concurrency?: number;
}

export interface Client {
  /** Scores a session. Throws a VerifyHumanError, also when the service cannot be reached, for an unknown field, and with an organization key. */
  score(request: ScoreRequest, options?: ScoreOptions): Promise<ScoreReply>;
  /** Scores and decides. A service that cannot be reached ends as `failMode` says; a refusal (a bad request or key) always throws. */
  decide(request: ScoreRequest, options?: DecideCallOptions): Promise<Decision>;
  /** Posts outcomes, 1,000 in a request. If a request fails for good it throws, with the sum so far in `posted`; post all again: nothing counts twice. */
  events(events: Iterable<OutcomeEvent> | AsyncIterable<OutcomeEvent>, options?: EventsOptions): Promise<EventsSummary>;
  /** Validates a verificationToken or vh_token. A token that is not good is an answer (`success: false`), not an error. Let `isPass` read it. */
  verifyToken(token: string | null, options?: VerifyTokenOptions): Promise<TokenReply>;
  /** Validates any number of tokens; the answers are in their order. */
  verifyTokens(
    tokens: readonly (string | null | TokenToVerify)[],
    options?: VerifyTokensOptions,
  ): Promise<readonly TokenReply[]>;
  /** Reports on scores and their outcomes, for dashboards and jobs. */
  readonly reports: Reports;
}
