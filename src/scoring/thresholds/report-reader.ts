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
import { readCell, writeCell } from './distribution-store.js';
import { readNewest, type SessionsFilter } from './newest-sessions.js';

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

interface SourceRow extends Readonly<Record<string, string | number | boolean>> {
  readonly source_id: string;
  readonly cell: string;
  readonly recommendation: SourceCell['recommendation'];
  readonly label: SourceCell['label'];
  readonly age: SourceCell['age'];
  readonly asked: boolean;
  readonly sessions: number;
  readonly independence: number;
}

const anyCell = writeCell({ uncapped: 0, caps: [], agentPolicy: null, stepUpThreshold: null });

/** All sources in the period; the last 7 days and the 28 before are distinguished, and read in any case. Older sessions count without their score, which nothing reports. */
export async function readSources(
  database: Database,
  filter: DistributionFilter,
  nowMs: number,
): Promise<readonly SourceCell[]> {
  const rows = await readShared<SourceRow>(
    database,
    filter,
    `SELECT source_id, cell, recommendation, label, age, asked, sum(sessions)::bigint AS sessions, sum(independence)::bigint AS independence
       FROM (SELECT source_id, recommendation, label, sessions, independence, CASE WHEN day > $6::date THEN cell ELSE '${anyCell}' END AS cell,
                    CASE WHEN day > $5::date THEN 'week' WHEN day > $6::date THEN 'before' ELSE 'older' END AS age,
                    ${within('day', 'source_id')} AS asked
               FROM score_distribution WHERE namespace = $1 AND (${within('day', 'source_id')} OR day > $6::date)) AS aged
      GROUP BY source_id, cell, recommendation, label, age, asked HAVING sum(sessions) > 0`,
    [...valuesOf(filter), dayAgo(nowMs, 7), dayAgo(nowMs, 35)],
  );
  return rows.map(({ source_id, cell, sessions, recommendation, label, age, asked, independence }) => ({
    sourceId: source_id,
    inputs: readCell(cell),
    recommendation,
    label,
    age,
    isAsked: asked,
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

/** The newest sessions with a completion that nothing reverses any more; one more than are judged, where there are as many. */
export async function readHonest(
  database: Database,
  filter: SessionsFilter,
  nowMs: number,
): Promise<readonly HonestSession[]> {
  const rows = await readNewest(database, filter, nowMs, 'honest', fairnessSessionsMax + 1);
  return mapInSlices(rows, ({ record }) => honestOf(record));
}

function honestOf(record: Uint8Array): HonestSession {
  const { facts, verdict } = openReceipt(record);
  const { address, userAgent } = openFacts(facts);
  const agent = readUserAgent(userAgent);
  const { country } = address;
  const { recommendation } = verdict;
  if (agent === null) return { country, browser: null, device: null, recommendation };
  return { country, browser: agent.browser, device: deviceTierOf(agent), recommendation };
}

/** Android names phones, and iPads of today call themselves Macs. */
function deviceTierOf({ os, text, mobile }: UserAgent): string {
  const isTablet = /\biPad\b/.test(text) || (os === 'android' && !/\bMobile\b/.test(text));
  if (isTablet) return 'tablet';
  return mobile ? 'phone' : 'desktop';
}
