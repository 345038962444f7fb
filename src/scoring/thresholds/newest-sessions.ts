/** The newest sessions of a project by their labels, with their records. The counts say on which days they are, so that no other days are read. */
import { type Database, keysAreLookedUp } from '../../stores/database/port.js';
import { matureDay, readShared, valuesOf, within, type DistributionFilter } from './distribution-reader.js';

export interface SessionsFilter extends DistributionFilter {
  readonly studyId: string | null;
}

/** An honest session has a completion that nothing reverses any more. */
const choices = {
  all: 'true',
  honest: "label = 'complete' AND label_day <= $5",
  fraud: "label = 'fraud'",
} as const;

export interface NewestSession {
  readonly receipt_id: string;
  readonly record: Uint8Array;
}

/** At most `limit`, the newest first. Sessions whose receipt is not recorded yet, or no longer kept, are left out. */
export async function readNewest(
  database: Database,
  filter: SessionsFilter,
  nowMs: number,
  choice: keyof typeof choices,
  limit: number,
): Promise<readonly NewestSession[]> {
  const { namespace, sourceId, studyId } = filter;
  const isChosen = `$5::date IS NOT NULL AND ${choices[choice]}`;
  const mature = matureDay(nowMs);
  const [days] = await readShared<{ first: string | null; last: string | null }>(
    database,
    filter,
    `SELECT to_char(min(day), 'YYYY-MM-DD') AS first, to_char(max(day), 'YYYY-MM-DD') AS last
       FROM (SELECT day, sum(sum(sessions)) OVER (ORDER BY day DESC) - sum(sessions) AS newer FROM score_distribution
              WHERE ${within('day', 'source_id')} AND ${isChosen}
              GROUP BY day HAVING sum(sessions) > 0) AS chosen WHERE newer < $6 OR $7::text IS NOT NULL`,
    [...valuesOf(filter), mature, limit, studyId],
  );
  if (days === undefined || days.first === null) return [];
  const own =
    studyId === null
      ? 'scored_sessions s WHERE s.namespace = $1 AND $6::text IS NULL'
      : 'session_index i JOIN scored_sessions s USING (namespace, session_ref) WHERE i.namespace = $1 AND i.study_id = $6';
  return readShared<NewestSession & Readonly<Record<string, unknown>>>(
    database,
    filter,
    `SELECT r.receipt_id, r.record FROM (SELECT s.receipt_id, s.scored_at FROM ${own}
        AND ($2::text IS NULL OR s.source_id = $2) AND s.scored_at >= $3::date::timestamp AT TIME ZONE 'UTC' AND s.scored_at < ($4::date + 1)::timestamp AT TIME ZONE 'UTC'
        AND ${isChosen} ORDER BY s.scored_at DESC LIMIT ${limit}) AS newest
       JOIN receipts r ON r.receipt_id = newest.receipt_id AND r.scored_at = newest.scored_at ORDER BY r.scored_at DESC`,
    [namespace, sourceId, days.first, days.last, mature, studyId],
    keysAreLookedUp,
  );
}
