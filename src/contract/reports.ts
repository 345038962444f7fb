/** Reports on what was scored: recommendations by source and day, what became of each source, and whether scores mean what they say. */
import { Type, type Static } from 'typebox';
import { Recalibration } from './calibration.js';
import { CallerId, Count, Nullable, StringEnum } from './common.js';
import { ListQuery } from './paging.js';
import { unit } from './project-parts.js';
import { driftSessionsMin, otherGroups } from './report-constants.js';
import { FromDay, Mix, ProjectName, SourceName, sourcesMax, ToDay, type DistributionCell } from './thresholds.js';

/** Days of a mix without `from`, and rows of one reply. */
export const mixDaysDefault = 30;
export const mixRowsMax = 10_000;

const projectId = Type.Optional(ProjectName);
const sourceId = Type.Optional(Type.String({ ...SourceName, description: 'Only sessions of this source.' }));
const SourceId = Nullable(Type.String({ description: 'null: sessions for which no source was named.' }));

/** A value with its 95% interval. */
export const estimate = (description: string, value = Type.Number()) =>
  Type.Object({ value, low: value, high: value }, { description });
export type Estimate = Static<ReturnType<typeof estimate>>;
const share = Type.Number({ minimum: 0, maximum: 1 });

export const MixQuery = ListQuery({
  projectId,
  sourceId,
  from: Type.Optional(FromDay),
  to: Type.Optional(ToDay),
});
export type MixQuery = Static<typeof MixQuery>;

export const MixDay = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'UTC day of the last score of the sessions.' }),
    sourceId: SourceId,
    ...Mix.properties,
  },
  { description: 'Sessions of one source on one day, by recommendation.' },
);
export const MixReply = Type.Object({
  days: Type.Array(MixDay, { maxItems: mixRowsMax, description: 'By day, the newest first, and by source.' }),
});
export type MixReply = Static<typeof MixReply>;

export const SourcesQuery = ListQuery({ projectId, from: Type.Optional(FromDay), to: Type.Optional(ToDay) });
export type SourcesQuery = Static<typeof SourcesQuery>;

export const SourceReport = Type.Object(
  {
    sourceId: SourceId,
    sessions: Count('Sessions scored, each once, by its last receipt.'),
    ...Mix.properties,
    labels: Type.Object({
      fraud: Count('Sessions that an outcome calls fraudulent.'),
      complete: Count('Sessions with a completion that stands so far.'),
    }),
    fraudShare: Nullable(
      estimate(
        'Share of fraud among the sessions with a label, with its 95% credible interval. Sources with few labels lean on the project. null: the project has no labels.',
        share,
      ),
    ),
    drift: Nullable(
      estimate(
        `Mean score of the last 7 days less that of the 28 days before, in points, with its 95% interval. It ends today, whatever the period. null: fewer than ${driftSessionsMin} sessions in either.`,
      ),
    ),
    independence: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'Mean of its sessions; 100 is fully independent.',
    }),
  },
  { description: 'Scores and outcomes of one source.' },
);
export type SourceReport = Static<typeof SourceReport>;

export const SourcesReply = Type.Object({
  sources: Type.Array(SourceReport, {
    maxItems: sourcesMax,
    description: `League of sources: the worst first, by the low end of fraudShare; those without labels last. The ${sourcesMax} with the most sessions.`,
  }),
});
export type SourcesReply = Static<typeof SourcesReply>;

export const CalibrationQuery = ListQuery({ projectId, sourceId });
export type CalibrationQuery = Static<typeof CalibrationQuery>;

export const CalibrationBand = Type.Object(
  {
    from: Count('Lowest score of the band.'),
    to: Count('Highest score of the band.'),
    sessions: Count('Sessions with a mature label.'),
    expected: unit('Expected share of fraud.'),
    observed: unit('Observed share of fraud.'),
    low: unit('Low end of the 95% interval of what is observed.'),
    high: unit('High end of the 95% interval of what is observed.'),
  },
  { description: 'Sessions of one score band. Bands without sessions are omitted.' },
);

export const fairnessGroups = ['country', 'browser', 'device'] as const;
/** Honest sessions looked at, the newest first. */
export const fairnessSessionsMax = 2_000;

export const CalibrationReply = Type.Object({
  bands: Type.Array(CalibrationBand),
  ece: Nullable(
    unit('Expected calibration error: mean distance of observed and expected, weighted by sessions. null: no labels.'),
  ),
  labels: Type.Object({
    fraud: Count('Sessions that an outcome called fraudulent at least 60 days ago.'),
    honest: Count('Sessions with a completion that has stood for 60 days.'),
  }),
  recalibration: Type.Object(
    {
      status: StringEnum(['ok', 'insufficient_data'] as const),
      curve: Nullable(Recalibration),
      shortfall: Nullable(
        Type.Object({
          honest: Count('Mature honest labels that are missing.'),
          fraud: Count('Mature fraud labels that are missing.'),
        }),
      ),
      ece: Nullable(
        Type.Object(
          {
            before: unit('With the model’s probabilities.'),
            after: unit('With the curve.'),
          },
          { description: 'Expected calibration error on these labels.' },
        ),
      ),
    },
    {
      description:
        'Offer of the project’s own probabilities, from these labels. Apply it by sending `curve` as `config.liteConfig.recalibration`, or under `perSource`; undo it with null.',
    },
  ),
});
export type CalibrationReply = Static<typeof CalibrationReply>;

/** Groups of fewer honest sessions are folded into `other`, and have no shares there while they are fewer together. */
export const fairGroupMin = 30;
/** Groups of one property that are reported each; the smallest of more are folded as well. */
export const fairGroupsMax = 20;

export const FairnessQuery = ListQuery({
  projectId,
  sourceId,
  studyId: Type.Optional(CallerId('Only sessions of this study.')),
  from: Type.Optional(FromDay),
  to: Type.Optional(ToDay),
});
export type FairnessQuery = Static<typeof FairnessQuery>;

const fairShares = {
  sessions: Count('Honest sessions.'),
  reviewed: Count('Honest sessions that were recommended review.'),
  blocked: Count('Honest sessions that were recommended block.'),
  reviewedShare: Nullable(estimate('Share that was reviewed, with its 95% interval.', share)),
  blockedShare: Nullable(estimate('Share that was blocked, with its 95% interval.', share)),
};

export const FairGroup = Type.Object(
  {
    by: StringEnum(fairnessGroups),
    value: Nullable(
      Type.String({
        description: `Such as DE, firefox or tablet; null: not known; ${otherGroups}: all groups of fewer than ${fairGroupMin} sessions.`,
      }),
    ),
    ...fairShares,
  },
  { description: 'False reviews and blocks of one group of honest people.' },
);
export type FairGroup = Static<typeof FairGroup>;

export const FairnessReply = Type.Object({
  all: Type.Object(fairShares, { description: 'All judged sessions, to compare groups with.' }),
  complete: Type.Boolean({
    description: `Whether these are all sessions asked for, and not the newest ${fairnessSessionsMax}.`,
  }),
  smallestGroup: Count('Fewest sessions of a group that has shares.'),
  groups: Type.Array(FairGroup, {
    description: `By country, browser family and device tier (phone, tablet, desktop): the largest first, at most ${fairGroupsMax} each, and ${otherGroups} last.`,
  }),
});
export type FairnessReply = Static<typeof FairnessReply>;

/** Sessions of one source counted together; `age`: which window of drift they are in. */
export interface SourceCell extends Pick<DistributionCell, 'inputs' | 'recommendation' | 'count'> {
  readonly sourceId: string;
  readonly label: 'none' | 'fraud' | 'complete';
  readonly age: 'week' | 'before' | 'older';
  /** In the period that is asked for; drift needs others, too. */
  readonly isAsked: boolean;
  /** Sum over the sessions. */
  readonly independence: number;
}

/** Sessions with a mature label counted together. */
export type LabelledCell = Pick<DistributionCell, 'inputs' | 'count'> & { readonly fraud: boolean };

export interface HonestSession {
  readonly country: string | null;
  readonly browser: string | null;
  readonly device: string | null;
  readonly recommendation: DistributionCell['recommendation'];
}
