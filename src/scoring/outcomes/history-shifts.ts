/**
 * Changes of subjects' histories gathered over a batch, so that each subject’s row is read and written once, all of them in one order and in
 * three statements: those that are there are locked and read, then they are changed and the others made.
 */
import type { Queryable } from '../../stores/database/port.js';
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
  /** Writes them; answers the records that changed. */
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
  const names = [...bySubject.keys()].sort().map((key) => key.split('\n'));
  const known = await tx.query<HistoryRow>(
    `SELECT h.project_id AS namespace, h.subject_ref, h.version, h.days
       FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS named (project, subject, place)
       JOIN history h ON h.project_id = named.project AND h.subject_ref = named.subject ORDER BY named.place FOR UPDATE OF h`,
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
  if (inserted.size === made.length) return [...changed, ...made];
  // Another transaction made some in between: they are there to be changed now.
  const missed = new Map([...bySubject].filter(([key]) => !standing.has(key) && !inserted.has(key)));
  const rest = await apply(tx, missed);
  return [...changed, ...made.filter((row) => inserted.has(keyOf(row))), ...rest];
}

const keyOf = ({ namespace, subject_ref }: Pick<HistoryRow, 'namespace' | 'subject_ref'>): string =>
  `${namespace}\n${subject_ref}`;

/** Answers the keys of those that were not there yet. */
async function insertRows(tx: Queryable, rows: readonly HistoryRow[]): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  const inserted = await tx.query<{ namespace: string; subject_ref: string }>(
    `INSERT INTO history (project_id, subject_ref, version, days)
     SELECT project, subject, version, days::jsonb FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS made (project, subject, version, days)
     ON CONFLICT DO NOTHING RETURNING project_id AS namespace, subject_ref`,
    columnsOf(rows),
  );
  return new Set(inserted.map(keyOf));
}

async function updateRows(tx: Queryable, rows: readonly HistoryRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `UPDATE history h SET version = changed.version, days = changed.days::jsonb,
            changed_at = CASE WHEN h.published < h.version THEN h.changed_at ELSE now() END
       FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS changed (project, subject, version, days)
      WHERE h.project_id = changed.project AND h.subject_ref = changed.subject`,
    columnsOf(rows),
  );
}

const columnsOf = (rows: readonly HistoryRow[]) => [
  rows.map((row) => row.namespace),
  rows.map((row) => row.subject_ref),
  rows.map((row) => row.version),
  rows.map((row) => JSON.stringify(row.days)),
];
