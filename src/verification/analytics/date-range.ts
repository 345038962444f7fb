/**
 * The range and the buckets of a query, in UTC. Pure.
 */
import { rangeDaysDefault, rangeDaysMax, type AnalyticsPeriod, type AnalyticsQuery } from '../../contract/analytics.js';
import type { Issue } from '../../errors.js';

const dayMs = 86_400_000;

export interface DateRange {
  readonly period: AnalyticsPeriod;
  /** First and last day, YYYY-MM-DD. */
  readonly fromDate: string;
  readonly toDate: string;
  readonly fromMs: number;
  /** Where the range ends, the last day included. */
  readonly untilMs: number;
}

export type ReadRange =
  { readonly ok: true; readonly range: DateRange } | { readonly ok: false; readonly issues: readonly Issue[] };

export function readRange(query: AnalyticsQuery, nowMs: number): ReadRange {
  const period = query.period ?? 'day';
  const toDate = query.toDate ?? dateOf(nowMs);
  const toMs = timeOf(toDate);
  const fromDate = query.fromDate ?? dateOf((toMs ?? nowMs) - (rangeDaysDefault - 1) * dayMs);
  const fromMs = timeOf(fromDate);
  const problem = (name: string, message: string): ReadRange => ({
    ok: false,
    issues: [{ path: `/querystring/${name}`, message }],
  });
  if (fromMs === null) return problem('fromDate', 'is not a day that a calendar has.');
  if (toMs === null) return problem('toDate', 'is not a day that a calendar has.');
  if (fromMs > toMs) return problem('fromDate', 'must not be after toDate.');
  const untilMs = toMs + dayMs;
  const days = (untilMs - fromMs) / dayMs;
  if (days > rangeDaysMax[period])
    return problem(
      'fromDate',
      `is ${days} days before the end of toDate; by the ${period} at most ${rangeDaysMax[period]} are returned at once.`,
    );
  return { ok: true, range: { period, fromDate, toDate, fromMs, untilMs } };
}

/** Starts of all buckets that touch the range, in order. */
export function bucketStarts({ period, fromMs, untilMs }: DateRange): readonly number[] {
  const starts: number[] = [];
  for (let start = bucketStart(period, fromMs); start < untilMs; start = nextStart(period, start)) starts.push(start);
  return starts;
}

/** Where the bucket begins that a time lies in. Weeks begin on Monday. */
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

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** There is no year 0, and the database takes none. */
const firstDate = '0001-01-01';

/** null where the calendar has no such day: the 30th of February is not the 2nd of March. */
function timeOf(date: string): number | null {
  if (date < firstDate) return null;
  const ms = Date.parse(`${date}T00:00:00.000Z`);
  return Number.isNaN(ms) || dateOf(ms) !== date ? null : ms;
}
