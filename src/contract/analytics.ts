/** A project’s verifications over time. Days, weeks (from Monday) and months are those of UTC. An average of nothing is null, never zero. */
import { Type, type Static } from 'typebox';
import { CalendarDay, Nullable, StringEnum, Timestamp } from './common.js';
import { ListQuery } from './paging.js';
import { unit } from './project-parts.js';

export const analyticsPeriods = ['hour', 'day', 'week', 'month'] as const;
export type AnalyticsPeriod = (typeof analyticsPeriods)[number];

/** Longest range of a query in days; by the hour there are 24 times as many buckets. */
export const rangeDaysMax = { hour: 31, day: 366, week: 1_100, month: 3_660 } as const satisfies Record<
  AnalyticsPeriod,
  number
>;
export const rangeDaysDefault = 30;

export const AnalyticsQuery = ListQuery({
  period: Type.Optional(StringEnum(analyticsPeriods, { description: 'Length of a bucket. Default day.' })),
  fromDate: CalendarDay(`First day. Default: ${rangeDaysDefault} days up to toDate.`),
  toDate: CalendarDay('Last day, included. Default: today.'),
});
export type AnalyticsQuery = Static<typeof AnalyticsQuery>;

/** Reason of failures of category `liveness` in which no camera check was completed, and the project demands one. */
export const cameraCheckMissing = 'camera_check_missing';
const failureReason = Type.String({
  description: `failureCategory of the verdict, or ${cameraCheckMissing} if the project demands a camera check and none was completed.`,
});
const count = Type.Integer({ minimum: 0 });
const share = unit('Share of the whole list.');

export const Analytics = Type.Object({
  period: StringEnum(analyticsPeriods),
  fromDate: Type.String(),
  toDate: Type.String(),
  totalVerifications: count,
  passedCount: count,
  failedCount: count,
  passRate: Nullable(unit('Share of all verifications; null if there were none.')),
  avgLivenessScore: Nullable(unit('Mean of the verifications that have this score.')),
  avgUniquenessScore: Nullable(unit('Mean of the verifications that have this score.')),
  avgDurationMs: Nullable(
    Type.Number({ minimum: 0, description: 'Mean milliseconds from a session’s creation to its verdict.' }),
  ),
  timeSeries: Type.Array(
    Type.Object({
      start: Timestamp,
      total: count,
      passed: count,
      failed: count,
      passRate: Nullable(unit('Share of passes; null if the bucket is empty.')),
    }),
  ),
  failureReasons: Type.Array(Type.Object({ reason: failureReason, count, share })),
  devices: Type.Array(Type.Object({ device: Type.String(), count, share })),
  browsers: Type.Array(Type.Object({ browser: Type.String(), count, share })),
});
export type Analytics = Static<typeof Analytics>;
