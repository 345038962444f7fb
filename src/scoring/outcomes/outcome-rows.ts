/**
 * Outcome events as rows. An event is its session, type and time; it may be stated again with another class or respondent, and each
 * statement is a row. Stating what stands already, or less, stores nothing.
 */
import { retractionName, type OutcomeEvent } from '../../contract/outcome.js';
import type { MakeRef } from '../../crypto/master-key.js';
import { holderOf, namespaceOf, type Namespace, type NamespaceOwner } from '../../stores/counters/namespace.js';
import { respondentSubject } from '../gather.js';

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

/** The project that a session belongs to, in the mode of the key. */
export interface RowOwner {
  readonly holder: string;
  readonly namespace: Namespace;
}

export const rowOwnerOf = (owner: NamespaceOwner): RowOwner => ({
  holder: holderOf(owner),
  namespace: namespaceOf(owner),
});

export function rowOf(
  { sessionId, type, occurredAt, reasonClass, eventId, detail }: OutcomeEvent,
  owner: RowOwner,
  makeRef: MakeRef,
): OutcomeRow {
  const retracted = type === 'custom' && detail?.name === retractionName ? detail.of : undefined;
  const { holder, namespace } = owner;
  return {
    namespace,
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
  `${namespace}\n${sessionRef}\n${type}\n${occurredAt.getTime()}\n${target}`;

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
