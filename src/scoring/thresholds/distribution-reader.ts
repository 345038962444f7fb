/**
 * Reads the score distribution: cells of a project, by source where asked, and the sessions behind chosen cells. Never scans sessions to count them.
 */
import type { DistributionCell } from '../../contract/thresholds.js';
import { rest } from '../../fair-limiter.js';
import { reversalWindowDays } from '../../limits.js';
import { openReceipt } from '../../record/record.js';
import { type Database, keysAreLookedUp, type Row, type SqlValue } from '../../stores/database/port.js';
import { readCell } from './distribution-store.js';

/** Filters the distribution; null means no limit. Days are UTC, both included. */
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
/** Days that one statement counts: an embedded database does nothing else meanwhile. */
const daysAtOnce = 10;

type CellRow = Omit<CountedCell, 'inputs'> & Row;
type Period = { readonly first: string | null; readonly last: string | null };

/** In the share of the organization: it reads much, and how often is up to the caller. */
export const readShared = <R extends Row>(
  database: Database,
  { organizationId: tenant }: DistributionFilter,
  sql: string,
  values: readonly SqlValue[],
  opening = '',
): Promise<readonly R[]> =>
  database.transaction((tx) => tx.query<R>(sql, values, { deadlineMs }), { deadlineMs, tenant, opening });

/** Cells of sources apart where `bySource`, else of all together. */
export async function readDistribution(
  database: Database,
  filter: DistributionFilter,
  nowMs: number,
  bySource: boolean,
): Promise<DistributionReading> {
  const [period] = await readShared<Period>(
    database,
    filter,
    `SELECT to_char(min(day), 'YYYY-MM-DD') AS first, to_char(max(day), 'YYYY-MM-DD') AS last FROM score_distribution
      WHERE ${within('day', 'source_id')} AND sessions > 0`,
    valuesOf(filter),
  );
  const { first: firstDay = null, last: lastDay = null } = period ?? {};
  const cells = new Map<string, CountedCell>();
  for (let fromDay = firstDay; fromDay !== null && lastDay !== null && fromDay <= lastDay;) {
    const startedMs = performance.now();
    const toDay = dayAfter(fromDay, daysAtOnce - 1);
    for (const row of await readCells(
      database,
      { ...filter, fromDay, toDay: toDay < lastDay ? toDay : lastDay },
      nowMs,
      bySource,
    )) {
      const key = `${row.cell}\n${row.recommendation}\n${row.label}\n${row.sourceId}`;
      const counted = cells.get(key);
      cells.set(
        key,
        counted === undefined
          ? { ...row, inputs: readCell(row.cell) }
          : { ...counted, count: counted.count + row.count },
      );
    }
    fromDay = dayAfter(toDay, 1);
    if (fromDay <= lastDay) await rest(startedMs);
  }
  return { cells: [...cells.values()], firstDay, lastDay };
}

/** Counts of a day fit 32 bits, whose sums cost a third of those of `bigint`. */
const readCells = (database: Database, filter: DistributionFilter, nowMs: number, bySource: boolean) =>
  readShared<CellRow>(
    database,
    filter,
    `SELECT source AS "sourceId", cell, recommendation, matured AS label, sum(sessions::int) AS count
       FROM (SELECT cell, recommendation, sessions, ${bySource ? 'source_id' : "''"} AS source,
                    CASE label WHEN 'complete' THEN CASE WHEN label_day <= $5::date THEN 'honest' ELSE 'pending' END ELSE label END AS matured
               FROM score_distribution WHERE ${within('day', 'source_id')}) AS mix
      GROUP BY source, cell, recommendation, matured HAVING sum(sessions::int) > 0`,
    [...valuesOf(filter), matureDay(nowMs)],
  );

const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

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
  readonly sourceId: string | null;
  readonly score: number;
}

/** The newest sessions of the cells. Sessions whose receipt is not recorded yet, or no longer kept, are left out. */
export async function listSessions(
  database: Database,
  filter: DistributionFilter,
  wanted: readonly WantedCell[],
  limit: number,
): Promise<readonly ListedSession[]> {
  if (wanted.length === 0 || limit === 0) return [];
  const rows = await readShared<{ receipt_id: string; cell: string; recommendation: string; record: Uint8Array }>(
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
    keysAreLookedUp,
  );
  return rows.map(({ receipt_id, cell, recommendation, record }) => {
    const { sessionId, sourceId, verdict } = openReceipt(record);
    return { receiptId: receipt_id, cell, recommendation, sessionId, sourceId, score: verdict.score };
  });
}

export const within = (day: string, source: string): string =>
  `namespace = $1 AND ($2::text IS NULL OR ${source} = $2) AND ($3::date IS NULL OR ${day} >= $3) AND ($4::date IS NULL OR ${day} <= $4)`;

export const valuesOf = ({ namespace, sourceId, fromDay, toDay }: DistributionFilter): readonly SqlValue[] => [
  namespace,
  sourceId,
  fromDay,
  toDay,
];

export const matureDay = (nowMs: number): string =>
  new Date(nowMs - maturityDays * 86_400_000).toISOString().slice(0, 10);
