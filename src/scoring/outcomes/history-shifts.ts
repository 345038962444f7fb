/**
 * Changes of subjects' histories gathered over a batch, so that each subject’s row is read and written once, all of them in one order and in
 * three statements: those that are there are locked and read, then the others are made and they are changed. Nobody locks a record after having made one: who
 * makes records waits for others that make some, in one order, and for nobody else, so that no circle of waits can come about.
 */
import type { Queryable } from '../../stores/database/port.js';
import { startOver } from '../../stores/database/rolled-back.js';
import type { Adjudication } from './adjudication-rules.js';
import { shiftDays, type HistoryDays, type Shift } from './history-days.js';

/** A subject's record as it stands in the database. */
export interface HistoryRow extends Readonly<Record<string, unknown>> {
  readonly namespace: string;
  readonly subject_ref: string;
  readonly version: number;
  readonly days: HistoryDays;
}

export interface HistoryShifts {
  /** Puts an adjudication to the record of each of these subjects, or with sign -1 takes it away. */
  add(namespace: string, subjects: readonly string[], adjudication: Adjudication, sign: 1 | -1): void;
  /** Writes them; answers the records that changed. Rejects to have the transaction start over where another one made a record in between. */
  apply(tx: Queryable): Promise<readonly HistoryRow[]>;
}

export function createHistoryShifts(): HistoryShifts {
  const bySubject = new Map<string, Shift[]>();
  return {
    add: (namespace, subjects, adjudication, sign) => {
      for (const subject of subjects) {
        const key = `${namespace}\n${subject}`;
        const list = bySubject.get(key) ?? [];
        list.push({ adjudication, sign });
        bySubject.set(key, list);
      }
    },
    apply: (tx) => apply(tx, bySubject),
  };
}

async function apply(tx: Queryable, bySubject: ReadonlyMap<string, readonly Shift[]>): Promise<readonly HistoryRow[]> {
  if (bySubject.size === 0) return [];
  const names = [...bySubject.keys()].sort(inOrder).map((key) => key.split('\n'));
  const known = await tx.query<HistoryRow>(
    `SELECT h.namespace, h.subject_ref, h.version, h.days
       FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS named (project, subject, place)
       JOIN history h ON h.namespace = named.project AND h.subject_ref = named.subject ORDER BY named.place FOR UPDATE OF h`,
    [names.map(([project = '']) => project), names.map(([, subject = '']) => subject)],
  );
  const shifted = (row: HistoryRow): HistoryRow => ({
    namespace: row.namespace,
    subject_ref: row.subject_ref,
    version: row.version + 1,
    days: shiftDays(row.days, bySubject.get(keyOf(row)) ?? []),
  });
  const standing = new Set(known.map(keyOf));
  const fresh = names
    .map(([namespace = '', subject_ref = '']) => ({ namespace, subject_ref, version: 0, days: {} }))
    .filter((row) => !standing.has(keyOf(row)));
  const [changed, made] = [known.map(shifted), fresh.map(shifted)];
  const [inserted] = await Promise.all([insertRows(tx, made), updateRows(tx, changed)]);
  // They are there to be locked and read now, before anything is made.
  if (inserted < made.length) throw startOver('another transaction made a record of history in between');
  return [...changed, ...made];
}

/** The order in which all who write several records lock them. */
const inOrder = (key: string, other: string): number => (key < other ? -1 : 1);
export const sortRows = <R extends Pick<HistoryRow, 'namespace' | 'subject_ref'>>(rows: readonly R[]): readonly R[] =>
  [...rows].sort((row, other) => inOrder(keyOf(row), keyOf(other)));

const keyOf = ({ namespace, subject_ref }: Pick<HistoryRow, 'namespace' | 'subject_ref'>): string =>
  `${namespace}\n${subject_ref}`;

/** Answers how many were not there yet. */
async function insertRows(tx: Queryable, rows: readonly HistoryRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const inserted = await tx.query(
    `INSERT INTO history (namespace, subject_ref, version, days)
     SELECT project, subject, version, days::jsonb FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS made (project, subject, version, days)
     ON CONFLICT DO NOTHING RETURNING 1 AS one`,
    columnsOf(rows),
  );
  return inserted.length;
}

async function updateRows(tx: Queryable, rows: readonly HistoryRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `UPDATE history h SET version = changed.version, days = changed.days::jsonb,
            changed_at = CASE WHEN h.published < h.version THEN h.changed_at ELSE now() END
       FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS changed (project, subject, version, days)
      WHERE h.namespace = changed.project AND h.subject_ref = changed.subject`,
    columnsOf(rows),
  );
}

const columnsOf = (rows: readonly HistoryRow[]) => [
  rows.map((row) => row.namespace),
  rows.map((row) => row.subject_ref),
  rows.map((row) => row.version),
  rows.map((row) => JSON.stringify(row.days)),
];
