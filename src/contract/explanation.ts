/** Why a score is what it is. For operators only: it shows weights and thresholds. In logits, unless a name says otherwise. */
import type { Axis } from './axes.js';
import type { ScoreFacts } from './facts.js';
import type { RecordedVerdict } from './pool.js';
import type { Finding } from './score.js';

export interface ExplainedFinding extends Finding {
  /** The weight before caps and offsets. */
  readonly weight: number;
  /** After the country’s multiplier and the discount of its correlation group. */
  readonly discounted: number;
  /** The weight after the axis’s cap and offsets. Positive against, negative in favour. */
  readonly applied: number;
  readonly list: 'against' | 'for' | 'notes';
}

/** The evidence against on one axis. */
export interface AxisSum {
  readonly axis: Axis;
  readonly raised: number;
  readonly discounted: number;
  /** After the axis’s cap. */
  readonly counted: number;
}

/** The fields of a verdict that can be compared with those of another model. */
export type ComparedVerdict = Pick<
  RecordedVerdict,
  | 'modelVersion'
  | 'score'
  | 'uncapped'
  | 'caps'
  | 'recommendation'
  | 'verdictClass'
  | 'duplicateBand'
  | 'classification'
>;

/** The result of one model for the facts. */
export interface ScoreBreakdown {
  readonly verdict: ComparedVerdict;
  /** Foremost first within against, for and notes. */
  readonly findings: readonly ExplainedFinding[];
  /** Axes on which something was raised. */
  readonly axes: readonly AxisSum[];
  /** The logits that findings in favour removed; zero or negative. */
  readonly favour: number;
  /** Most that an axis may contribute. */
  readonly axisMax: number;
  /** Each cap whose condition held, in words. */
  readonly caps: readonly string[];
  /** From the score to the recommendation, in words. */
  readonly decision: string;
  /** The summary that callers read. */
  readonly summary: string;
}

export interface Explanation {
  readonly receiptId: string;
  readonly organizationId: string;
  /** null for a score with an organization key. */
  readonly projectId: string | null;
  readonly sessionId: string;
  readonly scoredAt: string;
  /** Whether the record matches its signature. */
  readonly authentic: boolean;
  /** The verdict at scoring time; null while only the counters store has the receipt. */
  readonly recorded: ComparedVerdict | null;
  /** The result of this service’s model today. */
  readonly present: ScoreBreakdown;
  /** null where they were not asked for. */
  readonly facts: ScoreFacts | null;
}

/** `explain --facts` prints this, and `replay` reads it. */
export type RecordedFacts = Pick<Explanation, 'recorded'> & { readonly facts: ScoreFacts };
