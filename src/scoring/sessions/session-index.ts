/**
 * Scored sessions, each with its latest receipt, also if written twice or out of order. The consumer that records receipts writes them.
 */
import type { RecordedVerdict } from '../../contract/pool.js';
import {
  textSessionsMax,
  type ScoredSession,
  type SessionListQuery,
  type SessionReceipt,
} from '../../contract/session-trail.js';
import { leastIdAt } from '../../crypto/ids.js';
import { cursorOf, cutPage, type Page, type PageOf } from '../../kernel/paging.js';
import type { Namespace } from '../../stores/counters/namespace.js';
import { dropOverAge } from '../../stores/database/retention.js';
import { batchFunction, booleans, doubles, integers, texts } from '../../stores/database/call-functions.js';
import type { Database, SqlValue } from '../../stores/database/port.js';
import { inOrganization } from '../../stores/database/tenant.js';

export interface IndexedReceipt extends Omit<SessionReceipt, 'scoredAt'> {
  readonly organizationId: string;
  readonly namespace: Namespace;
  readonly sessionRef: string;
  readonly sessionId: string;
  readonly scoredAt: Date;
  /** Whose history the session belongs to, and whether a respondent is among them. */
  readonly subjects: readonly string[];
  readonly respondentKnown: boolean;
}

/** Findings of a verdict stand foremost first. */
export const topReasonOf = ({ classification }: Pick<RecordedVerdict, 'classification'>): string | null =>
  classification.find(({ list }) => list === 'against')?.code ?? null;

/** Records the sessions of a batch of receipts. */
export const indexing = batchFunction<IndexedReceipt>('index_sessions', [
  texts((receipt) => receipt.organizationId),
  texts((receipt) => receipt.namespace),
  texts((receipt) => receipt.sessionRef),
  texts((receipt) => receipt.sessionId),
  texts((receipt) => receipt.receiptId),
  doubles((receipt) => receipt.scoredAt.getTime()),
  integers((receipt) => receipt.score),
  texts((receipt) => receipt.recommendation),
  texts((receipt) => receipt.verdictClass),
  texts((receipt) => receipt.duplicateBand),
  texts((receipt) => receipt.studyId),
  texts((receipt) => receipt.sourceId),
  texts((receipt) => receipt.supersedes),
  texts((receipt) => receipt.topReason),
  texts((receipt) => receipt.subjects.join(',')),
  booleans((receipt) => receipt.respondentKnown),
]);

type IndexRow = {
  readonly session_id: string;
  readonly first_scored_at: Date;
  readonly scored_at: Date;
  readonly receipt_id: string;
  readonly score: number;
  readonly recommendation: SessionReceipt['recommendation'];
  readonly verdict_class: SessionReceipt['verdictClass'];
  readonly duplicate_band: SessionReceipt['duplicateBand'];
  readonly study_id: string | null;
  readonly source_id: string | null;
  readonly supersedes: string | null;
  readonly top_reason: string | null;
};

/** Between which times a session was scored, or its verdict changed; null where it never was. */
export async function findScoredTimes(
  database: Database,
  owner: { readonly organizationId: string; readonly namespace: Namespace },
  sessionRef: string,
): Promise<{ readonly first: Date; readonly last: Date } | null> {
  const [row] = await inOrganization(database, owner.organizationId, (tx) =>
    tx.query<Pick<IndexRow, 'first_scored_at' | 'scored_at'>>(
      'SELECT first_scored_at, greatest(scored_at, changed_at) AS scored_at FROM session_index WHERE namespace = $1 AND session_ref = $2',
      [owner.namespace, sessionRef],
    ),
  );
  return row === undefined ? null : { first: row.first_scored_at, last: row.scored_at };
}

/** The filter of a list: its text, and the references by which sessions and respondents are kept. */
export interface SessionFilter extends Omit<SessionListQuery, 'projectId' | 'limit' | 'cursor' | 'text' | 'sharing'> {
  readonly text?: { readonly plain: string; readonly session: string; readonly respondent: string };
  /** Others than this session that have one of the subjects. */
  readonly sharing?: { readonly session: string; readonly subjects: readonly string[] };
}

const textMatch = ([plain, session, respondent]: readonly string[]): string =>
  `(position(lower(${plain}) IN lower(session_id)) > 0 OR session_ref = ${session} OR ${respondent} = ANY(subjects) OR receipt_id = ${plain} OR top_reason = ${plain})`;

/** A page of a project’s sessions, those scored last first. */
export async function listSessions(
  database: Database,
  owner: { readonly organizationId: string; readonly namespace: Namespace },
  filter: SessionFilter,
  page: Page,
): Promise<PageOf<ScoredSession>> {
  const values: SqlValue[] = [];
  const add = (value: SqlValue): string => `$${values.push(value)}`;
  const conditions = [`namespace = ${add(owner.namespace)}`];
  const where = (condition: string, value: SqlValue | undefined): void => {
    if (value !== undefined && value !== null) conditions.push(`${condition} ${add(value)}`);
  };
  where('receipt_id <', page.below);
  where('receipt_id >=', filter.from === undefined ? undefined : leastIdAt('receipt', Date.parse(filter.from)));
  where('receipt_id <', filter.to === undefined ? undefined : leastIdAt('receipt', Date.parse(filter.to)));
  where('study_id =', filter.studyId);
  where('source_id =', filter.sourceId);
  where('recommendation =', filter.recommendation);
  where('duplicate_band =', filter.duplicateBand);
  const { text, sharing } = filter;
  const matches = [
    text === undefined ? 'true' : textMatch([text.plain, text.session, text.respondent].map(add)),
    sharing === undefined
      ? 'true'
      : `(subjects && ${add(sharing.subjects)}::text[] AND session_ref <> ${add(sharing.session)})`,
  ];
  const isBounded = text !== undefined || sharing !== undefined;
  const looked = isBounded ? textSessionsMax : page.limit + 1;
  const rows = await inOrganization(database, owner.organizationId, (tx) =>
    tx.query<IndexRow & { readonly is_match: boolean; readonly place: number }>(
      `SELECT * FROM (
         SELECT *, ${matches.join(' AND ')} AS is_match, (row_number() OVER (ORDER BY receipt_id DESC))::int AS place FROM session_index
          WHERE ${conditions.join(' AND ')} ORDER BY receipt_id DESC LIMIT ${looked}) AS newest
        WHERE is_match OR place = ${looked} ORDER BY receipt_id DESC LIMIT ${page.limit + 2}`,
      values,
    ),
  );
  const found = rows.filter(({ is_match: isMatch }) => isMatch);
  const { items, nextCursor } = cutPage(found, page.limit, (row) => row.receipt_id);
  // Too few match among those looked through: the next page goes on behind the last of them.
  const last = rows.find(({ place }) => place === looked);
  return {
    items: items.map(sessionOf),
    nextCursor: nextCursor ?? (last === undefined || !isBounded ? null : cursorOf(last.receipt_id)),
  };
}
function sessionOf(row: IndexRow): ScoredSession {
  const scoredAt = row.scored_at.toISOString();
  return {
    sessionId: row.session_id,
    lastScoredAt: scoredAt,
    receipt: {
      receiptId: row.receipt_id,
      scoredAt,
      score: row.score,
      recommendation: row.recommendation,
      verdictClass: row.verdict_class,
      duplicateBand: row.duplicate_band,
      studyId: row.study_id,
      sourceId: row.source_id,
      supersedes: row.supersedes,
      topReason: row.top_reason,
    },
  };
}

/** The sources of scored sessions by their references; one that was not scored, or named none, is left out. */
export async function findSourcesOf(
  database: Database,
  owner: { readonly organizationId: string; readonly namespace: Namespace },
  sessionRefs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (sessionRefs.length === 0) return new Map();
  const rows = await inOrganization(database, owner.organizationId, (tx) =>
    tx.query<{ ref: string; source: string }>(
      `SELECT session_ref AS ref, source_id AS source FROM session_index
        WHERE namespace = $1 AND session_ref = ANY($2::text[]) AND source_id IS NOT NULL`,
      [owner.namespace, [...sessionRefs]],
    ),
  );
  return new Map(rows.map(({ ref, source }) => [ref, source]));
}

/** Filters these sources down to those without any scored session of the project. */
export async function findSilentSources(
  database: Database,
  owner: { readonly organizationId: string; readonly namespace: Namespace },
  sourceIds: readonly string[],
): Promise<readonly string[]> {
  if (sourceIds.length === 0) return [];
  const rows = await inOrganization(database, owner.organizationId, (tx) =>
    tx.query<{ source: string }>(
      `SELECT source FROM unnest($2::text[]) AS source
        WHERE NOT EXISTS (SELECT 1 FROM session_index WHERE namespace = $1 AND source_id = source)`,
      [owner.namespace, sourceIds],
    ),
  );
  return rows.map(({ source }) => source);
}

/** Deletes sessions that were scored last before their receipts’ lifetime began. */
export const dropExpiredSessions = (
  database: Database,
  nowMs: number,
  keepDays: number,
  isStopping?: () => boolean,
): Promise<number> =>
  dropOverAge(database, { table: 'session_index', column: 'scored_at', keepDays }, nowMs, isStopping);
