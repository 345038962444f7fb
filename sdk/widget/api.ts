/** The public types of the browser SDK. What the service answers follows from its contract. */
import type { ScoreEnvelope, VerifyReply } from '../contract.js';

export type WidgetMode = 'invisible' | 'captcha' | 'standard';
export type DegradedMode = 'FAIL_CLOSED' | 'FAIL_OPEN_FLAGGED' | 'FAIL_OPEN_TRUSTED';

/** The service's reply to a backend; further fields stay unchanged. */
export interface GivenSession {
  readonly sessionId: string;
  readonly clientSecret: string;
  /** Unix seconds. */
  readonly expiresAt: number;
  readonly challengeConfig: object;
  readonly studyConfig: { readonly widgetMode: WidgetMode };
}

/** Options of a mount and of a session; React takes the same as props. */
export interface MountOptions {
  /** The project's public key. */
  readonly siteKey: string;
  /** API root, ending in `/api/v1`. Needed where the SDK is bundled; the script of the service finds its own. */
  readonly apiEndpoint?: string | undefined;
  readonly studyId?: string | undefined;
  readonly respondentId?: string | undefined;
  /** Echoed with the result; names that begin with `vh_` are the service's. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Label of a collector, wave or field site. */
  readonly dataCollector?: string | undefined;
  /** The id of a hosted link. */
  readonly linkId?: string | undefined;
  /** In place of the project's own. */
  readonly widgetMode?: WidgetMode | undefined;
  /** Starts without waiting for the respondent. `invisible` always does. Default false. */
  readonly autoStart?: boolean | undefined;
  /** Consent that the integrator has obtained before an `autoStart`; without it the widget asks. `at` is an ISO 8601 time. */
  readonly consent?: { readonly biometric: true; readonly at: string } | undefined;
  /** Invisible mode: a weak passive score asks for a camera check in place of failing. Default: the project's. */
  readonly escalateOnSuspicion?: boolean | undefined;
  /** How captcha mode is started. Default `checkbox`. */
  readonly interaction?: 'checkbox' | 'slider' | undefined;
  /** Default `auto`: what the browser prefers. */
  readonly widgetTheme?: 'light' | 'dark' | 'auto' | undefined;
  /** Default `classic`. */
  readonly widgetStyle?: 'classic' | 'friendly' | undefined;
  /** Default `friendly`. */
  readonly avatarStyle?: 'friendly' | 'minimal' | 'neon' | undefined;
  /** BCP 47. Default: the page's `lang`, else the browser's language. */
  readonly locale?: string | undefined;
  /** Adds a detector of synthetic faces; its findings are in `result.deepfake`. Default false. */
  readonly useDeepfakeDetection?: boolean | undefined;
  /** The failed session that this mount tries again; counts against the project's retry budget. */
  readonly previousSessionId?: string | undefined;
  /** A session that your backend made, as `POST /sessions` answered it, in place of a new one. */
  readonly session?: GivenSession | undefined;
  /** Behavior if the service cannot be reached, instead of the project's own. */
  readonly degradedMode?: DegradedMode | undefined;
  /** Score mode: called once with the signed envelope. Returning false keeps the page where it is. */
  readonly onResult?: ((dispatch: ScoreDispatch) => unknown) | undefined;
}

/** Only a service that was reached measures quality and fraud. */
export type VHScores = Pick<VerifyReply['scores'], 'liveness' | 'uniqueness' | 'authenticity' | 'overall'> &
  Partial<Pick<VerifyReply['scores'], 'quality' | 'fraud'>> & { readonly riskOverall?: number | null };
export type VHFraudSignal = VerifyReply['fraudSignals'][number];
/** `overall` is null where nothing was measured. */
export type VHRisk = Omit<NonNullable<VerifyReply['risk']>, 'overall'> & { readonly overall: number | null };
export type VHDuplicateMatch = NonNullable<VerifyReply['duplicateMatch']>;
export type VHDemographics = NonNullable<VerifyReply['demographics']>;

export interface VHDeepfake {
  /** 0 genuine, 1 synthetic. */
  readonly score: number;
  readonly verdict: 'ok' | 'suspicious' | 'flagged';
  readonly flags: readonly string[];
  readonly frameCount: number;
  readonly hasSufficientData: boolean;
}

/** Telemetry of the page, 0-1 each but for the counts; nothing of it decides. */
export interface VHBehavioralSignals {
  readonly mouseScore: number;
  readonly keyboardScore: number;
  readonly scrollScore: number;
  readonly touchScore: number;
  readonly signalCount: number;
  readonly deviceConsistencyScore: number;
  readonly lieCount: number;
}

/** The result of a mount. Show it, and send `token` to the backend, which alone decides. */
export interface VHMountResult {
  readonly status: 'pass' | 'fail';
  /** Older name of `status === 'pass'`. */
  readonly success: boolean;
  readonly sessionId: string;
  /** Signed by the service; null where it could not be reached. */
  readonly token: string | null;
  readonly scores: VHScores;
  /** For people; do not parse. */
  readonly failureReasons: readonly string[];
  /** A stable code for each of them, in their order. */
  readonly failureCodes: readonly string[];
  /** Present on a pass too. */
  readonly fraudSignals: readonly VHFraudSignal[];
  /** Null where the project does not show it. */
  readonly risk: VHRisk | null;
  readonly livenessScore: number;
  readonly confidence: number;
  readonly challengesPassed: number;
  readonly challengesTotal: number;
  /** 1 passive, 2 with challenges. */
  readonly step: 1 | 2;
  /** Token kept in this browser's storage; empty where there is no storage. */
  readonly deviceId: string;
  readonly locale: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly behavioralSignals: VHBehavioralSignals;
  readonly deepfake?: VHDeepfake;
  readonly demographics?: VHDemographics;
  readonly glassesDetected?: boolean;
  readonly isDuplicate?: boolean;
  readonly lowQuality?: boolean;
  readonly highFraudRisk?: boolean;
  /** Why there was no capture: `no_face_capture`, `unknown_capability`, `mediapipe_load_failed`, or a DOM exception's name. */
  readonly cameraFailureReason?: string;
  readonly duplicateMatch?: VHDuplicateMatch;
  /** `lastSeenAt` in Unix seconds. */
  readonly priorParticipation?: VHDuplicateMatch & { readonly lastSeenAt: number };
  readonly assuranceLevel?: 'biometric' | 'device_only' | 'none';
  readonly verificationOutcome?: 'completed' | 'unverified_technical' | 'declined_by_user';
  /** The evidence of a judged capture: measurements of this page, or pictures that the service judged. */
  readonly biometricEvidence?: 'claimed' | 'seen' | null;
  readonly unifiedVerdict?: {
    readonly verdict: 'allow' | 'review' | 'block';
    readonly assuranceLevel: 'none' | 'device_only' | 'behavioral' | 'biometric';
  };
  /** Present where the service could not be reached and the project lets respondents on, flagged. */
  readonly degraded?: true;
  readonly degradedReason?: DegradedReason;
}

/** `detail` of `vh:outcome`: a verdict at the moment when it is known. A retry brings another. */
export interface VHOutcome {
  readonly sessionId: string;
  readonly status: 'pass' | 'fail' | 'review';
  /** Null on a pass. */
  readonly code: VerifyErrorCode | null;
  readonly token: string;
}

export type DegradedReason = 'network' | 'timeout' | 'server';

/** Score mode: what `onResult` is called with. */
export interface ScoreDispatch extends Readonly<ScoreEnvelope['dispatch']> {
  readonly mode: 'score';
  readonly envelope: Omit<ScoreEnvelope, 'dispatch'>;
}

/** Verdicts (the first four), transport, or the service's own code of a refusal, such as ORIGIN_NOT_ALLOWED. */
export type VerifyErrorCode =
  | 'DUPLICATE_DETECTED'
  | 'LIVENESS_FAILED'
  | 'AUTHENTICITY_FAILED'
  | 'FRAUD_SIGNAL'
  | 'NETWORK_ERROR'
  | 'TIMEOUT'
  | (string & {});

/** The verdict behind a VerifyError; a refusal has only the codes. */
export interface VerifyErrorContext {
  readonly serverCode?: string;
  readonly sessionId?: string;
  /** The signed token of a verdict, as on a pass. */
  readonly token?: string;
  readonly scores?: VHScores;
  readonly failureReasons?: readonly string[];
  readonly failureCodes?: readonly string[];
  readonly fraudSignals?: readonly VHFraudSignal[];
  readonly risk?: VHRisk | null;
  readonly duplicateMatch?: VHDuplicateMatch;
}

/** A session without a mount. */
export interface VHSession {
  readonly sessionId: string;
  /** Unix seconds. */
  readonly expiresAt: number;
  /** Runs the session once; the interface goes into `target`, or to the end of the page. */
  start(target?: Element | string): Promise<VHMountResult>;
  /** Ends it: a start under way rejects with an AbortError. */
  cancel(): void;
}

export interface VerifyTokenOptions {
  readonly apiEndpoint?: string | undefined;
  /** The project that the token must be for. */
  readonly audience?: string | undefined;
  /** The mode of the session. Default live: tokens of test and demo sessions are INVALID. */
  readonly mode?: 'live' | 'test' | 'demo' | undefined;
  readonly require?: TokenRequirements | undefined;
}

/** Further requirements of a token; the first that fails is the `field` of EXPECTATION_FAILED. */
export interface TokenRequirements {
  readonly studyId?: string;
  readonly respondentId?: string;
  /** The least evidence; biometric: a judged camera capture. */
  readonly assurance?: 'device_only' | 'biometric';
}

export type TokenVerdict =
  | { readonly valid: true; readonly claims: Readonly<Record<string, unknown>> }
  | { readonly valid: false; readonly error: 'EXPIRED' | 'INVALID' | 'WRONG_AUDIENCE' | 'MALFORMED' }
  | { readonly valid: false; readonly error: 'EXPECTATION_FAILED'; readonly field: keyof TokenRequirements };

export interface LocalWidgetConfig {
  /** The widget is drawn here. */
  readonly container: Element | string;
  readonly widgetTheme?: 'light' | 'dark' | 'auto' | undefined;
  readonly interaction?: 'checkbox' | 'slider' | undefined;
  readonly locale?: string | undefined;
  readonly onComplete?: ((result: LocalWidgetResult) => unknown) | undefined;
}

/** The page's own estimate. No service has seen it; it proves nothing to a backend. */
export interface LocalWidgetResult {
  readonly success: boolean;
  readonly confidence: number;
  readonly behavioralSignals: VHBehavioralSignals;
  readonly deviceId: string;
  readonly timestamp: number;
}

export interface LocalWidget {
  readonly result: Promise<LocalWidgetResult>;
  destroy(): void;
}

/** `window.VH`. */
export interface VHGlobal {
  readonly version: string;
  mount(target: Element | string, options: MountOptions): Promise<VHMountResult>;
  session(options: MountOptions): Promise<VHSession>;
  verifyToken(jwt: string, options?: VerifyTokenOptions): Promise<TokenVerdict>;
}

/** `window.VerifyHuman`. */
export interface VerifyHumanGlobal {
  /** Looks for elements with `data-sitekey` that came since, and mounts them. */
  init(): void;
  createVerifyWidget(config: LocalWidgetConfig): LocalWidget;
}
