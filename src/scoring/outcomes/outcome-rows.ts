/**
 * Outcome events as rows. An event is its session, type and time; it may be stated again with another class or respondent, and each
 * statement is a row. Stating what stands already, or less, stores nothing.
 */
import { retractionName, type OutcomeEvent } from '../../contract/outcome.js';
import type { MakeRef } from '../../crypto/master-key.js';
import { holderOf, namespaceOf, type Namespace, type NamespaceOwner } from '../../stores/counters/namespace.js';
import type { Queryable } from '../../stores/database/port.js';
import { respondentSubject } from '../subjects.js';

export interface SessionKey {
  readonly namespace: Namespace;
  readonly sessionRef: string;
}

export interface OutcomeRow extends SessionKey {
  readonly type: string;
  readonly occurredAt: Date;
  /** Which event a retraction takes back; empty otherwise. */
  readonly target: string;
  readonly reasonClass: string | null;
  readonly respondentRef: string | null;
  /** The caller’s own id of the event. */
  readonly eventId: string | null;
}

/** `owner` is the project that the session belongs to, in the world of the key. */
export function rowOf(
  { sessionId, type, occurredAt, reasonClass, eventId, detail }: OutcomeEvent,
  owner: NamespaceOwner,
  makeRef: MakeRef,
): OutcomeRow {
  const retracted = type === 'custom' && detail?.name === retractionName ? detail.of : undefined;
  const holder = holderOf(owner);
  return {
    namespace: namespaceOf(owner),
    sessionRef: makeRef(holder, 'session', sessionId),
    type,
    occurredAt: new Date(occurredAt),
    target: retracted === undefined ? '' : `${retracted.type}@${Date.parse(retracted.occurredAt)}`,
    reasonClass: reasonClass ?? detail?.reasonClass ?? null,
    respondentRef:
      detail?.respondentId === undefined || detail.respondentId === sessionId
        ? null
        : respondentSubject(makeRef, holder, detail.respondentId),
    eventId: eventId ?? null,
  };
}

/** Names an event, whatever it says. */
export const eventOf = ({
  namespace,
  sessionRef,
  type,
  occurredAt,
  target,
}: Pick<OutcomeRow, 'namespace' | 'sessionRef' | 'type' | 'occurredAt' | 'target'>): string =>
  [namespace, sessionRef, type, occurredAt.getTime(), target].join('\n');

const idOf = ({ namespace, eventId }: OutcomeRow): string => `${namespace}\n${eventId}`;

const saysSomething = ({ reasonClass, respondentRef }: OutcomeRow): boolean =>
  reasonClass !== null || respondentRef !== null;

/**
 * In one order whatever the order of the request, so that two requests with the same events wait for each other rather than lock each
 * other up. Statements of one event keep theirs; one that says nothing beside another that does is left out, and of one eventId all but the last.
 */
export function sortRows(rows: readonly OutcomeRow[]): readonly OutcomeRow[] {
  const last = new Map(rows.map((row) => [idOf(row), row]));
  const standing = rows.filter((row) => row.eventId === null || last.get(idOf(row)) === row);
  const keyed = standing.map((row) => ({ row, key: eventOf(row) }));
  const told = new Set(keyed.filter(({ row }) => saysSomething(row)).map(({ key }) => key));
  return keyed
    .filter(({ row, key }) => saysSomething(row) || !told.has(key))
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ row }) => row);
}

/** What was stored, one for each row that was new. */
export interface InsertedOutcome extends SessionKey {
  /** See eventOf. */
  readonly event: string;
}

export async function insertOutcomes(tx: Queryable, rows: readonly OutcomeRow[]): Promise<readonly InsertedOutcome[]> {
  const inserted = await tx.query<StoredKey>(
    `INSERT INTO outcomes (project_id, session_ref, type, occurred_at, target, reason_class, respondent_ref, event_id)
     SELECT row.project, row.session, row.type, row.at, row.target, row.class, row.respondent, row.event
       FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[])
            WITH ORDINALITY AS row (project, session, type, at, target, class, respondent, event, place)
      WHERE row.class IS NOT NULL OR row.respondent IS NOT NULL OR NOT EXISTS (
              SELECT 1 FROM outcomes o
               WHERE (o.project_id, o.session_ref, o.type, o.occurred_at, o.target) = (row.project, row.session, row.type, row.at, row.target))
      ORDER BY row.place
     ON CONFLICT DO NOTHING RETURNING project_id AS namespace, session_ref, type, occurred_at, target`,
    [...keyColumns(rows), ...saidColumns(rows), rows.map((row) => row.eventId)],
  );
  return inserted.map(keyOf);
}

/**
 * Takes back what the same eventIds said before, where they now say something else. One writer of a project’s eventIds at a time, so that two
 * corrections never both find nothing.
 */
export async function replaceEvents(tx: Queryable, rows: readonly OutcomeRow[]): Promise<readonly SessionKey[]> {
  const named = rows.filter((row) => row.eventId !== null);
  if (named.length === 0) return [];
  for (const namespace of [...new Set(named.map((row) => row.namespace))].sort())
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`event ids ${namespace}`]);
  const taken = await tx.query<StoredKey>(
    `DELETE FROM outcomes o USING unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[])
            AS row (project, session, type, at, target, class, respondent, event)
      WHERE o.project_id = row.project AND o.event_id = row.event
        AND (o.session_ref, o.type, o.occurred_at, o.target, o.said) <> (row.session, row.type, row.at, row.target, coalesce(row.class, '') || '/' || coalesce(row.respondent, ''))
      RETURNING o.project_id AS namespace, o.session_ref, o.type, o.occurred_at, o.target`,
    [...keyColumns(named), ...saidColumns(named), named.map((row) => row.eventId)],
  );
  return taken.map(keyOf);
}

/** Of these events, those that stand in more than one statement. */
export async function findRestated(tx: Queryable, rows: readonly OutcomeRow[]): Promise<ReadonlySet<string>> {
  const found = await tx.query<StoredKey>(
    `SELECT o.project_id AS namespace, o.session_ref, o.type, o.occurred_at, o.target FROM outcomes o
       JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[]) AS row (project, session, type, at, target)) AS row
         ON (o.project_id, o.session_ref, o.type, o.occurred_at, o.target) = (row.project, row.session, row.type, row.at, row.target)
      GROUP BY o.project_id, o.session_ref, o.type, o.occurred_at, o.target HAVING count(*) > 1`,
    keyColumns(rows),
  );
  return new Set(found.map((row) => keyOf(row).event));
}

type StoredKey = {
  readonly namespace: string;
  readonly session_ref: string;
  readonly type: string;
  readonly occurred_at: Date;
  readonly target: string;
};

function keyOf({ namespace, session_ref, type, occurred_at, target }: StoredKey): InsertedOutcome {
  const key = { namespace, sessionRef: session_ref };
  return { ...key, event: eventOf({ ...key, type, occurredAt: occurred_at, target }) };
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
