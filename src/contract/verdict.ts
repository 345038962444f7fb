/** The verdict of a verification session, and the facts that it is made from. The same facts give the same verdict. null: not measured. */
import { Type, type Static } from 'typebox';
import { CallerId, Nullable, StringEnum, type SessionMode } from './common.js';
import { Demographics, type CameraPolicy, type Envelope } from './envelope.js';
import type { AddressFacts, DeviceSketch } from './facts.js';
import type { ChallengeCall } from './session.js';
import type { ProbeTransport } from './probe.js';
import { unit, type ScoreModeConfig } from './project-parts.js';
import type { DemandedAssurance, riskAggregators, verificationModes } from './project.js';
import type { UniquenessFacts } from './uniqueness.js';

export const challengeTypes = ['blink', 'turn_left', 'turn_right', 'nod', 'smile'] as const;
export type ChallengeType = (typeof challengeTypes)[number];

/** Left and right are the respondent’s own. */
export const IssuedChallenge = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64 }),
  type: StringEnum(challengeTypes, { description: 'Left and right are the respondent’s own.' }),
  timeoutMs: Type.Integer({ minimum: 1, description: 'Time to answer from when it is shown, milliseconds.' }),
});
export type IssuedChallenge = Static<typeof IssuedChallenge>;

export const verdictStatuses = ['pass', 'fail', 'review'] as const;
/** In order of priority: the first that applies names the failure. */
export const failureCategories = ['duplicate', 'liveness', 'authenticity', 'fraud_signal', 'fingerprint'] as const;
export type FailureCategory = (typeof failureCategories)[number];
export const assuranceLevels = ['biometric', 'device_only', 'none'] as const;
/** The unified verdict’s own levels: `behavioral` is a level that the flat assuranceLevel does not have. */
export const unifiedAssuranceLevels = ['none', 'device_only', 'behavioral', 'biometric'] as const;
/** claimed: measurements that the page sent. seen: the service judged pictures by itself. */
export const biometricEvidences = ['claimed', 'seen'] as const;
export const verificationOutcomes = ['completed', 'unverified_technical', 'declined_by_user'] as const;
export const matchMethods = ['exact', 'fuzzy', 'biometric', 'none'] as const;
export const dispatchStatuses = ['pass', 'fail', 'scored', 'score_blocked'] as const;
export const decisions = ['allow', 'review', 'block'] as const;

/** The overall gate of every project. */
export const overallThresholdDefault = 0.65;

export interface VerdictThresholds {
  readonly liveness: number;
  readonly uniqueness: number;
  readonly authenticity: number;
  /** Least confidence that no screen or picture was held before the camera. */
  readonly screenDetection: number;
  readonly overall: number;
}

/** Earlier sessions with the marks of this capture; the `marks` task computes the marks. */
export interface ReplayFacts {
  /** Whether another session sent the very same embedding. */
  readonly embeddingSeen: boolean;
  /** How many of this capture’s frame marks another session sent before. */
  readonly frameMarksSeen: number;
  readonly frameMarks: number;
  /** Marks of its motion, at whichever pace, that one other session sent, and how many it has of its own. */
  readonly motionMarksSeen: number;
  readonly motionMarks: number;
}

/** Findings in the pictures that the service requested. */
export interface SeenPictures {
  /** Frames that it named, ascending. */
  readonly named: readonly number[];
  /** In their order: the picture’s side and the face’s points in it, null without a face. null: they did not come, or are others. */
  readonly faces: readonly { readonly side: number; readonly points: readonly number[] | null }[] | null;
  /** Similarity of each pair, as in PictureFindings; empty without pictures. */
  readonly likeness: readonly (readonly number[])[];
  /** They came and were not judged, as the capture fails without them. */
  readonly isUnneeded?: true;
}

export interface VerdictFacts extends CameraPolicy {
  readonly version: 1;
  readonly envelope: Envelope;
  /** Server clock: when the challenges were issued (the session was created), and when the envelope arrived. */
  readonly issuedAtMs: number;
  readonly receivedAtMs: number;
  readonly sessionId: string;
  readonly nonce: string;
  readonly mode: SessionMode;
  /** The project’s minimum for a pass. */
  readonly minimumAssurance: DemandedAssurance;
  /** How many challenges the session asks for, and the page’s calls for them, in order. */
  readonly challengeCount: number;
  readonly challengeCalls: readonly ChallengeCall[];
  readonly verificationMode: (typeof verificationModes)[number];
  readonly thresholds: VerdictThresholds;
  /** The project’s scoreModeConfig; only its fences are looked at. */
  readonly fences: ScoreModeConfig;
  readonly riskAggregator: (typeof riskAggregators)[number];
  /** Whether contributions are shown: the diagnostics header with a key that allows it, or exposeBreakdown in score mode. */
  readonly breakdown: boolean;
  readonly uniqueness: UniquenessFacts;
  /** The device that was scored, in a step-up. null: not a step-up, or too little of the device was known. */
  readonly scoredDevice: DeviceSketch | null;
  /** null where marks could not be looked up. */
  readonly replay: ReplayFacts | null;
  /** null where the project asks for no pictures. */
  readonly pictures: SeenPictures | null;
  /** The sender of the envelope according to its HTTP request. */
  readonly transport: ProbeTransport;
  readonly address: AddressFacts | null;
  /** Network and input of the envelope that asked for the camera, which the later one does not replace; absent or null: none did. */
  readonly first?: (Pick<Envelope, 'behavior'> & { readonly address: AddressFacts | null }) | null;
}

export const FraudSignal = Type.Object({
  type: Type.String({ description: 'Stable name, listed in docs/reference/verdict.md.' }),
  severity: StringEnum(['low', 'medium', 'high'] as const),
  category: StringEnum(['obvious', 'sophisticated'] as const),
  description: Type.String(),
  confidence: unit('Confidence of the detector.'),
});
export type FraudSignal = Static<typeof FraudSignal>;

export const VerdictScores = Type.Object({
  liveness: Nullable(unit('Liveness confidence; null if no camera produced a verdict.')),
  uniqueness: Nullable(
    unit('Uniqueness, from 0 (the same) to 1 (unique); null if there was no face to compare with in the window.'),
  ),
  authenticity: unit(
    'Confidence that the capture came from a real camera; without one, that the device is what it says.',
  ),
  overall: unit('Weighted aggregate of the available scores.'),
  quality: unit('Quality of the evidence.'),
  fraud: unit('0 clean, 1 fraud-like.'),
});
export type VerdictScores = Static<typeof VerdictScores>;

export const ShownScores = Type.Object({
  ...VerdictScores.properties,
  riskOverall: Type.Optional(unit('1 minus overall, if the project shows risk.')),
});

export const RiskContribution = Type.Object({
  signal: Type.String(),
  axis: StringEnum(['liveness', 'uniqueness', 'authenticity', 'device', 'behavior'] as const),
  contribution: Type.Number({ description: 'Change of the axis’s score, -1 to 1; negative lowers it.' }),
});
export type RiskContribution = Static<typeof RiskContribution>;

export const VerdictRisk = Type.Object({
  overall: unit('1 minus overall: 0 clean, 1 risky.'),
  device: Nullable(unit('Risk of device and behavior; null if neither was measured.')),
  biometric: Nullable(unit('Risk of the camera’s evidence; null without a camera.')),
  contributions: Type.Array(RiskContribution, { description: 'Empty unless diagnostics are allowed and asked for.' }),
  droppedSignals: Type.Array(Type.String(), {
    description: 'Measurements that came and were not used, with the reason as name.',
  }),
  degradedSignals: Type.Array(Type.String(), { description: 'Measurements that did not come.' }),
});
export type VerdictRisk = Static<typeof VerdictRisk>;

export const DuplicateMatch = Type.Object({
  fingerprintId: Type.String(),
  similarity: unit('1 minus uniqueness.'),
  sessionId: Type.Optional(Type.String()),
  respondentId: Type.Optional(CallerId('Matched respondent.')),
});
export type DuplicateMatch = Static<typeof DuplicateMatch>;

export const PriorParticipation = Type.Object({
  ...DuplicateMatch.properties,
  lastSeenAt: Type.Integer({ description: 'Unix seconds.' }),
});
export type PriorParticipation = Static<typeof PriorParticipation>;

export const Duplication = Type.Object({
  overall: Nullable(unit('Greater of the two; null if nothing was compared.')),
  deviceMatch: Nullable(unit('Similarity of the device; null if not compared.')),
  biometricMatch: Nullable(unit('Calibrated similarity of the face; null if not compared.')),
  matchedDeviceId: Type.Optional(Type.String()),
  matchedSessionId: Type.Optional(Type.String()),
  matchMethod: StringEnum(matchMethods),
});
export type Duplication = Static<typeof Duplication>;

export const UnifiedVerdict = Type.Object({
  verdict: StringEnum(decisions, {
    description: 'The same in every mode: a borderline session is review in block mode too.',
  }),
  assuranceLevel: StringEnum(unifiedAssuranceLevels, {
    description: 'Differs from the assuranceLevel next to it: has a level behavioral.',
  }),
});
export type UnifiedVerdict = Static<typeof UnifiedVerdict>;

/** The reply of `POST /public/verify`, under the names of the SDK’s result. */
export const Verdict = Type.Object({
  modelVersion: Type.String({ description: 'Hash of the rules that decided.' }),
  status: StringEnum(verdictStatuses),
  scores: VerdictScores,
  failureReasons: Type.Array(Type.String(), { description: 'Reasons in order of priority; empty on a pass.' }),
  failureCodes: Type.Array(Type.String(), { description: 'A code for each of failureReasons.' }),
  failureCategory: Nullable(StringEnum(failureCategories)),
  fraudSignals: Type.Array(FraudSignal),
  risk: VerdictRisk,
  isDuplicate: Type.Boolean({ description: 'May be true on a pass: a returning participant.' }),
  lowQuality: Type.Boolean(),
  highFraudRisk: Type.Boolean({ description: 'A fraud signal of high severity; never without a camera.' }),
  duplicateMatch: Nullable(DuplicateMatch),
  priorParticipation: Nullable(PriorParticipation),
  duplication: Duplication,
  demographics: Nullable(Demographics),
  glassesDetected: Nullable(Type.Boolean()),
  assuranceLevel: StringEnum(assuranceLevels),
  verificationOutcome: StringEnum(verificationOutcomes),
  biometricEvidence: Nullable(
    StringEnum(biometricEvidences, { description: 'Evidence of a checked capture; null without one.' }),
  ),
  unifiedVerdict: UnifiedVerdict,
  cameraFailureReason: Nullable(Type.String()),
  summary: Type.String(),
});
export type Verdict = Static<typeof Verdict>;

/** The effect of score mode on a verdict; in block mode the status is that of the verdict. */
export const VerdictDispatch = Type.Object({
  status: StringEnum(dispatchStatuses),
  decision: StringEnum(decisions, { description: 'recommended_decision of verification.scored.' }),
  reason: Nullable(Type.String({ description: 'Fence that blocked or reason for a failure; null if there is none.' })),
  failureCategory: Nullable(
    StringEnum(failureCategories, { description: 'Category of the verdict, else of the fence.' }),
  ),
});
export type VerdictDispatch = Static<typeof VerdictDispatch>;

/** The part of the risk that the project’s riskAggregator shows: absent if off, null in shadow. */
export interface ShownRisk {
  readonly risk?: VerdictRisk | null;
  readonly riskOverall?: number;
  readonly duplication?: Duplication | null;
}

/** The part of a verdict that a page may learn, under the same names; workers/verification/page-view.ts explains the choice. */
export type PageVerdict = Pick<
  Verdict,
  | 'failureCategory'
  | 'failureReasons'
  | 'failureCodes'
  | 'scores'
  | 'fraudSignals'
  | 'isDuplicate'
  | 'duplicateMatch'
  | 'priorParticipation'
  | 'summary'
> & { readonly shown: ShownRisk; readonly reason: string | null };

/** The core’s result for the facts: the verdict for the record and the backend, and the part that a page may learn. */
export interface VerdictOutcome {
  readonly verdict: Verdict;
  readonly dispatch: VerdictDispatch;
  readonly shown: ShownRisk;
  readonly page: PageVerdict;
}

/** Marks that recognise a repeated capture: keep them with the session, look them up before the verdict. */
export interface CaptureMarks {
  /** null without an embedding. */
  readonly embedding: string | null;
  /** Up to 8, each 16 hex digits; whoever alters some frames of a copied capture still sends most of them. */
  readonly frames: readonly string[];
  /** Up to 64; whoever changes every frame of a copied capture alike still sends most of them. */
  readonly motion: readonly string[];
  /** Up to 1,024, looked up and not kept: those that the capture would have at another pace, and its own. */
  readonly motionSought: readonly string[];
}
