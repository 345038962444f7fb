/**
 * Reads a project’s analytics from what the consumer counted. Buckets without verifications are there, with zeros that were counted and
 * averages that are null. What was verified in the last seconds may not be in it yet.
 */
import { invalid } from '../../kernel/faults.js';
import type { Analytics, AnalyticsQuery } from '../../contract/analytics.js';
import type { Database } from '../../stores/database/port.js';
import { inOrganization } from '../../stores/database/tenant.js';
import { bucketStarts, readRange, type DateRange } from './date-range.js';

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

type HourSums = {
  readonly start: number;
  readonly passed: number;
  readonly failed: number;
  readonly liveness_sum: number;
  readonly liveness_count: number;
  readonly uniqueness_sum: number;
  readonly uniqueness_count: number;
  readonly duration_sum: number;
  readonly duration_count: number;
};
type KindCount = { readonly kind: string; readonly value: string; readonly count: number };

const kindsMax = 300;

export function createAnalyticsService({ database, now }: AnalyticsDeps) {
  return {
    async read(owner: AnalyticsOwner, query: AnalyticsQuery): Promise<Analytics> {
      const read = readRange(query, now());
      if (!read.ok) throw invalid(read.issues);
      const { range } = read;
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
