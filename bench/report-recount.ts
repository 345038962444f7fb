/**
 * The reports counted again from sessions and outcomes, as `reported-sessions.ts` writes them: one row for each session, and plain sums over
 * all rows. Shares nothing with the reports but the probability that the model expects of a score.
 */
import {
  fairGroupMin,
  fairGroupsMax,
  fairnessGroups,
  fairnessSessionsMax,
  type CalibrationReply,
  type FairnessReply,
  type MixReply,
  type SourcesReply,
} from '../src/contract/reports.js';
import type { Database, Row, SqlValue } from '../src/stores/database/port.js';
import { expectedAt } from '../workers/scoring/probability.js';
import { reportedDays } from './reported-sessions.js';
import { fitLogistic, intervalOfBeta, intervalOfShare } from './recount-statistics.js';

export interface RecountedReports {
  readonly mix: MixReply;
  readonly sources: SourcesReply;
  /** Those of the last `latelyDays`. */
  readonly latelySources: SourcesReply;
  readonly calibration: CalibrationReply;
  readonly fairness: FairnessReply;
  /** Fairness in one study. */
  readonly studyFairness: FairnessReply;
}

export const recountedStudy = 'study-1';
export const mixDays = 60;
export const latelyDays = 20;
const deadlineMs = 600_000;
type Query = <R extends Row>(sql: string, values?: readonly SqlValue[]) => Promise<readonly R[]>;

/** Counts on the tables as they are; leaves the table `recounted`. */
export async function recountReports(database: Database, namespace: string, nowMs: number): Promise<RecountedReports> {
  const query: Query = (sql, values = []) => database.query(sql, values, { deadlineMs });
  const today = new Date(nowMs).toISOString().slice(0, 10);
  await query('DROP TABLE IF EXISTS recounted');
  await query(
    `CREATE TABLE recounted AS SELECT * FROM (
       SELECT session_id, coalesce(source_id, '') AS source, study_id, scored_at, (scored_at AT TIME ZONE 'UTC')::date AS day, recommendation,
              split_part(session_id, '/', 1) AS device, split_part(session_id, '/', 2) AS browser, split_part(session_id, '/', 3) AS country,
              split_part(session_id, '/', 4)::int AS independence, split_part(session_id, '/', 5)::int AS evidence,
              CASE WHEN is_fraud THEN 'fraud' WHEN is_rejected THEN NULL WHEN complete_at IS NOT NULL THEN 'complete' END AS label,
              (CASE WHEN is_fraud THEN fraud_at ELSE complete_at END AT TIME ZONE 'UTC')::date AS label_day
         FROM session_index LEFT JOIN (
           SELECT namespace, session_ref, bool_or(type <> 'complete' AND reason_class = 'fraud') AS is_fraud, bool_or(type <> 'complete') AS is_rejected,
                  min(occurred_at) FILTER (WHERE type <> 'complete' AND reason_class = 'fraud') AS fraud_at,
                  min(occurred_at) FILTER (WHERE type = 'complete') AS complete_at
             FROM outcomes GROUP BY 1, 2) AS events USING (namespace, session_ref)
        WHERE namespace = '${namespace}') AS sessions`,
  );
  return {
    mix: await recountMix(query, today),
    sources: await recountSources(query, today, reportedDays + 2),
    latelySources: await recountSources(query, today, latelyDays),
    calibration: await recountCalibration(query, today),
    fairness: await recountFairness(query, today, null),
    studyFairness: await recountFairness(query, today, recountedStudy),
  };
}

const mixColumns = ['allow', 'review', 'block', 'step_up']
  .map((name) => `(count(*) FILTER (WHERE recommendation = '${name}'))::int AS ${name}`)
  .join(', ');

async function recountMix(query: Query, today: string): Promise<MixReply> {
  const days = await query<MixReply['days'][number]>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, nullif(source, '') AS "sourceId", ${mixColumns} FROM recounted
      WHERE day >= $1::date - ${mixDays} GROUP BY recounted.day, source ORDER BY recounted.day DESC, source`,
    [today],
  );
  return { days: [...days] };
}

type SourceCounts = Record<'sessions' | 'allow' | 'review' | 'block' | 'step_up' | 'fraud' | 'complete', number> &
  Record<'independence' | 'week' | 'before', number> &
  Record<'week_mean' | 'before_mean' | 'week_variance' | 'before_variance', number | null> & {
    sourceId: string | null;
  };

/** Drift does not follow the period. */
async function recountSources(query: Query, today: string, days: number): Promise<SourcesReply> {
  const ages = { week: 'day > $1::date - 7', before: 'day <= $1::date - 7 AND day > $1::date - 35' };
  const drift = Object.entries(ages).map(
    ([age, holds]) =>
      `(count(*) FILTER (WHERE ${holds}))::int AS ${age}, (avg(evidence) FILTER (WHERE ${holds}))::float8 AS ${age}_mean,
       (var_samp(evidence) FILTER (WHERE ${holds}))::float8 AS ${age}_variance`,
  );
  const rows = await query<SourceCounts>(
    `SELECT nullif(source, '') AS "sourceId", asked.*, drifts.* FROM
       (SELECT source, count(*)::int AS sessions, ${mixColumns}, round(avg(independence))::int AS independence,
               (count(*) FILTER (WHERE label = 'fraud'))::int AS fraud, (count(*) FILTER (WHERE label = 'complete'))::int AS complete
          FROM recounted WHERE day >= $1::date - $2::int GROUP BY source) AS asked
       JOIN (SELECT source, ${drift.join(', ')} FROM recounted GROUP BY source) AS drifts USING (source)
       ORDER BY source COLLATE "C"`,
    [today, days],
  );
  const total = (name: 'fraud' | 'complete'): number => rows.reduce((sum, row) => sum + row[name], 0);
  // A project leans on 2 sessions with a share of 5%, a source on 20 of its project.
  const share = (total('fraud') + 0.1) / (total('fraud') + total('complete') + 2);
  const sources = rows.map((row) => {
    const { sourceId, sessions, allow, review, block, step_up, fraud, complete, independence } = row;
    const fraudShare = intervalOfBeta(fraud + 20 * share, complete + 20 * (1 - share));
    const value = Number(row.week_mean) - Number(row.before_mean);
    const margin = 1.96 * Math.sqrt(Number(row.week_variance) / row.week + Number(row.before_variance) / row.before);
    return {
      ...{ sourceId, sessions, allow, review, block, step_up, labels: { fraud, complete }, fraudShare, independence },
      drift: row.week < 30 || row.before < 30 ? null : { value, low: value - margin, high: value + margin },
    };
  });
  const rankOf = ({ labels, fraudShare }: (typeof sources)[number]): number =>
    labels.fraud + labels.complete === 0 ? -1 : fraudShare.low;
  return { sources: sources.toSorted((a, b) => rankOf(b) - rankOf(a) || b.sessions - a.sessions) };
}

async function recountCalibration(query: Query, today: string): Promise<CalibrationReply> {
  const rows = await query<{ evidence: number; sessions: number; fraud: number }>(
    `SELECT evidence, count(*)::int AS sessions, (count(*) FILTER (WHERE label = 'fraud'))::int AS fraud FROM recounted
      WHERE label IS NOT NULL AND label_day <= $1::date - 60 GROUP BY evidence`,
    [today],
  );
  const sum = (some: typeof rows, of: (row: (typeof rows)[number]) => number) =>
    some.reduce((total, row) => total + of(row), 0);
  const expectedOf = (some: typeof rows) => sum(some, ({ evidence, sessions }) => sessions * expectedAt(evidence));
  const bands = Array.from({ length: 10 }, (_, band) => {
    const own = rows.filter(({ evidence }) => Math.min(9, Math.floor(evidence / 10)) === band);
    const sessions = sum(own, (row) => row.sessions);
    const {
      value: observed,
      low,
      high,
    } = intervalOfShare(
      sum(own, (row) => row.fraud),
      sessions,
    );
    return {
      from: 10 * band,
      to: band === 9 ? 100 : 10 * band + 9,
      sessions,
      expected: expectedOf(own) / sessions,
      observed,
      low,
      high,
    };
  }).filter(({ sessions }) => sessions > 0);
  const [sessions, fraud] = [sum(rows, (row) => row.sessions), sum(rows, (row) => row.fraud)];
  const distance = bands.reduce((total, band) => total + band.sessions * Math.abs(band.expected - band.observed), 0);
  const { curve, ece } = fitLogistic(rows.map((row) => ({ ...row, at: expectedAt(row.evidence) })));
  const isOffered = sessions - fraud >= 598 && fraud >= 30;
  const shortfall = { honest: Math.max(0, 598 - sessions + fraud), fraud: Math.max(0, 30 - fraud) };
  return {
    bands,
    ece: distance / sessions,
    labels: { fraud, honest: sessions - fraud },
    recalibration: isOffered
      ? { status: 'ok', curve, shortfall: null, ece }
      : { status: 'insufficient_data', curve: null, shortfall, ece: null },
  };
}

const newest = (holds: string) =>
  `(SELECT * FROM recounted WHERE label = 'complete' AND ${holds} ORDER BY scored_at DESC LIMIT ${fairnessSessionsMax}) AS newest`;
const counts = `count(*)::int AS sessions, (count(*) FILTER (WHERE recommendation = 'review'))::int AS reviewed,
  (count(*) FILTER (WHERE recommendation = 'block'))::int AS blocked`;
type Counts = { value: string; sessions: number; reviewed: number; blocked: number };

async function recountFairness(query: Query, today: string, studyId: string | null): Promise<FairnessReply> {
  const holds = 'label_day <= $1::date - 60 AND ($2::text IS NULL OR study_id = $2)';
  const values = [today, studyId];
  const figures = ({ sessions, reviewed, blocked }: Counts) => {
    const share = (events: number) => (sessions < fairGroupMin ? null : intervalOfShare(events, sessions));
    return { sessions, reviewed, blocked, reviewedShare: share(reviewed), blockedShare: share(blocked) };
  };
  const groups: FairnessReply['groups'] = [];
  for (const by of fairnessGroups) {
    // The smallest, and those after the 20 largest, are one group at the end.
    const rows = await query<Counts & { folded: boolean }>(
      `SELECT CASE WHEN folded THEN 'other' ELSE value END AS value, folded, sum(sessions)::int AS sessions, sum(reviewed)::int AS reviewed, sum(blocked)::int AS blocked
         FROM (SELECT *, sessions < ${fairGroupMin} OR row_number() OVER (ORDER BY sessions DESC, value COLLATE "C") > ${fairGroupsMax} AS folded
                 FROM (SELECT ${by} AS value, ${counts} FROM ${newest(holds)} GROUP BY 1) AS named) AS marked
        GROUP BY 1, 2 ORDER BY folded, sessions DESC, 1`,
      values,
    );
    groups.push(...rows.map((row) => ({ by, value: row.value, ...figures(row) })));
  }
  const [all] = await query<Counts>(`SELECT '' AS value, ${counts} FROM ${newest(holds)}`, values);
  const [every] = await query<{ n: number }>(
    `SELECT count(*)::int AS n FROM recounted WHERE label = 'complete' AND ${holds}`,
    values,
  );
  if (all === undefined || every === undefined) throw new Error('an aggregate has a row');
  return { all: figures(all), complete: every.n === all.sessions, smallestGroup: fairGroupMin, groups };
}
