/**
 * What a rebuild reads of a project, a page at a time, by the names of the places that it has come to: the index of sessions, latest first, and then
 * the receipts that the index may not know, day by day. A page costs the same however many receipts there are.
 *
 *   rcpt_… ──below this receipt of the index──▶ … ──▶ before-index/DAY/SESSION/RECEIPT ──behind this receipt of the day──▶ … ──▶ null
 *                                            └─all receipts of the span have their sessions in the index──▶ null
 */
import { leastIdAt } from '../../crypto/ids.js';
import { bounds } from '../../stores/counters/bounds.js';
import type { Namespace } from '../../stores/counters/namespace.js';
import type { CountedSession, Counters } from '../../stores/counters/port.js';
import type { Database, Row } from '../../stores/database/port.js';
import { countedSessions, type RecordDeps, type RecordRow } from './rebuild-records.js';

export interface PageDeps extends RecordDeps {
  readonly database: Database;
  readonly counters: Pick<Counters, 'restoreSessions'>;
}

/** Of receipts, milliseconds since 1970. */
export interface Span {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** From here on each has its session in the index; null where all have. */
  readonly indexedFromMs: number | null;
}

export interface RestoredPage {
  readonly sessions: number;
  /** Where to go on; null at the end. */
  readonly next: string | null;
}

const pageMax = 500;
const dayMs = bounds.dayMs;
/** Of one page; nobody waits for it. */
const deadlineMs = 30_000;
const beforeIndex = 'before-index/';

export const firstPlace = (span: Span): string => leastIdAt('receipt', span.untilMs);

/** Counts a page of the project again. */
export const restorePage = (deps: PageDeps, namespace: Namespace, span: Span, place: string): Promise<RestoredPage> =>
  place.startsWith(beforeIndex)
    ? restoreUnindexed(deps, namespace, span, place)
    : restoreIndexed(deps, namespace, span, place);

async function restoreIndexed(deps: PageDeps, namespace: Namespace, span: Span, below: string): Promise<RestoredPage> {
  const page = await deps.database.query<IndexedSession>(
    `SELECT session_ref, receipt_id, first_scored_at, scored_at FROM session_index
      WHERE project_id = $1 AND receipt_id < $2 AND receipt_id >= $3 ORDER BY receipt_id DESC LIMIT ${pageMax}`,
    [namespace, below, leastIdAt('receipt', span.sinceMs)],
    { deadlineMs },
  );
  for (const [day, sessionRefs] of daysOf(page, span.sinceMs))
    await restore(deps, namespace, await readDay(deps, namespace, day, sessionRefs));
  const last = page.length < pageMax ? undefined : page.at(-1);
  return { sessions: page.length, next: last?.receipt_id ?? nextDay(span, Infinity) };
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
    `SELECT receipt_id, record FROM receipts WHERE project_id = $1 AND scored_at >= $2 AND scored_at < $3 AND session_ref = ANY($4::text[])
      ORDER BY scored_at DESC`,
    [namespace, new Date(day * dayMs), new Date((day + 1) * dayMs), sessionRefs],
    { deadlineMs },
  );
  return countedSessions(deps, rows);
}

interface FoundReceipt extends Row {
  readonly session_ref: string;
  readonly receipt_id: string;
  /** null where the index leads to it. */
  readonly record: Uint8Array | null;
}

/** In the order of the one index that finds the receipts of a project. The page is one of all its receipts, so that it has an end where the index knows them. */
async function restoreUnindexed(
  deps: PageDeps,
  namespace: Namespace,
  span: Span,
  place: string,
): Promise<RestoredPage> {
  const [day = '', session = '', receipt = ''] = place.slice(beforeIndex.length).split('/');
  const startMs = Number(day) * dayMs;
  const page = await deps.database.query<FoundReceipt>(
    `SELECT session_ref, receipt_id,
            CASE WHEN NOT EXISTS (SELECT 1 FROM session_index known WHERE known.project_id = $1 AND known.session_ref = page.session_ref
                                     AND page.scored_at BETWEEN known.first_scored_at AND known.scored_at) THEN record END AS record
       FROM (SELECT session_ref, receipt_id, scored_at, record FROM receipts
              WHERE project_id = $1 AND scored_at >= $2 AND scored_at < $3 AND (session_ref, receipt_id) > ($4, $5)
              ORDER BY session_ref, receipt_id LIMIT ${pageMax}) AS page
      ORDER BY session_ref, receipt_id`,
    [
      ...[namespace, new Date(Math.max(startMs, span.sinceMs)), new Date(Math.min(startMs + dayMs, endOf(span)))],
      ...[session, receipt],
    ],
    { deadlineMs },
  );
  const unindexed = page.flatMap(({ record, ...row }) => (record === null ? [] : [{ ...row, record }]));
  await restore(deps, namespace, await countedSessions(deps, unindexed));
  const last = page.length < pageMax ? undefined : page.at(-1);
  return {
    sessions: new Set(unindexed.map((row) => row.session_ref)).size,
    next:
      last === undefined ? nextDay(span, Number(day)) : `${beforeIndex}${day}/${last.session_ref}/${last.receipt_id}`,
  };
}

/** Where the receipts end whose sessions the index may not hold. */
const endOf = ({ untilMs, indexedFromMs }: Span): number => Math.min(untilMs, indexedFromMs ?? -Infinity);

/** The beginning of the latest day before this one that has such receipts. */
function nextDay(span: Span, before: number): string | null {
  const endMs = endOf(span);
  if (endMs <= span.sinceMs) return null;
  const day = Math.min(before - 1, Math.ceil(endMs / dayMs) - 1);
  return day < Math.floor(span.sinceMs / dayMs) ? null : `${beforeIndex}${day}//`;
}

async function restore(
  { counters }: PageDeps,
  namespace: Namespace,
  sessions: readonly CountedSession[],
): Promise<void> {
  for (let from = 0; from < sessions.length; from += bounds.restoreMax)
    await counters.restoreSessions(namespace, sessions.slice(from, from + bounds.restoreMax));
}
