/**
 * Changes of subjects' histories gathered over a batch, so that each subject’s row is read and written once, all of them in one order and in
 * three statements.
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
  const columns = [names.map(([project = '']) => project), names.map(([, subject = '']) => subject)];
  const named = 'unnest($1::text[], $2::text[]) WITH ORDINALITY AS named (project, subject, place)';
  await tx.query(
    `INSERT INTO history (project_id, subject_ref, version, days) SELECT project, subject, 0, '{}' FROM ${named} ORDER BY place ON CONFLICT DO NOTHING`,
    columns,
  );
  const standing = await tx.query<HistoryRow>(
    `SELECT h.project_id AS namespace, h.subject_ref, h.version, h.days FROM history h JOIN ${named} ON h.project_id = named.project AND h.subject_ref = named.subject
      ORDER BY named.place FOR UPDATE OF h`,
    columns,
  );
  const changed = standing.map((row): HistoryRow => {
    const shifts = bySubject.get(`${row.namespace}\n${row.subject_ref}`) ?? [];
    return {
      namespace: row.namespace,
      subject_ref: row.subject_ref,
      version: row.version + 1,
      days: shiftDays(row.days, shifts),
    };
  });
  await tx.query(
    `UPDATE history h SET version = changed.version, days = changed.days::jsonb,
            changed_at = CASE WHEN h.published < h.version THEN h.changed_at ELSE now() END
       FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS changed (project, subject, version, days)
      WHERE h.project_id = changed.project AND h.subject_ref = changed.subject`,
    [
      changed.map((row) => row.namespace),
      changed.map((row) => row.subject_ref),
      changed.map((row) => row.version),
      changed.map((row) => JSON.stringify(row.days)),
    ],
  );
  return changed;
}
