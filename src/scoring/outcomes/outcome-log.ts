/**
 * Outcomes in the log: a copy of what was accepted, which also wakes the consumers. The database has them already, so nobody reads the copy, except
 * after a restore: what was accepted since the back-up is then taken from it once more, when an operator has said so and the group reads the log
 * again. Stored twice, an event is stored once.
 */
import { pack, unpack } from 'msgpackr';
import { splitNamespace } from '../../stores/counters/namespace.js';
import type { Database } from '../../stores/database/port.js';
import type { LogEntry } from '../../stores/log/port.js';
import type { OutcomeRow } from './outcome-rows.js';

/** What one call had accepted. Older instances wrote neither rows nor a time. */
interface AcceptedOutcomes {
  readonly namespace: string;
  readonly accepted: number;
  readonly atMs?: number;
  readonly rows?: readonly OutcomeRow[];
}

/** Of the namespace’s key, so that statements of one event stay in their order. */
export const entryOfOutcomes = (namespace: string, atMs: number, rows: readonly OutcomeRow[]): LogEntry => ({
  key: namespace,
  value: new Uint8Array(pack({ namespace, accepted: rows.length, atMs, rows } satisfies AcceptedOutcomes)),
});

/** The project whose they are, or the organization for keys that have none. Throws for what is no such entry. */
export const tenantOfOutcomes = ({ value }: LogEntry): string =>
  splitNamespace((unpack(value) as AcceptedOutcomes).namespace).holder;

/** Whether an entry tells of one of these sessions, or of the respondent. Throws for what is no such entry. */
export function tellsOf(value: Uint8Array, sessionRefs: ReadonlySet<string>, respondent: string): boolean {
  const { rows = [] } = unpack(value) as AcceptedOutcomes;
  return rows.some(({ sessionRef, respondentRef }) => respondentRef === respondent || sessionRefs.has(sessionRef));
}

/** Entries younger than this were just accepted. */
const freshMs = 60_000;

/** What was accepted between a back-up and the operator’s word that the database was restored from it, in order. */
export async function findLostOutcomes(
  database: Database,
  entries: readonly LogEntry[],
  nowMs: number,
): Promise<readonly (readonly OutcomeRow[])[]> {
  const old = entries
    .map(({ value }) => unpack(value) as AcceptedOutcomes)
    .filter(({ atMs, rows }) => atMs !== undefined && rows !== undefined && atMs < nowMs - freshMs);
  if (old.length === 0) return [];
  const restores = await database.query<{ backup_at: Date; noted_at: Date }>(
    'SELECT backup_at, noted_at FROM restores',
  );
  return old.flatMap(({ atMs = 0, rows = [] }) =>
    restores.some(({ backup_at, noted_at }) => backup_at.getTime() <= atMs && atMs <= noted_at.getTime()) ? [rows] : [],
  );
}
