/**
 * Whose history scored sessions belong to, of many at once. It stands in the index of sessions; where that was written before it told, in the
 * receipt, whose day the index names. A look at receipts that names no day opens every partition there is, so there is one only for
 * receipts that are older than the index itself. What was found is kept with the outcomes, for when the rest is past its lifetime.
 */
import type { Queryable, Row } from '../../stores/database/port.js';
import { indexedFrom } from '../sessions/before-index.js';

export interface SessionName {
  readonly namespace: string;
  readonly sessionRef: string;
}

export interface ScoredSubjects {
  readonly subjects: readonly string[];
  /** Whether a respondent is among them. */
  readonly respondentKnown: boolean;
}

export const nameOf = ({ namespace, sessionRef }: SessionName): string => `${namespace}\n${sessionRef}`;

/** The session that a row is of. */
export const sessionOf = (row: { readonly namespace: string; readonly session_ref: string }): SessionName => ({
  namespace: row.namespace,
  sessionRef: row.session_ref,
});

/** The columns that sessions are joined by, as unnest($1::text[], $2::text[]) AS named (project, session). */
export const columnsOf = (sessions: readonly SessionName[]): [projects: string[], refs: string[]] => [
  sessions.map(({ namespace }) => namespace),
  sessions.map(({ sessionRef }) => sessionRef),
];

const dayMs = 86_400_000;

interface SubjectsRow extends Row {
  readonly namespace: string;
  readonly session_ref: string;
  readonly subjects: readonly string[];
  readonly respondent_known: boolean;
}

type Found = Map<string, ScoredSubjects>;

/** By `nameOf`, as each session was scored last; a session that never was is not among them. */
export async function findSubjects(
  tx: Queryable,
  sessions: readonly SessionName[],
): Promise<ReadonlyMap<string, ScoredSubjects>> {
  const scored = await findScored(tx, sessions);
  await keep(
    tx,
    sessions.filter((session) => scored.has(nameOf(session))),
    scored,
  );
  const others = sessions.filter((session) => !scored.has(nameOf(session)));
  if (others.length > 0)
    note(
      scored,
      await tx.query<SubjectsRow>(
        `SELECT kept.*, kept.project_id AS namespace FROM outcome_subjects kept JOIN unnest($1::text[], $2::text[]) AS named (project, session)
             ON kept.project_id = named.project AND kept.session_ref = named.session`,
        columnsOf(others),
      ),
    );
  return scored;
}

const note = (found: Found, rows: readonly SubjectsRow[]): void => {
  for (const row of rows)
    found.set(nameOf(sessionOf(row)), {
      subjects: row.subjects,
      respondentKnown: row.respondent_known,
    });
};

async function findScored(tx: Queryable, sessions: readonly SessionName[]): Promise<Found> {
  const rows = await tx.query<IndexRow>(
    `SELECT known.project_id AS namespace, known.session_ref, known.receipt_id, known.scored_at, known.subjects, known.respondent_known
       FROM session_index known JOIN unnest($1::text[], $2::text[]) AS named (project, session)
         ON known.project_id = named.project AND known.session_ref = named.session`,
    columnsOf(sessions),
  );
  const found: Found = new Map();
  note(
    found,
    rows.flatMap((row) =>
      row.subjects === null
        ? []
        : [{ ...row, subjects: row.subjects, respondent_known: row.respondent_known === true }],
    ),
  );
  await readReceipts(
    tx,
    rows.filter(({ subjects }) => subjects === null),
    found,
  );
  const indexed = new Set(rows.map((row) => nameOf(sessionOf(row))));
  await readBeforeIndex(
    tx,
    sessions.filter((session) => !indexed.has(nameOf(session))),
    found,
  );
  return found;
}

interface IndexRow extends Row {
  readonly namespace: string;
  readonly session_ref: string;
  readonly receipt_id: string;
  readonly scored_at: Date;
  readonly subjects: readonly string[] | null;
  readonly respondent_known: boolean | null;
}

/** A query for each day, so that each names one partition. */
async function readReceipts(tx: Queryable, rows: readonly IndexRow[], found: Found): Promise<void> {
  const days = new Map<number, string[]>();
  for (const { scored_at, receipt_id } of rows) {
    const day = Math.floor(scored_at.getTime() / dayMs);
    days.set(day, [...(days.get(day) ?? []), receipt_id]);
  }
  for (const [day, receiptIds] of days)
    note(
      found,
      await tx.query<SubjectsRow>(
        `SELECT project_id AS namespace, session_ref, subjects, respondent_known FROM receipts
          WHERE scored_at >= $1 AND scored_at < $2 AND receipt_id = ANY($3::text[])`,
        [new Date(day * dayMs), new Date((day + 1) * dayMs), receiptIds],
      ),
    );
}

async function readBeforeIndex(tx: Queryable, sessions: readonly SessionName[], found: Found): Promise<void> {
  if (sessions.length === 0) return;
  const indexedFromMs = await indexedFrom(tx);
  if (indexedFromMs === null) return;
  // The latest comes last, and stands.
  note(
    found,
    await tx.query<SubjectsRow>(
      `SELECT r.project_id AS namespace, r.session_ref, r.subjects, r.respondent_known
         FROM receipts r JOIN unnest($1::text[], $2::text[]) AS named (project, session) ON r.project_id = named.project AND r.session_ref = named.session
        WHERE r.scored_at < $3 ORDER BY r.scored_at`,
      [...columnsOf(sessions), new Date(indexedFromMs)],
    ),
  );
}

/** Also where nothing counts yet: when something does, the receipt that tells may be gone. */
async function keep(tx: Queryable, sessions: readonly SessionName[], found: Found): Promise<void> {
  if (sessions.length === 0) return;
  const scored = sessions.map((session) => found.get(nameOf(session)));
  await tx.query(
    `INSERT INTO outcome_subjects AS kept (project_id, session_ref, subjects, respondent_known)
     SELECT project, session, string_to_array(subjects, ','), known FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) AS row (project, session, subjects, known)
     ON CONFLICT (project_id, session_ref) DO UPDATE SET subjects = excluded.subjects, respondent_known = excluded.respondent_known
      WHERE (kept.subjects, kept.respondent_known) IS DISTINCT FROM (excluded.subjects, excluded.respondent_known)`,
    [
      ...columnsOf(sessions),
      scored.map((each) => each?.subjects.join(',') ?? ''),
      scored.map((each) => each?.respondentKnown === true),
    ],
  );
}
