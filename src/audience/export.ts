/**
 * The respondents of a study as CSV (RFC 4180) or NDJSON, read in batches while they are sent. A cell that a spreadsheet would
 * run is made text by an apostrophe.
 */
import { RespondentReply, respondentStatuses } from '../contract/study-replies.js';
import { rest } from '../fair-limiter.js';
import { cutPage, type Page } from '../kernel/paging.js';
import type { Database, Queryable, SqlValue } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import { csvLine } from './csv.js';
import { reservationColumns, type QuotaReservation } from './reservation-store.js';
import { screenOutReasonOf, screenOutRuleOf, statuses, surveySeconds } from './study-rules.js';
import type { Study } from './study-store.js';

export const exportFormats = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The columns of CSV. */
const columns = Object.keys(RespondentReply.properties) as readonly (keyof RespondentReply)[];

const batchMax = 100;

interface Batch {
  readonly respondents: RespondentReply[];
  readonly nextCursor: string | null;
  /** The next page begins after this id; null on the last. */
  readonly lastId: string | null;
}

/**
 * The respondents that a list can show; verified includes all who completed, also those whose complete was rejected since. The status
 * terminated has both: reversed are the rejected completes, ended_by_survey the others.
 */
export const shownStatuses = [
  ...(['verified', 'completed_or_reversed', 'reversed', 'ended_by_survey', 'all'] as const),
  ...respondentStatuses,
] as const;
export type ShownStatus = (typeof shownStatuses)[number];

const conditions: Readonly<Partial<Record<ShownStatus, string>>> = {
  verified: 'AND (verified OR completion IS NOT NULL)',
  completed_or_reversed: "AND (state = 'completed' OR completion = 'reversed')",
  reversed: "AND completion = 'reversed'",
  ended_by_survey: "AND state = 'terminated' AND completion IS DISTINCT FROM 'reversed'",
};

/** Tokens are optional: anyone with a token can end the interview. */
export interface Shown {
  readonly status: ShownStatus;
  readonly token: boolean;
  /** Only respondents with exactly this id. */
  readonly rid?: string | undefined;
  /** Only the respondent of this session. */
  readonly sessionId?: string | undefined;
}

/** Newest first. */
export async function listRespondents(
  tx: Queryable,
  { studyId, projectId }: Pick<Study, 'studyId' | 'projectId'>,
  page: Page,
  shown: Shown,
): Promise<Batch> {
  const state = Object.entries(statuses).find(([, status]) => status === shown.status)?.[0] ?? null;
  const values: SqlValue[] = [studyId, page.below, page.limit + 1, state];
  const named: string[] = [];
  // An index finds a respondent of the project.
  if (shown.rid !== undefined)
    named.push(`AND project_id = $${values.push(projectId)} AND respondent_id = $${values.push(shown.rid)}`);
  if (shown.sessionId !== undefined) named.push(`AND place_id = $${values.push(shown.sessionId)}`);
  const rows = await tx.query<QuotaReservation & Record<string, unknown>>(
    `SELECT ${reservationColumns} FROM study_places WHERE study_id = $1 AND ($2::text IS NULL OR place_id < $2)
        AND ($4::text IS NULL OR state = $4) ${conditions[shown.status] ?? ''} ${named.join(' ')}
      ORDER BY place_id DESC LIMIT $3`,
    values,
  );
  const { items, nextCursor } = cutPage(rows, page.limit, (reservation) => reservation.reservationId);
  const lastId = nextCursor === null ? null : (items.at(-1)?.reservationId ?? null);
  return { respondents: items.map((reservation) => showRespondent(reservation, shown)), nextCursor, lastId };
}

/** The text of an export, in pieces. */
export async function* exportRespondents(
  database: Database,
  study: Study,
  format: ExportFormat,
  shown: Shown,
): AsyncGenerator<string> {
  const fields = columns.filter((name) => name !== 'token' || shown.token);
  if (format === 'csv') yield csvLine(fields);
  const render =
    format === 'csv'
      ? (item: RespondentReply) => csvLine(fields.map((field) => item[field] ?? null))
      : (item: RespondentReply): string => `${JSON.stringify(item)}\n`;
  for (let below: string | null = null, isMore = true; isMore;) {
    const page: Page = { limit: batchMax, below };
    const startedMs = performance.now();
    const { respondents, lastId }: Batch = await inOrganization(database, study.organizationId, (tx) =>
      listRespondents(tx, study, page, shown),
    );
    if (respondents.length > 0) yield respondents.map(render).join('');
    below = lastId;
    isMore = lastId !== null;
    if (isMore) await rest(startedMs);
  }
}

/** The identity behind a place, as reports name it. */
export const groupOf = (ref: string | null): string | null => ref?.slice(0, 16) ?? null;

const showRespondent = (reservation: QuotaReservation, { token }: Pick<Shown, 'token'>): RespondentReply => ({
  sessionId: reservation.reservationId,
  respondentId: reservation.respondentId,
  sourceId: reservation.sourceId,
  supplierId: reservation.supplierId,
  entry: reservation.entry,
  status: statuses[reservation.state],
  completion: reservation.completion,
  screenOutReason: screenOutReasonOf(reservation),
  screenOutRule: screenOutRuleOf(reservation),
  refusedFor: reservation.refusedFor,
  reversedBy: reservation.reversedBy,
  reversalNote: reservation.reversalNote,
  score: reservation.score ?? 0,
  recommendation: reservation.recommendation,
  reason: reservation.reason,
  duplicateBand: reservation.duplicateBand ?? 'none',
  country: reservation.country,
  receiptId: reservation.receiptId ?? '',
  enteredAt: reservation.enteredAt.toISOString(),
  returnedAt: reservation.returnedAt?.toISOString() ?? null,
  seconds: surveySeconds(reservation),
  deviceGroup: groupOf(reservation.deviceRef),
  addressGroup: groupOf(reservation.addressRef),
  networkGroup: groupOf(reservation.networkRef),
  ...(token ? { token: reservation.token } : {}),
});
