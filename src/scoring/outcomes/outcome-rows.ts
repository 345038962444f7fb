/**
 * Outcome events as rows. An event is its session, type and time; each further statement, with another class or respondent, is a row.
 * Stating the same again, or less, stores nothing.
 */
import { type OutcomeEvent, retractionName } from '../../contract/outcome.js';
import type { MakeRef } from '../../crypto/master-key.js';
import { holderOf, type Namespace, namespaceOf, type NamespaceOwner } from '../../stores/counters/namespace.js';
import { respondentSubject } from '../gather.js';
import { pack, unpack } from 'msgpackr';
import type { Database } from '../../stores/database/port.js';
import type { LogEntry } from '../../stores/log/port.js';
import type { SessionName } from './session-subjects.js';

export interface OutcomeRow extends SessionName {
  readonly type: string;
  readonly occurredAt: Date;
  /** The event that a retraction reverses; empty otherwise. */
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

/** An event and what it says: what the table holds once. */
export const factOf = (row: OutcomeRow): string =>
  `${eventOf(row)}\n${row.reasonClass ?? ''}/${row.respondentRef ?? ''}`;

/** Names what replaces what: statements of one eventId, and without one those that say the same of one event. */
export const nameOf = (row: OutcomeRow): string =>
  row.eventId === null ? factOf(row) : `${row.namespace}\n${row.eventId}`;

const saysSomething = ({ reasonClass, respondentRef }: OutcomeRow): boolean =>
  reasonClass !== null || respondentRef !== null;

/**
 * In one order for all requests, so that two never deadlock. Statements of one event keep theirs; an empty statement is dropped if another
 * says something, and of one eventId, or of one that is repeated, all but the last: what a request says last stands.
 */
export function sortRows(rows: readonly OutcomeRow[]): readonly OutcomeRow[] {
  const last = new Map(rows.map((row) => [nameOf(row), row]));
  const standing = rows.filter((row) => last.get(nameOf(row)) === row);
  const keyed = standing.map((row) => ({ row, key: eventOf(row) }));
  const stated = new Set(keyed.filter(({ row }) => saysSomething(row)).map(({ key }) => key));
  return keyed
    .filter(({ row, key }) => saysSomething(row) || !stated.has(key))
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ row }) => row);
}

/** The accepted events of one call, in the log: the entry wakes the consumers, and restores accepted events after a restore from a back-up. */
interface AcceptedOutcomes {
  readonly organizationId: string;
  readonly accepted: number;
  readonly atMs?: number;
  readonly rows?: readonly OutcomeRow[];
}

/** Uses the namespace’s key, so that statements of one event keep their order. */
export const entryOfOutcomes = (owner: NamespaceOwner, atMs: number, rows: readonly OutcomeRow[]): LogEntry => ({
  key: namespaceOf(owner),
  value: new Uint8Array(
    pack({ organizationId: owner.organizationId, accepted: rows.length, atMs, rows } satisfies AcceptedOutcomes),
  ),
});

/** Throws for what is no such entry. */
export const tenantOfOutcomes = ({ value }: LogEntry): string => (unpack(value) as AcceptedOutcomes).organizationId;

/** Whether an entry names one of these sessions, or of the respondent. Throws for what is no such entry. */
export function concernsErased(value: Uint8Array, sessionRefs: ReadonlySet<string>, respondent: string): boolean {
  const { rows = [] } = unpack(value) as AcceptedOutcomes;
  return rows.some(({ sessionRef, respondentRef }) => respondentRef === respondent || sessionRefs.has(sessionRef));
}

/** Finds events that were accepted between a back-up and the operator’s report of a restore from it, in order. */
export async function findLostOutcomes(
  database: Database,
  entries: readonly LogEntry[],
): Promise<readonly (readonly OutcomeRow[])[]> {
  const restores = await database.query<{ backup_at: Date; noted_at: Date }>(
    'SELECT backup_at, noted_at FROM restores',
    [],
    { recurring: true },
  );
  if (restores.length === 0) return [];
  const isLost = (atMs: number): boolean =>
    restores.some(({ backup_at, noted_at }) => backup_at.getTime() <= atMs && atMs <= noted_at.getTime());
  return entries.flatMap(({ value }) => {
    const { atMs, rows } = unpack(value) as AcceptedOutcomes;
    return atMs !== undefined && rows !== undefined && isLost(atMs) ? [rows] : [];
  });
}
