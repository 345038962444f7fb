/** Testing thresholds before they change (`/lite/simulate`, `/lite/threshold-recommendations`). Nothing is applied by itself. */
import { Type, type Static } from 'typebox';
import { Absent, Count, Nullable, Percent, StringEnum, Timestamp } from './common.js';
import { ListQuery } from './paging.js';
import { unit } from './project-parts.js';
import { recommendations, type ScoreReply } from './score.js';

export const flipsMax = 1_000;
export const flipsDefault = 100;
/** Bands of the score distribution. */
export const scoreBands = 20;
export const falseBlockTargetDefault = 0.005;
export const reviewBudgetDefault = 0.1;
/** Sources in one reply, the ones with the most sessions first. */
export const sourcesMax = 200;

export const SourceName = Type.String({ minLength: 1, maxLength: 256 });
const edge = (description: string) => Type.Number({ minimum: 0, maximum: 100, description });

export const Mix = Type.Object(
  {
    allow: Count('Sessions recommended allow.'),
    review: Count('Sessions recommended review.'),
    block: Count('Sessions recommended block.'),
    step_up: Count('Sessions recommended step_up.'),
  },
  { description: 'Sessions by recommendation.' },
);
export type Mix = Static<typeof Mix>;

export const ProjectName = Type.String({
  pattern: '^proj_[0-9a-f]{32}$',
  description: 'Needed with an organization key, an access token or a dashboard token, which have no project.',
});

const dayOf = (description: string) => Type.String({ format: 'date-time', maxLength: 40, description });
export const FromDay = dayOf('Only sessions scored on this UTC day or later.');
export const ToDay = dayOf('Only sessions scored on this UTC day or earlier.');

/** null in an optional field is its absence, as where recommendations name the whole project. */
export const SimulationRequest = Type.Object({
  projectId: Absent(ProjectName),
  reviewLow: edge('Scores below it would be allowed. At most blockThreshold.'),
  blockThreshold: edge('Scores at or above it would be blocked.'),
  stepUpThreshold: Absent(
    edge('Lowest step_up score, for sessions scored with step-up on. Absent: the threshold at scoring time.'),
  ),
  sourceId: Absent(Type.String({ ...SourceName, description: 'Only sessions of this source.' })),
  from: Absent(FromDay),
  to: Absent(ToDay),
  flips: Absent(
    Type.Integer({
      minimum: 0,
      maximum: flipsMax,
      default: flipsDefault,
      description: 'Most changed sessions to list.',
    }),
  ),
});
export type SimulationRequest = Static<typeof SimulationRequest>;

const Recommendation = StringEnum(recommendations);

export const Flip = Type.Object(
  {
    receiptId: Type.String(),
    sessionId: Type.String({ description: 'Your id of the session.' }),
    sourceId: Nullable(Type.String({ description: 'null: no source was named.' })),
    score: Percent('The score under the thresholds asked about.'),
    givenScore: Percent('The score that was given. Ceilings follow blockThreshold, so that both can differ.'),
    from: Recommendation,
    to: Recommendation,
  },
  { description: 'Session whose recommendation would change.' },
);

export const SimulationReply = Type.Object({
  sessions: Count('Simulated sessions. A session counts once, by its last receipt.'),
  current: Mix,
  hypothetical: Mix,
  flips: Type.Array(Flip, { maxItems: flipsMax, description: 'Newest first.' }),
  flipped: Count('All sessions whose recommendation would change, listed or not.'),
  flippedBySource: Type.Array(
    Type.Object({ sourceId: Nullable(Type.String()), sessions: Count('Sessions whose recommendation would change.') }),
    { maxItems: sourcesMax, description: `By source, the most first; at most ${sourcesMax}.` },
  ),
  heldBelowBlock: Count(
    'Sessions with only one kind of evidence. Their score stays just below blockThreshold, whatever its value.',
  ),
  ceiling: Percent(
    'Highest score of a session with only one kind of evidence: just below the blockThreshold asked about. Raising blockThreshold raises such scores.',
  ),
  scores: Type.Array(Type.Integer({ minimum: 0 }), {
    minItems: scoreBands,
    maxItems: scoreBands,
    description: 'Sessions by score under the thresholds asked about, in bands of 5 points; the last holds 100, too.',
  }),
  labelled: Type.Object(
    {
      honestBlocked: Count('Honest sessions that would have been blocked.'),
      fraudCaught: Count('Fraudulent sessions that would have been blocked.'),
      honest: Count('Sessions whose completion has stood long enough to be believed.'),
      fraud: Count('Sessions that an outcome calls fraudulent.'),
    },
    { description: 'Outcomes of the sessions.' },
  ),
  period: Type.Object(
    { from: Nullable(Timestamp), to: Nullable(Timestamp) },
    { description: 'First and last day with sessions; null if there is none.' },
  ),
  note: Nullable(Type.String({ description: 'Explanation of an empty or limited result; null if there is none.' })),
});
export type SimulationReply = Static<typeof SimulationReply>;

export const RecommendationsQuery = ListQuery({
  projectId: Type.Optional(ProjectName),
  sourceId: Type.Optional(Type.String({ ...SourceName, description: 'Only this source.' })),
  targetFalseBlockRate: Type.Optional(
    Type.Number({
      minimum: 0.0001,
      maximum: 0.2,
      default: falseBlockTargetDefault,
      description: 'Share of honest sessions that may be blocked at most, with 95% confidence.',
    }),
  ),
  reviewBudget: Type.Optional(
    Type.Number({
      minimum: 0.001,
      maximum: 1,
      default: reviewBudgetDefault,
      description: 'Share of all sessions that may go to review at most.',
    }),
  ),
});
export type RecommendationsQuery = Static<typeof RecommendationsQuery>;

const Thresholds = Type.Object({
  reviewLow: edge('Scores below it are allowed.'),
  blockThreshold: edge('Scores at or above it are blocked.'),
});
/** Lower and upper end. */
const Interval = (description: string) =>
  Type.Unsafe<[number, number]>({ type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2, description });

export const SourceRecommendation = Type.Object(
  {
    sourceId: Nullable(Type.String({ description: 'null: the project as a whole.' })),
    status: StringEnum(['ok', 'insufficient_data', 'not_advisable'] as const, {
      description:
        'Status of the recommendation. not_advisable: the thresholds that labels allow would stop most allowed sessions without a fraud outcome, or block on hardly any evidence; note says which.',
    }),
    labels: Type.Object({
      honest: Count('Completions that stood for the whole time in which they could be reversed.'),
      fraud: Count('Sessions that an outcome calls fraudulent.'),
      pending: Count('Completions that can still be reversed; they count for neither.'),
    }),
    shortfall: Nullable(
      Type.Object({
        honest: Count('Mature honest labels that are missing.'),
        fraud: Count('Fraud labels that are missing.'),
      }),
    ),
    current: Thresholds,
    suggested: Nullable(Thresholds),
    interval: Nullable(
      Type.Object({ blockThreshold: Interval('95% confidence interval of the right blockThreshold.') }),
    ),
    projected: Nullable(
      Type.Object({
        catchRate: unit('Share of the labelled fraud that would be blocked.'),
        catchRateDelta: Type.Number({ description: 'Against the present blockThreshold.' }),
        catchRateDeltaInterval: Interval('95%, by paired bootstrap.'),
        falseBlockRate: unit('Share of the honest that would be blocked.'),
        falseBlockRateDelta: Type.Number({ description: 'Against the present blockThreshold.' }),
        falseBlockRateDeltaInterval: Interval('95%, by paired bootstrap.'),
        falseBlockRateUpper95: unit('One-sided 95% upper bound (Clopper-Pearson).'),
        reviewRate: unit('Share of all sessions that would go to review.'),
        labelled: Type.Object(
          {
            honestBlocked: Count('Honest sessions that would be blocked.'),
            honestReviewed: Count('Honest sessions that would go to review or step-up.'),
            fraudBlocked: Count('Fraudulent sessions that would be blocked.'),
            fraudReviewed: Count('Fraudulent sessions that would go to review or step-up.'),
          },
          { description: 'Labels of the source itself under the suggested thresholds, out of labels.' },
        ),
      }),
    ),
    borrowed: Nullable(
      Type.Object(
        { honest: Type.Number({ minimum: 0 }), fraud: Type.Number({ minimum: 0 }) },
        {
          description: 'Weight of the project’s other labels in this suggestion; null if it uses only its own.',
        },
      ),
    ),
    coverage: Type.Object(
      {
        sessions: Count('Sessions scored.'),
        labelled: Count('Sessions with a mature label.'),
        blocked: Count('Blocked sessions, which bring no labels, so their honest share is unknown.'),
      },
      { description: 'Basis of the labels.' },
    ),
    note: Type.String({ description: 'The result in words.' }),
  },
  { description: 'Thresholds for one source, or for the project.' },
);
export type SourceRecommendation = Static<typeof SourceRecommendation>;

export const RecommendationsReply = Type.Object({
  generatedAt: Timestamp,
  targetFalseBlockRate: Type.Number(),
  reviewBudget: Type.Number(),
  sources: Type.Array(SourceRecommendation, { maxItems: sourcesMax + 1 }),
});
export type RecommendationsReply = Static<typeof RecommendationsReply>;

/**
 * The facts of a session that decide its recommendation under any thresholds. Sessions with equal facts are counted together. stepUpThreshold null:
 * step-up was off.
 */
export interface DecisionInputs {
  readonly uncapped: number;
  readonly caps: readonly string[];
  /** The advice that replaced the score’s: the policy on verified agents, or review after a failed step-up. */
  readonly agentPolicy: 'allow' | 'review' | null;
  readonly stepUpThreshold: number | null;
}

/** A label of a session: what outcomes say of it by now. */
export type SessionLabel = 'honest' | 'fraud' | 'pending' | 'none';

/** Sessions counted together. */
export interface DistributionCell {
  readonly inputs: DecisionInputs;
  readonly recommendation: ScoreReply['recommendation'];
  readonly label: SessionLabel;
  readonly count: number;
}

export interface HypotheticalThresholds {
  readonly reviewLow: number;
  readonly blockThreshold: number;
  /** null: as it was when the session was scored. */
  readonly stepUpThreshold: number | null;
}

export interface HypotheticalDecision {
  readonly score: number;
  readonly recommendation: ScoreReply['recommendation'];
  /** Only one kind of evidence keeps the score below blockThreshold. */
  readonly isHeld: boolean;
}

/** Labelled sessions by the highest blockThreshold that still blocks them, 0 to 100. */
export interface LevelCounts {
  readonly honest: readonly number[];
  readonly fraud: readonly number[];
  readonly honestTotal: number;
  readonly fraudTotal: number;
}

/** Thresholds are fitted to one source, or to the project. */
export interface FitSubject {
  readonly cells: readonly DistributionCell[];
  readonly current: { readonly reviewLow: number; readonly blockThreshold: number };
  /** Counts of all sources, this one included: a source with few labels leans on the others. null for the project itself. */
  readonly project: LevelCounts | null;
  readonly targetFalseBlockRate: number;
  readonly reviewBudget: number;
  /** Makes the bootstrap repeatable. */
  readonly seed: number;
}

export type ThresholdFit = Omit<SourceRecommendation, 'sourceId'>;
