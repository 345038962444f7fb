/**
 * Reads the score distribution: cells of a project, by source where asked, and the sessions behind chosen cells. Never scans sessions to count them.
 */
import type { DistributionCell, SessionLabel } from '../../contract/thresholds.js';
import { reversalWindowDays } from '../../limits.js';
import { openReceipt } from '../../record/record.js';
import type { Database, Row, SqlValue } from '../../stores/database/port.js';
import { readCell } from './distribution-store.js';

/** What is looked at; null where there is no limit. Days are UTC, both included. */
export interface DistributionFilter {
  /** Whose share of the database the reading takes. */
  readonly organizationId: string;
  /** The project, in the mode of the key that asks. */
  readonly namespace: string;
  readonly sourceId: string | null;
  readonly fromDay: string | null;
  readonly toDay: string | null;
}

export interface CountedCell extends DistributionCell {
  /** Short form of the inputs. */
  readonly cell: string;
  readonly sourceId: string;
}

export interface DistributionReading {
  readonly cells: readonly CountedCell[];
  readonly firstDay: string | null;
  readonly lastDay: string | null;
}

/** A reversal may come this long after a completion; until then it is neither honest nor fraudulent. */
const maturityDays = reversalWindowDays;

const deadlineMs = 10_000;

type CellRow = {
  readonly source_id: string;
  readonly cell: string;
  readonly recommendation: DistributionCell['recommendation'];
  readonly label: SessionLabel;
  readonly sessions: number;
  readonly first_day: string;
  readonly last_day: string;
};

/** In the share of the organization: it reads much, and how often is up to the caller. */
const read = <R extends Row>(
  database: Database,
  { organizationId: tenant }: DistributionFilter,
  sql: string,
  values: readonly SqlValue[],
): Promise<readonly R[]> =>
  database.transaction((tx) => tx.query<R>(sql, values, { deadlineMs }), { deadlineMs, tenant });

export async function readDistribution(
  database: Database,
  filter: DistributionFilter,
  nowMs: number,
): Promise<DistributionReading> {
  const rows = await read<CellRow>(
    database,
    filter,
    `SELECT source_id, cell, recommendation, matured AS label, sum(sessions)::bigint AS sessions,
            to_char(min(day), 'YYYY-MM-DD') AS first_day, to_char(max(day), 'YYYY-MM-DD') AS last_day
       FROM (SELECT *, CASE label WHEN 'complete' THEN CASE WHEN label_day <= $5::date THEN 'honest' ELSE 'pending' END ELSE label END AS matured
               FROM score_distribution WHERE ${within('day', 'source_id')}) AS mix
      GROUP BY source_id, cell, recommendation, matured HAVING sum(sessions) > 0`,
    [...valuesOf(filter), matureDay(nowMs)],
  );
  const days = rows.flatMap((row) => [row.first_day, row.last_day]).sort();
  return {
    cells: rows.map((row) => ({
      cell: row.cell,
      inputs: readCell(row.cell),
      sourceId: row.source_id,
      recommendation: row.recommendation,
      label: row.label,
      count: row.sessions,
    })),
    firstDay: days[0] ?? null,
    lastDay: days.at(-1) ?? null,
  };
}

export async function knowsSource(database: Database, namespace: string, sourceId: string): Promise<boolean> {
  const rows = await database.query(
    'SELECT 1 FROM score_distribution WHERE namespace = $1 AND source_id = $2 AND sessions > 0 LIMIT 1',
    [namespace, sourceId],
    { deadlineMs },
  );
  return rows.length > 0;
}

/** Cells of this recommendation, of which sessions are wanted. */
export interface WantedCell {
  readonly cell: string;
  readonly recommendation: string;
}

export interface ListedSession extends WantedCell {
  readonly receiptId: string;
  readonly sessionId: string;
}

/** The newest sessions of the cells. Sessions whose receipt is not recorded yet, or no longer kept, are left out. */
export async function listSessions(
  database: Database,
  filter: DistributionFilter,
  wanted: readonly WantedCell[],
  limit: number,
): Promise<readonly ListedSession[]> {
  if (wanted.length === 0 || limit === 0) return [];
  const rows = await read<{ receipt_id: string; cell: string; recommendation: string; record: Uint8Array }>(
    database,
    filter,
    `SELECT chosen.*, r.record FROM (
       SELECT s.* FROM unnest($5::text[], $6::text[]) AS wanted (cell, recommendation) CROSS JOIN LATERAL (
         SELECT receipt_id, scored_at, cell, recommendation FROM scored_sessions
          WHERE ${within("(scored_at AT TIME ZONE 'UTC')::date", 'source_id')} AND cell = wanted.cell AND recommendation = wanted.recommendation
          ORDER BY scored_at DESC, receipt_id DESC LIMIT $7) AS s
       ORDER BY s.scored_at DESC, s.receipt_id DESC LIMIT $7) AS chosen
     JOIN receipts r ON r.receipt_id = chosen.receipt_id AND r.scored_at = chosen.scored_at
     ORDER BY chosen.scored_at DESC, chosen.receipt_id DESC`,
    [...valuesOf(filter), wanted.map(({ cell }) => cell), wanted.map(({ recommendation }) => recommendation), limit],
  );
  return rows.map(({ receipt_id, cell, recommendation, record }) => ({
    receiptId: receipt_id,
    cell,
    recommendation,
    sessionId: openReceipt(record).sessionId,
  }));
}

const within = (day: string, source: string): string =>
  `namespace = $1 AND ($2::text IS NULL OR ${source} = $2) AND ($3::date IS NULL OR ${day} >= $3) AND ($4::date IS NULL OR ${day} <= $4)`;

const valuesOf = ({ namespace, sourceId, fromDay, toDay }: DistributionFilter): readonly SqlValue[] => [
  namespace,
  sourceId,
  fromDay,
  toDay,
];

const matureDay = (nowMs: number): string => new Date(nowMs - maturityDays * 86_400_000).toISOString().slice(0, 10);
