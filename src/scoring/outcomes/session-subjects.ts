/** Finds the history subjects of scored sessions in the index of sessions, and keeps them with the outcomes, which outlive the index. */
import type { Queryable, Row } from '../../stores/database/port.js';

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
        `SELECT kept.* FROM outcome_subjects kept JOIN unnest($1::text[], $2::text[]) AS named (project, session)
             ON kept.namespace = named.project AND kept.session_ref = named.session`,
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
  const found: Found = new Map();
  note(
    found,
    await tx.query<SubjectsRow>(
      `SELECT known.namespace, known.session_ref, known.subjects, known.respondent_known
         FROM session_index known JOIN unnest($1::text[], $2::text[]) AS named (project, session)
           ON known.namespace = named.project AND known.session_ref = named.session`,
      columnsOf(sessions),
    ),
  );
  return found;
}

/** Also while nothing counts: when something does, the receipt may be gone. */
async function keep(tx: Queryable, sessions: readonly SessionName[], found: Found): Promise<void> {
  if (sessions.length === 0) return;
  const scored = sessions.map((session) => found.get(nameOf(session)));
  await tx.query(
    `INSERT INTO outcome_subjects AS kept (namespace, session_ref, subjects, respondent_known)
     SELECT project, session, string_to_array(subjects, ','), known FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) AS row (project, session, subjects, known)
     ON CONFLICT (namespace, session_ref) DO UPDATE SET subjects = excluded.subjects, respondent_known = excluded.respondent_known
      WHERE (kept.subjects, kept.respondent_known) IS DISTINCT FROM (excluded.subjects, excluded.respondent_known)`,
    [
      ...columnsOf(sessions),
      scored.map((each) => each?.subjects.join(',') ?? ''),
      scored.map((each) => each?.respondentKnown === true),
    ],
  );
}
