/** Reads what the reports are made of from the score distribution, and the newest honest sessions by their receipts. */
import {
  fairnessSessionsMax,
  mixRowsMax,
  type HonestSession,
  type LabelledCell,
  type SourceCell,
} from '../../contract/reports.js';
import type { Mix } from '../../contract/thresholds.js';
import { readUserAgent, type UserAgent } from '../../contract/user-agent.js';
import { openFacts, openReceipt } from '../../record/record.js';
import type { Database } from '../../stores/database/port.js';
import { matureDay, readShared, valuesOf, within, type DistributionFilter } from './distribution-reader.js';
import { mapInSlices } from '../receipts/receipts.js';
import { readCell } from './distribution-store.js';

type MixRow = Mix & { readonly day: string; readonly source_id: string };

/** One row more than a reply may hold, where there are as many. */
export const readMix = (database: Database, filter: DistributionFilter): Promise<readonly MixRow[]> =>
  readShared<MixRow>(
    database,
    filter,
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, source_id, ${['allow', 'review', 'block', 'step_up']
      .map((name) => `coalesce(sum(sessions) FILTER (WHERE recommendation = '${name}'), 0)::bigint AS ${name}`)
      .join(', ')}
       FROM score_distribution d WHERE ${within('d.day', 'source_id')}
      GROUP BY d.day, source_id HAVING sum(sessions) > 0 ORDER BY d.day DESC, source_id LIMIT ${mixRowsMax + 1}`,
    valuesOf(filter),
  );

const dayMs = 86_400_000;
const dayAgo = (nowMs: number, days: number): string => new Date(nowMs - days * dayMs).toISOString().slice(0, 10);

interface SourceRow extends Readonly<Record<string, string | number>> {
  readonly source_id: string;
  readonly cell: string;
  readonly recommendation: SourceCell['recommendation'];
  readonly label: SourceCell['label'];
  readonly age: SourceCell['age'];
  readonly sessions: number;
  readonly independence: number;
}

/** All sources; the last 7 days and the 28 before are distinguished. */
export async function readSources(
  database: Database,
  filter: DistributionFilter,
  nowMs: number,
): Promise<readonly SourceCell[]> {
  const rows = await readShared<SourceRow>(
    database,
    filter,
    `SELECT source_id, cell, recommendation, label, age, sum(sessions)::bigint AS sessions, sum(independence)::bigint AS independence
       FROM (SELECT *, CASE WHEN day > $5::date THEN 'week' WHEN day > $6::date THEN 'before' ELSE 'older' END AS age
               FROM score_distribution WHERE ${within('day', 'source_id')}) AS aged
      GROUP BY source_id, cell, recommendation, label, age HAVING sum(sessions) > 0`,
    [...valuesOf(filter), dayAgo(nowMs, 7), dayAgo(nowMs, 35)],
  );
  return rows.map(({ source_id, cell, sessions, recommendation, label, age, independence }) => ({
    sourceId: source_id,
    inputs: readCell(cell),
    recommendation,
    label,
    age,
    count: sessions,
    independence,
  }));
}

/** Sessions whose label has stood for the time in which it can be reversed: of both kinds, so that neither is counted too soon. */
export async function readMatured(
  database: Database,
  filter: DistributionFilter,
  nowMs: number,
): Promise<readonly LabelledCell[]> {
  const rows = await readShared<{ cell: string; fraud: boolean; sessions: number }>(
    database,
    filter,
    `SELECT cell, label = 'fraud' AS fraud, sum(sessions)::bigint AS sessions FROM score_distribution
      WHERE ${within('day', 'source_id')} AND label <> 'none' AND label_day <= $5::date GROUP BY 1, 2 HAVING sum(sessions) > 0`,
    [...valuesOf(filter), matureDay(nowMs)],
  );
  return rows.map(({ cell, fraud, sessions }) => ({ inputs: readCell(cell), fraud, count: sessions }));
}

/** The newest sessions with a completion that stands so far. */
export async function readHonest(database: Database, filter: DistributionFilter): Promise<readonly HonestSession[]> {
  const rows = await readShared<{ record: Uint8Array }>(
    database,
    filter,
    `SELECT r.record FROM (SELECT receipt_id, scored_at FROM scored_sessions
        WHERE ${within("(scored_at AT TIME ZONE 'UTC')::date", 'source_id')} AND label = 'complete'
        ORDER BY scored_at DESC LIMIT ${fairnessSessionsMax}) AS honest
       JOIN receipts r ON r.receipt_id = honest.receipt_id AND r.scored_at = honest.scored_at`,
    valuesOf(filter),
  );
  return rows.map(({ record }) => honestOf(record, ({ mobile }) => (mobile ? 'phone or tablet' : 'computer')));
}

/** The newest sessions with a completion that nothing reverses any more; one more than are judged, where there are as many. */
export async function readRipeHonest(
  database: Database,
  filter: DistributionFilter & { readonly studyId: string | null },
  nowMs: number,
): Promise<readonly HonestSession[]> {
  const rows = await readShared<{ record: Uint8Array }>(
    database,
    filter,
    `SELECT r.record FROM (SELECT receipt_id, scored_at FROM scored_sessions s
        WHERE ${within("(scored_at AT TIME ZONE 'UTC')::date", 'source_id')} AND label = 'complete' AND label_day <= $5::date
          AND ($6::text IS NULL OR EXISTS (SELECT 1 FROM session_index i WHERE i.namespace = s.namespace AND i.session_ref = s.session_ref AND i.study_id = $6))
        ORDER BY scored_at DESC LIMIT ${fairnessSessionsMax + 1}) AS honest
       JOIN receipts r ON r.receipt_id = honest.receipt_id AND r.scored_at = honest.scored_at ORDER BY r.scored_at DESC`,
    [...valuesOf(filter), matureDay(nowMs), filter.studyId],
  );
  return mapInSlices(rows, ({ record }) => honestOf(record, deviceTierOf));
}

function honestOf(record: Uint8Array, deviceOf: (agent: UserAgent) => string): HonestSession {
  const { facts, verdict } = openReceipt(record);
  const { address, userAgent } = openFacts(facts);
  const agent = readUserAgent(userAgent);
  const { country } = address;
  const { recommendation } = verdict;
  if (agent === null) return { country, browser: null, device: null, recommendation };
  return { country, browser: agent.browser, device: deviceOf(agent), recommendation };
}

/** Android names phones, and iPads of today call themselves Macs. */
function deviceTierOf({ os, text, mobile }: UserAgent): string {
  const isTablet = /\biPad\b/.test(text) || (os === 'android' && !/\bMobile\b/.test(text));
  if (isTablet) return 'tablet';
  return mobile ? 'phone' : 'desktop';
}
