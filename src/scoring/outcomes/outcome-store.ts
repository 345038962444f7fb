/**
 * Stores the outcome events of a call in one statement: it finds earlier statements and scored sessions, stores what is new and orders
 * adjudication. Events with ids are stored in a transaction that first removes what these ids said before.
 */
import { type Database, keysAreLookedUp, type Queryable } from '../../stores/database/port.js';
import { eventOf, factOf, nameOf, sortRows, type OutcomeRow } from './outcome-rows.js';
import { columnsOf, sessionOf, type SessionName } from './session-subjects.js';

export interface StoredOutcomes {
  /** Those of the rows that were new. */
  readonly accepted: readonly OutcomeRow[];
  /** Accepted rows that say something else of their event than was said before. */
  readonly restated: ReadonlySet<OutcomeRow>;
  /** How many accepted rows do, or replaced what their eventId said. */
  readonly corrected: number;
  /** Those of the accepted rows whose sessions are not on record as scored. */
  readonly unscored: readonly OutcomeRow[];
}

/** Replaces what known eventIds said, stores what is new, and orders the adjudication of every session that this touches. Durable when it resolves. */
export function storeEvents(database: Database, rows: readonly OutcomeRow[]): Promise<StoredOutcomes> {
  const sorted = sortRows(rows);
  if (sorted.every(({ eventId }) => eventId === null)) return insertOutcomes(database, sorted);
  return database.transaction(
    async (tx) => {
      const lasting = new Map(sorted.map((row) => [nameOf(row), factOf(row)]));
      const replacedAtOnce = rows.filter((row) => (lasting.get(nameOf(row)) ?? factOf(row)) !== factOf(row));
      const replaced = [...(await replaceEvents(tx, sorted)), ...replacedAtOnce.map(({ eventId }) => eventId)];
      return insertOutcomes(tx, sorted, new Set(replaced));
    },
    { opening: keysAreLookedUp },
  );
}

interface InsertedRow extends Readonly<Record<string, unknown>> {
  readonly stored: number;
  /** The new facts, as `factOf`; null if all were new. */
  readonly facts: readonly string[] | null;
  /** Places of rows, from 1 on. */
  readonly stated: readonly number[] | null;
  readonly unscored: readonly number[] | null;
}

/** `rows` as sortRows leaves them; `replaced`: eventIds whose earlier statement was removed for them or in the same call. */
async function insertOutcomes(
  tx: Queryable,
  rows: readonly OutcomeRow[],
  replaced: ReadonlySet<string | null> = new Set(),
): Promise<StoredOutcomes> {
  const [inserted] = await tx.query<InsertedRow>(
    `WITH given AS MATERIALIZED (
       SELECT row.*, stood.one IS NOT NULL AS stated, scored.one IS NULL AS unscored
         FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[])
              WITH ORDINALITY AS row (project, session, type, at, target, class, respondent, event, place)
         LEFT JOIN LATERAL (SELECT 1 AS one FROM outcomes o
           WHERE (o.namespace, o.session_ref, o.type, o.occurred_at, o.target) = (row.project, row.session, row.type, row.at, row.target) LIMIT 1) stood ON true
         LEFT JOIN LATERAL (SELECT 1 AS one FROM scored_sessions s WHERE s.namespace = row.project AND s.session_ref = row.session LIMIT 1) scored ON true),
     stored AS (
       INSERT INTO outcomes (namespace, session_ref, type, occurred_at, target, reason_class, respondent_ref, event_id)
       SELECT project, session, type, at, target, class, respondent, event FROM given
        WHERE class IS NOT NULL OR respondent IS NOT NULL OR NOT stated ORDER BY place
       ON CONFLICT DO NOTHING RETURNING namespace, session_ref, type, occurred_at, target, statement),
     ordered AS (INSERT INTO adjudication_work (namespace, session_ref) SELECT DISTINCT namespace, session_ref FROM stored)
     SELECT count(*)::int AS stored,
            CASE WHEN count(*) BETWEEN 1 AND $9::int - 1
              THEN array_agg(concat_ws(E'\\n', namespace, session_ref, type, (extract(epoch FROM occurred_at) * 1000)::bigint, target, statement)) END AS facts,
            (SELECT array_agg(place::int) FROM given WHERE stated) AS stated,
            (SELECT array_agg(place::int) FROM given WHERE unscored) AS unscored
       FROM stored`,
    [...keyColumns(rows), ...saidColumns(rows), rows.map((row) => row.eventId), rows.length],
  );
  const { stored, facts, stated, unscored } = inserted ?? { stored: 0, facts: null, stated: null, unscored: null };
  // A fact that comes twice in one call, with an eventId and without, is new once.
  const news = new Set(facts);
  const accepted = facts === null && stored > 0 ? rows : rows.filter((row) => news.delete(factOf(row)));
  const isNew = new Set(accepted);
  const at = (places: readonly number[] | null): readonly OutcomeRow[] =>
    (places ?? []).flatMap((place) => rows[place - 1] ?? []).filter((row) => isNew.has(row));
  // Rows of one event stand side by side.
  const events = accepted.map(eventOf);
  const restated = new Set([...at(stated), ...accepted.filter((_, index) => events[index] === events[index - 1])]);
  const corrected = accepted.filter((row) => restated.has(row) || replaced.has(row.eventId)).length;
  return { accepted, restated, corrected, unscored: at(unscored) };
}

/**
 * Removes what the same eventIds said before, and names events that had no id. One writer of a project’s eventIds at a time, so that
 * corrections see each other.
 */
async function replaceEvents(tx: Queryable, rows: readonly OutcomeRow[]): Promise<ReadonlySet<string>> {
  const named = rows.filter((row) => row.eventId !== null);
  for (const namespace of [...new Set(named.map((row) => row.namespace))].sort())
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`event ids ${namespace}`]);
  const replaced = await tx.query<{ namespace: string; session_ref: string; event_id: string }>(
    `DELETE FROM outcomes o USING unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[])
            AS row (project, session, type, at, target, class, respondent, event)
      WHERE o.namespace = row.project AND o.event_id = row.event
        AND (o.session_ref, o.type, o.occurred_at, o.target, o.statement) <> (row.session, row.type, row.at, row.target, coalesce(row.class, '') || '/' || coalesce(row.respondent, ''))
      RETURNING o.namespace, o.session_ref, o.event_id`,
    [...keyColumns(named), ...saidColumns(named), named.map((row) => row.eventId)],
  );
  // An event that stood without an id gets the one that it is stated with now, so that a correction by that id finds it.
  await tx.query(
    `UPDATE outcomes o SET event_id = row.event FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[])
            AS row (project, session, type, at, target, class, respondent, event)
      WHERE o.event_id IS NULL AND (o.namespace, o.session_ref, o.type, o.occurred_at, o.target, o.statement) = (row.project, row.session, row.type, row.at, row.target, coalesce(row.class, '') || '/' || coalesce(row.respondent, ''))
        AND NOT EXISTS (SELECT 1 FROM outcomes known WHERE known.namespace = row.project AND known.event_id = row.event)`,
    [...keyColumns(named), ...saidColumns(named), named.map((row) => row.eventId)],
  );
  await orderWork(tx, replaced.map(sessionOf));
  return new Set(replaced.map((row) => row.event_id));
}

async function orderWork(tx: Queryable, sessions: readonly SessionName[]): Promise<void> {
  if (sessions.length === 0) return;
  await tx.query(
    'INSERT INTO adjudication_work (namespace, session_ref) SELECT DISTINCT * FROM unnest($1::text[], $2::text[])',
    columnsOf(sessions),
  );
}

const keyColumns = (rows: readonly OutcomeRow[]) => [
  rows.map((row) => row.namespace),
  rows.map((row) => row.sessionRef),
  rows.map((row) => row.type),
  rows.map((row) => row.occurredAt),
  rows.map((row) => row.target),
];
const saidColumns = (rows: readonly OutcomeRow[]) => [
  rows.map((row) => row.reasonClass),
  rows.map((row) => row.respondentRef),
];
