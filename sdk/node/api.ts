/** The public types of `verifyhuman/node`; what the service takes and answers is in ../contract.ts. */
import type { OutcomeEvent, ScoreReply, ScoreRequest, TokenReply } from '../contract.js';
import type { VerifyHumanError } from './errors.js';
import type { EventsSummary } from './events-summary.js';
import type { Reports } from './reports.js';

export type { OutcomeEvent, ScoreReply, ScoreRequest, TokenReply };
export type { EventsSummary, Issue } from './events-summary.js';

export type Recommendation = ScoreReply['recommendation'];
export type DuplicateBand = ScoreReply['duplicate']['band'];
export type VerdictClass = ScoreReply['verdictClass'];
export type Reason = ScoreReply['reasons'][number];
export type Finding = ScoreReply['evidence']['against'][number];
export type Severity = Finding['severity'];
export type RespondentStats = NonNullable<ScoreRequest['respondentStats']>;
export type WebBotAuth = NonNullable<ScoreRequest['webBotAuth']>;
export type OutcomeType = OutcomeEvent['type'];
export type TokenMatch = NonNullable<TokenReply['duplicateMatch']>;

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
