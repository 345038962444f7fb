/** Shadow scoring (`GET /lite/shadow`): recorded sessions judged by a second calibration, next to the verdicts that were given. */
import { Type, type Static } from 'typebox';
import { LiteShadow } from './calibration.js';
import { CallerId, Count, Nullable, StringEnum } from './common.js';
import { ListQuery } from './paging.js';
import { unit } from './project-parts.js';
import { estimate } from './reports.js';
import { recommendations, type ScoreReply } from './score.js';
import { Flip, FromDay, Mix, ProjectName, SourceName, ToDay } from './thresholds.js';

/** Sessions of a comparison: the newest of all, and of each label, whose shares are then comparable. */
export const shadowSessionsMax = 1_000;
export const shadowLabelledMax = 500;
export const shadowExamplesMax = 50;
export const shadowSourcesMax = 20;

export const ShadowQuery = ListQuery({
  projectId: Type.Optional(ProjectName),
  sourceId: Type.Optional(Type.String({ ...SourceName, description: 'Only sessions of this source.' })),
  studyId: Type.Optional(CallerId('Only sessions of this study.')),
  from: Type.Optional(FromDay),
  to: Type.Optional(ToDay),
});
export type ShadowQuery = Static<typeof ShadowQuery>;

const Recommendation = StringEnum(recommendations);
const SourceId = Nullable(Type.String({ description: 'null: no source was named.' }));
const share = Type.Number({ minimum: 0, maximum: 1 });

/** The same share under both; null without sessions. */
export const ShadowShares = Type.Object(
  {
    live: Nullable(estimate('Of the verdicts that were given, with its 95% interval.', share)),
    shadow: Nullable(estimate('Of the shadow, with its 95% interval.', share)),
  },
  { description: 'A share of the sessions under both.' },
);
const both = (description: string) => ({ ...ShadowShares, description });

/** Both by the present model; null if it gives none. */
const Probabilities = Type.Object({
  live: Nullable(unit('With the calibration at scoring time.')),
  shadow: Nullable(unit('With the calibration of the shadow.')),
});
const probabilities = (description: string) => ({ ...Probabilities, description });

export const ShadowFlips = Type.Object(
  { from: Recommendation, to: Recommendation, sessions: Count('Compared sessions.') },
  { description: 'Sessions with another recommendation, by the one that was given and the one of the shadow.' },
);

export const ShadowSource = Type.Object(
  {
    sourceId: SourceId,
    compared: Count('Compared sessions.'),
    flipped: Count('Sessions with another recommendation.'),
    liveBlocked: Count('Sessions that were blocked.'),
    shadowBlocked: Count('Sessions that the shadow would block.'),
  },
  { description: 'Comparison of one source.' },
);

const figures = {
  compared: Count('Compared sessions. A session counts once, by its last receipt.'),
  agreements: Count('Sessions with the same recommendation.'),
  live: Mix,
  shadow: Mix,
  blockedShare: both('Share of compared sessions that are blocked.'),
  reviewedShare: both('Share of compared sessions that are reviewed.'),
  flips: Type.Array(ShadowFlips, { description: 'The most sessions first.' }),
  examples: Type.Array(Flip, { maxItems: shadowExamplesMax, description: 'Newest first.' }),
  sources: Type.Array(ShadowSource, {
    maxItems: shadowSourcesMax,
    description: `The sources with the most changed sessions first; at most ${shadowSourcesMax}.`,
  }),
  otherModel: Count('Compared sessions that another model version scored. Their changes can come from the model.'),
  labelled: Type.Object(
    {
      fraud: Count('Sessions that an outcome calls fraudulent.'),
      honest: Count('Sessions with a completion that has stood for 60 days.'),
      fraudCaught: both('Share of the fraudulent sessions that are blocked.'),
      honestStopped: both('Share of the honest sessions that are not recommended allow.'),
      fraudProbability: probabilities('Mean probability of the fraudulent sessions.'),
      honestProbability: probabilities('Mean probability of the honest sessions.'),
    },
    { description: `The newest ${shadowLabelledMax} sessions of each label.` },
  ),
};

export const ShadowReply = Type.Object({
  config: Nullable(LiteShadow),
  modelVersion: Type.String({ description: 'Model version of this installation, which judges the shadow.' }),
  complete: Type.Boolean({
    description: `Whether these are all sessions asked for, and not the newest ${shadowSessionsMax}.`,
  }),
  ...figures,
  note: Nullable(Type.String({ description: 'Why nothing is compared; null if something is.' })),
});
export type ShadowReply = Static<typeof ShadowReply>;
export type ShadowFigures = Omit<ShadowReply, 'config' | 'modelVersion' | 'complete' | 'note'>;

/** The verdict of the shadow on recorded facts. Probabilities are null if the model gives none. */
export interface ShadowVerdict {
  readonly score: number;
  readonly recommendation: ScoreReply['recommendation'];
  readonly probability: number | null;
  /** The same with the calibration at scoring time. */
  readonly liveProbability: number | null;
}

export interface ComparedSession {
  readonly receiptId: string;
  readonly sessionId: string;
  readonly sourceId: string | null;
  /** Among the newest of all; others are here for their label. */
  readonly isNewest: boolean;
  /** A label among the newest of its kind; null without one. */
  readonly label: 'fraud' | 'honest' | null;
  readonly isOtherModel: boolean;
  readonly live: Pick<ShadowVerdict, 'score' | 'recommendation'>;
  readonly shadow: ShadowVerdict;
}
