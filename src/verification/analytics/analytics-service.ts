/**
 * Reads a project’s analytics from what the consumer counted. Buckets without verifications are there, with zeros that were counted and
 * averages that are null. Verifications of the last seconds may be missing.
 */
import { dateOf, dayMs, timeOfDate } from '../../kernel/calendar-day.js';
import { invalid } from '../../kernel/faults.js';
import {
  type Analytics,
  type AnalyticsQuery,
  rangeDaysDefault,
  rangeDaysMax,
  type AnalyticsPeriod,
} from '../../contract/analytics.js';
import type { Database } from '../../stores/database/port.js';
import { inOrganization } from '../../stores/database/tenant.js';
import type { Fault } from '../../errors.js';

export interface AnalyticsDeps {
  readonly database: Database;
  readonly now: () => number;
}

export interface AnalyticsOwner {
  readonly organizationId: string;
  readonly projectId: string;
  readonly isDemo: boolean;
}

export type AnalyticsService = ReturnType<typeof createAnalyticsService>;

type Sum =
  | 'liveness_sum'
  | 'liveness_count'
  | 'uniqueness_sum'
  | 'uniqueness_count'
  | 'duration_sum'
  | 'duration_count';
type HourSums = Readonly<Record<'start' | 'passed' | 'failed' | Sum, number>>;
type KindCount = { readonly kind: string; readonly value: string; readonly count: number };

const kindsMax = 300;

export function createAnalyticsService({ database, now }: AnalyticsDeps) {
  return {
    async read(owner: AnalyticsOwner, query: AnalyticsQuery): Promise<Analytics> {
      const range = readRange(query, now());
      const { buckets, kinds } = await inOrganization(database, owner.organizationId, async (tx) => ({
        buckets: await tx.query<HourSums>(bucketSql, [
          owner.projectId,
          owner.isDemo,
          range.period,
          new Date(range.fromMs),
          new Date(range.untilMs),
        ]),
        kinds: await tx.query<KindCount>(kindSql, [owner.projectId, owner.isDemo, range.fromDate, range.toDate]),
      }));
      return present(range, buckets, kinds);
    },
  };
}

const bucketSql = `
  SELECT (extract(epoch FROM date_trunc($3, hour AT TIME ZONE 'UTC')) * 1000)::float8 AS start, sum(passed)::float8 AS passed, sum(failed)::float8 AS failed,
         sum(liveness_sum) AS liveness_sum, sum(liveness_count)::float8 AS liveness_count, sum(uniqueness_sum) AS uniqueness_sum,
         sum(uniqueness_count)::float8 AS uniqueness_count, sum(duration_sum) AS duration_sum, sum(duration_count)::float8 AS duration_count
    FROM verification_hours WHERE project_id = $1 AND is_demo = $2 AND hour >= $4 AND hour < $5 GROUP BY 1`;
const kindSql = `
  SELECT kind, value, sum(count)::float8 AS count FROM verification_kinds
   WHERE project_id = $1 AND is_demo = $2 AND day >= $3::date AND day <= $4::date GROUP BY kind, value ORDER BY 3 DESC, 2 LIMIT ${kindsMax}`;

function present(range: DateRange, buckets: readonly HourSums[], kinds: readonly KindCount[]): Analytics {
  const sum = (name: keyof HourSums): number => buckets.reduce((total, row) => total + row[name], 0);
  const byStart = new Map(buckets.map((row) => [row.start, row]));
  const [passed, failed] = [sum('passed'), sum('failed')];
  const { period, fromDate, toDate } = range;
  return {
    ...{ period, fromDate, toDate },
    totalVerifications: passed + failed,
    passedCount: passed,
    failedCount: failed,
    passRate: ratio(passed, passed + failed),
    avgLivenessScore: ratio(sum('liveness_sum'), sum('liveness_count')),
    avgUniquenessScore: ratio(sum('uniqueness_sum'), sum('uniqueness_count')),
    avgDurationMs: ratio(sum('duration_sum'), sum('duration_count')),
    timeSeries: bucketStarts(range).map((start) => {
      const { passed: inPassed = 0, failed: inFailed = 0 } = byStart.get(start) ?? {};
      const total = inPassed + inFailed;
      return {
        start: new Date(start).toISOString(),
        total,
        passed: inPassed,
        failed: inFailed,
        passRate: ratio(inPassed, total),
      };
    }),
    failureReasons: shares(kinds, 'failure_reason').map(({ value, ...rest }) => ({ reason: value, ...rest })),
    devices: shares(kinds, 'device').map(({ value, ...rest }) => ({ device: value, ...rest })),
    browsers: shares(kinds, 'browser').map(({ value, ...rest }) => ({ browser: value, ...rest })),
  };
}

/** null where there is nothing to divide by. */
const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

function shares(kinds: readonly KindCount[], kind: string) {
  const rows = kinds.filter((row) => row.kind === kind);
  const total = rows.reduce((all, row) => all + row.count, 0);
  return rows.map(({ value, count }) => ({ value, count, share: count / total }));
}

interface DateRange {
  readonly period: AnalyticsPeriod;
  /** First and last day, YYYY-MM-DD. */
  readonly fromDate: string;
  readonly toDate: string;
  readonly fromMs: number;
  /** The end of the range, the last day included. */
  readonly untilMs: number;
}

/** Throws VALIDATION_FAILED. */
function readRange(query: AnalyticsQuery, nowMs: number): DateRange {
  const period = query.period ?? 'day';
  const toDate = query.toDate ?? dateOf(nowMs);
  const toMs = timeOfDate(toDate);
  const fromDate = query.fromDate ?? dateOf((toMs ?? nowMs) - (rangeDaysDefault - 1) * dayMs);
  const fromMs = timeOfDate(fromDate);
  const problem = (name: string, message: string): Fault => invalid([{ path: `/querystring/${name}`, message }]);
  if (fromMs === null) throw problem('fromDate', 'is not a day that a calendar has.');
  if (toMs === null) throw problem('toDate', 'is not a day that a calendar has.');
  if (fromMs > toMs) throw problem('fromDate', 'must not be after toDate.');
  const untilMs = toMs + dayMs;
  const days = (untilMs - fromMs) / dayMs;
  if (days > rangeDaysMax[period])
    throw problem(
      'fromDate',
      `is ${days} days before the end of toDate; by the ${period} at most ${rangeDaysMax[period]} are returned at once.`,
    );
  return { period, fromDate, toDate, fromMs, untilMs };
}

/** Starts of all buckets that touch the range, in order. */
function bucketStarts({ period, fromMs, untilMs }: DateRange): readonly number[] {
  const starts: number[] = [];
  for (let start = bucketStart(period, fromMs); start < untilMs; start = nextStart(period, start)) starts.push(start);
  return starts;
}

/** The start of the bucket that holds a time. Weeks begin on Monday. */
function bucketStart(period: AnalyticsPeriod, ms: number): number {
  const date = new Date(ms);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (period === 'hour') return Date.UTC(year, month, day, date.getUTCHours());
  if (period === 'week') return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7));
  return Date.UTC(year, month, period === 'month' ? 1 : day);
}

function nextStart(period: AnalyticsPeriod, start: number): number {
  const date = new Date(start);
  if (period === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  return start + { hour: dayMs / 24, day: dayMs, week: 7 * dayMs }[period];
}
