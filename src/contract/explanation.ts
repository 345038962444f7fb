/** Why a score is what it is. For operators only: it shows weights and thresholds. In logits, unless a name says otherwise. */
import type { Axis } from './axes.js';
import type { ScoreFacts } from './facts.js';
import type { RecordedVerdict } from './pool.js';
import type { Finding } from './score.js';

export interface ExplainedFinding extends Finding {
  /** As raised. */
  readonly weight: number;
  /** After the country’s multiplier and the discount of its correlation group. */
  readonly discounted: number;
  /** As it counted: after the axis’s cap and what was set off. Positive against, negative in favour. */
  readonly applied: number;
  readonly list: 'against' | 'for' | 'notes';
}

/** What speaks against on one axis. */
export interface AxisSum {
  readonly axis: Axis;
  readonly raised: number;
  readonly discounted: number;
  /** After the axis’s cap. */
  readonly counted: number;
}

/** What of a verdict can be held against that of another model. */
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

/** What one model makes of the facts. */
export interface ScoreBreakdown {
  readonly verdict: ComparedVerdict;
  /** Strongest first within against, for and notes. */
  readonly findings: readonly ExplainedFinding[];
  /** Axes on which something was raised. */
  readonly axes: readonly AxisSum[];
  /** What findings in favour took away; zero or negative. */
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
  /** What the model of this service makes of the facts today. */
  readonly present: ScoreBreakdown;
  /** null where they were not asked for. */
  readonly facts: ScoreFacts | null;
}

/** What `explain --facts` prints and `replay` reads. */
export type RecordedFacts = Pick<Explanation, 'recorded'> & { readonly facts: ScoreFacts };
