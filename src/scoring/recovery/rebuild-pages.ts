/**
 * Reads a project for a rebuild, one page at a time: sessions from the index, the latest receipt first, and their records by day. The cursor is the
 * receipt id that the next page starts below. A page costs the same however many receipts there are.
 */
import { leastIdAt } from '../../crypto/ids.js';
import { bounds } from '../../stores/counters/bounds.js';
import type { Namespace } from '../../stores/counters/namespace.js';
import type { CountedSession, Counters } from '../../stores/counters/port.js';
import type { Database, Row } from '../../stores/database/port.js';
import { openFacts, openReceipt } from '../../record/record.js';
import type { Pool } from '../../pool/pool.js';
import type { Receipt } from '../../record/types.js';
import type { Logger } from '../../telemetry/logger.js';

export interface PageDeps extends RecordDeps {
  readonly database: Database;
  readonly counters: Pick<Counters, 'restoreSessions'>;
}

/** Times of receipts, milliseconds since 1970. */
export interface Span {
  readonly sinceMs: number;
  readonly untilMs: number;
}

export interface RestoredPage {
  readonly sessions: number;
  /** Cursor of the next page; null at the end. */
  readonly next: string | null;
}

const pageMax = 500;
const dayMs = bounds.dayMs;
/** The limit for one page; no call waits for it. */
const deadlineMs = 30_000;

export const firstCursor = (span: Span): string => leastIdAt('receipt', span.untilMs);

/** Counts a page of the project again. */
export async function restorePage(
  deps: PageDeps,
  namespace: Namespace,
  span: Span,
  cursor: string,
): Promise<RestoredPage> {
  const page = await deps.database.query<IndexedSession>(
    `SELECT session_ref, receipt_id, first_scored_at, scored_at FROM session_index
      WHERE namespace = $1 AND receipt_id < $2 AND receipt_id >= $3 ORDER BY receipt_id DESC LIMIT ${pageMax}`,
    [namespace, cursor, leastIdAt('receipt', span.sinceMs)],
    { deadlineMs },
  );
  for (const [day, sessionRefs] of daysOf(page, span.sinceMs))
    await restore(deps, namespace, await readDay(deps, namespace, day, sessionRefs));
  const last = page.length < pageMax ? undefined : page.at(-1);
  return { sessions: page.length, next: last?.receipt_id ?? null };
}

interface IndexedSession extends Row {
  readonly session_ref: string;
  readonly receipt_id: string;
  readonly first_scored_at: Date;
  readonly scored_at: Date;
}

/** Sessions by the days on which receipts of theirs may lie, the latest day first. */
function daysOf(page: readonly IndexedSession[], sinceMs: number): readonly (readonly [day: number, refs: string[]])[] {
  const days = new Map<number, string[]>();
  for (const { session_ref, first_scored_at, scored_at } of page) {
    const first = Math.floor(Math.max(first_scored_at.getTime(), sinceMs) / dayMs);
    for (let day = Math.floor(scored_at.getTime() / dayMs); day >= first; day -= 1) {
      const refs = days.get(day) ?? [];
      refs.push(session_ref);
      days.set(day, refs);
    }
  }
  return [...days].sort(([a], [b]) => b - a);
}

async function readDay(
  deps: PageDeps,
  namespace: Namespace,
  day: number,
  sessionRefs: readonly string[],
): Promise<readonly CountedSession[]> {
  const rows = await deps.database.query<RecordRow>(
    `SELECT receipt_id, record FROM receipts WHERE namespace = $1 AND scored_at >= $2 AND scored_at < $3 AND session_ref = ANY($4::text[])
      ORDER BY scored_at DESC`,
    [namespace, new Date(day * dayMs), new Date((day + 1) * dayMs), sessionRefs],
    { deadlineMs },
  );
  return countedSessions(deps, rows);
}

async function restore(
  { counters }: PageDeps,
  namespace: Namespace,
  sessions: readonly CountedSession[],
): Promise<void> {
  for (let from = 0; from < sessions.length; from += bounds.restoreMax)
    await counters.restoreSessions(namespace, sessions.slice(from, from + bounds.restoreMax));
}

export interface RecordDeps {
  readonly pool: Pick<Pool, 'run'>;
  readonly logger: Logger;
}

export interface RecordRow extends Row {
  readonly receipt_id: string;
  readonly record: Uint8Array;
}

const countedSessions = (
  { pool, logger }: RecordDeps,
  rows: readonly RecordRow[],
): Promise<readonly CountedSession[]> =>
  Promise.all(rows.flatMap((row) => open(row, logger)).map((receipt) => countedSessionOf(pool, receipt)));

type Opened = Pick<Receipt, 'trace'> & { readonly facts: ReturnType<typeof openFacts> };

/** Nothing of a record that cannot be read (a damaged row): the project comes back without it, and not at all if it had to wait for it. */
function open(row: RecordRow, logger: Logger): readonly Opened[] {
  try {
    const { trace, facts } = openReceipt(row.record);
    return [{ trace, facts: openFacts(facts) }];
  } catch (error) {
    logger.warn({ err: error, receiptId: row.receipt_id }, 'counter recovery skipped an unreadable receipt');
    return [];
  }
}

/** The counted session, with the sketch of the device made again from the recorded probe. */
async function countedSessionOf(pool: Pick<Pool, 'run'>, { trace, facts }: Opened): Promise<CountedSession> {
  const { probe, token = null } = facts;
  const known = { ...trace, device: trace.device ?? token, token };
  if (probe === null) return { ...known, sketch: null, bands: [] };
  return { ...known, ...(await pool.run({ kind: 'sketch', body: probe.body, userAgent: probe.transport.userAgent })) };
}
