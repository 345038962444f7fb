/** Messages between the main thread and a worker: packed lists of tasks, and of replies in the same order. A task fails alone. */
import type { Calibration } from './calibration.js';
import type { Language } from './languages.js';
import type { Envelope } from './envelope.js';
import type { Classification, DeviceSketch, DuplicateCandidate, Ref, ScoreFacts } from './facts.js';
import type { Observation, RaisedFlag } from './monitoring.js';
import type { ProbeBody, ProbeTransport } from './probe.js';
import type { Monitoring } from './project-parts.js';
import type {
  CalibrationReply,
  FairnessReply,
  HonestSession,
  LabelledCell,
  SourceCell,
  SourceReport,
} from './reports.js';
import type { EvidenceBlock, EvidenceReply, ScoreReply } from './score.js';
import type { ComparedSession, ShadowFigures, ShadowVerdict } from './shadow.js';
import type {
  DecisionInputs,
  DistributionCell,
  ThresholdFit,
  FitSubject,
  HypotheticalDecision,
  HypotheticalThresholds,
  LevelCounts,
} from './thresholds.js';
import type { CaptureMarks, VerdictFacts, VerdictOutcome } from './verdict.js';

/** Tasks take facts as the record has them: packed once for the worker and for the record. */
export type PoolTask =
  | {
      readonly kind: 'score';
      /** Its parts, to be joined. */
      readonly facts: readonly Uint8Array[];
      /** The reply of an earlier call again; it says so, and is otherwise the same. */
      readonly replayed?: boolean;
    }
  /** Facts of a fixed session come as they are: no record holds them. */
  | { readonly kind: 'evidence'; readonly facts: Uint8Array | ScoreFacts; readonly language: Language }
  | { readonly kind: 'sketch'; readonly body: ProbeBody; readonly userAgent: string | null }
  | { readonly kind: 'decide'; readonly inputs: readonly DecisionInputs[]; readonly thresholds: HypotheticalThresholds }
  | { readonly kind: 'levels'; readonly cells: readonly DistributionCell[] }
  | { readonly kind: 'fit'; readonly subject: FitSubject }
  | { readonly kind: 'sources'; readonly cells: readonly SourceCell[] }
  | { readonly kind: 'calibration'; readonly cells: readonly LabelledCell[] }
  | { readonly kind: 'fairness'; readonly honest: readonly HonestSession[] }
  /** Recorded sessions judged with another calibration. */
  | {
      readonly kind: 'shadow';
      readonly sessions: readonly { readonly facts: Uint8Array; readonly calibration: Calibration }[];
    }
  | { readonly kind: 'compare'; readonly sessions: readonly ComparedSession[] }
  /** Marks that recognise a repeated capture; looked up before its verdict. */
  | { readonly kind: 'marks'; readonly envelope: Envelope }
  | { readonly kind: 'verdict'; readonly facts: VerdictFacts }
  /** How probable it is that each candidate is the device of `own`. */
  | {
      readonly kind: 'likeness';
      readonly own: DeviceSketch;
      readonly candidates: readonly DuplicateCandidate[];
      readonly nowMs: number;
    }
  /** A load message of the probe: the sketch of its device, and how suspicious it is by itself. */
  | { readonly kind: 'message'; readonly body: ProbeBody; readonly transport: ProbeTransport }
  /** The thresholds of a project that an observation of a session crosses. */
  | { readonly kind: 'watch'; readonly observation: Observation; readonly monitoring: Monitoring }
  | { readonly kind: 'model' };

/** The part of the verdict that a receipt keeps in addition to the facts. */
export interface RecordedVerdict extends DecisionInputs {
  readonly modelVersion: string;
  readonly score: number;
  readonly recommendation: ScoreReply['recommendation'];
  readonly verdictClass: ScoreReply['verdictClass'];
  readonly duplicateBand: ScoreReply['duplicate']['band'];
  readonly independence: number;
  readonly classification: Classification;
}

export interface PoolResults {
  readonly score: {
    /** The reply as JSON. */
    readonly reply: string;
    readonly degraded: readonly string[];
    readonly recommendation: ScoreReply['recommendation'];
    /** Sessions of which each alone makes this one a likely repeat. */
    readonly repeated: readonly Ref[];
    /** The verdict for the record, packed. */
    readonly outcome: Uint8Array;
  };
  readonly evidence: {
    readonly evidence: EvidenceBlock;
    readonly verdict: EvidenceReply['verdict'];
    readonly classification: Classification;
    readonly modelVersion: string;
  };
  readonly sketch: { readonly sketch: DeviceSketch; readonly bands: readonly string[] };
  readonly message: {
    readonly sketch: DeviceSketch;
    readonly bands: readonly string[];
    /** The message’s own evidence against its session: code of each finding, and its logits before any discount or cap. */
    readonly indicators: readonly (readonly [code: string, weight: number])[];
    /** Marks that the same input has in another session too; empty if there was too little input. */
    readonly movement: readonly string[];
  };
  /** In the order of the inputs. */
  readonly decide: readonly HypotheticalDecision[];
  readonly levels: LevelCounts;
  readonly fit: ThresholdFit;
  readonly sources: readonly SourceReport[];
  readonly calibration: CalibrationReply;
  readonly fairness: Pick<FairnessReply, 'all' | 'groups'>;
  /** In the order of the sessions. */
  readonly shadow: readonly ShadowVerdict[];
  readonly compare: ShadowFigures;
  readonly marks: CaptureMarks;
  readonly verdict: VerdictOutcome;
  readonly watch: readonly RaisedFlag[];
  readonly likeness: { readonly probabilities: readonly number[] };
  readonly model: { readonly modelVersion: string };
}

export type PoolAnswer =
  | { readonly ok: true; readonly value: PoolResults[PoolTask['kind']] }
  /** A known fault keeps its code on the way; anything else is a bug of the core and carries its stack for the log. */
  | { readonly ok: false; readonly code: string; readonly message: string; readonly internal: string };
