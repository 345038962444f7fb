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
}

/** `owner` is the project that the session belongs to, in the world of the key. */
export function rowOf(
  { sessionId, type, occurredAt, reasonClass, detail }: OutcomeEvent,
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
  };
}

const eventOf = ({ namespace, sessionRef, type, occurredAt, target }: OutcomeRow): string =>
  [namespace, sessionRef, type, occurredAt.getTime(), target].join('\n');

const saysSomething = ({ reasonClass, respondentRef }: OutcomeRow): boolean =>
  reasonClass !== null || respondentRef !== null;

/**
 * In one order whatever the order of the request, so that two requests with the same events wait for each other rather than lock each
 * other up. Statements of one event keep theirs; one that says nothing beside another that does is left out.
 */
export function sortRows(rows: readonly OutcomeRow[]): readonly OutcomeRow[] {
  const keyed = rows.map((row) => ({ row, key: eventOf(row) }));
  const told = new Set(keyed.filter(({ row }) => saysSomething(row)).map(({ key }) => key));
  return keyed
    .filter(({ row, key }) => saysSomething(row) || !told.has(key))
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ row }) => row);
}

/** The sessions of the rows that were new, one for each row. */
export async function insertOutcomes(tx: Queryable, rows: readonly OutcomeRow[]): Promise<readonly SessionKey[]> {
  const column = <T>(read: (row: OutcomeRow) => T): T[] => rows.map(read);
  const inserted = await tx.query<{ project_id: string; session_ref: string }>(
    `INSERT INTO outcomes (project_id, session_ref, type, occurred_at, target, reason_class, respondent_ref)
     SELECT row.project, row.session, row.type, row.at, row.target, row.class, row.respondent
       FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[])
            WITH ORDINALITY AS row (project, session, type, at, target, class, respondent, place)
      WHERE row.class IS NOT NULL OR row.respondent IS NOT NULL OR NOT EXISTS (
              SELECT 1 FROM outcomes o
               WHERE (o.project_id, o.session_ref, o.type, o.occurred_at, o.target) = (row.project, row.session, row.type, row.at, row.target))
      ORDER BY row.place
     ON CONFLICT DO NOTHING RETURNING project_id, session_ref`,
    [
      column((row) => row.namespace),
      column((row) => row.sessionRef),
      column((row) => row.type),
      column((row) => row.occurredAt),
      column((row) => row.target),
      column((row) => row.reasonClass),
      column((row) => row.respondentRef),
    ],
  );
  return inserted.map((row) => ({ namespace: row.project_id, sessionRef: row.session_ref }));
}
