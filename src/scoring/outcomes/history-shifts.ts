/**
 * Changes of subjects’ histories, gathered over a batch: rows that exist are locked and read in one order, then new ones are inserted and
 * all are updated. Nobody locks a row after inserting one, so that waits never form a circle.
 */
import type { Queryable } from '../../stores/database/port.js';
import { startOver } from '../../stores/database/transaction.js';
import type { Adjudication } from './adjudication-rules.js';
import { reversalWindowDays } from '../../limits.js';
import { dayOf, halfLifeDays, weightAt } from '../../record/assemble-facts.js';
import type { HistoryValue } from '../../stores/counters/port.js';

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

/** Adjudicated sessions, fraud among them, clawbacks among those. */
export type DayCounts = readonly [n: number, fraud: number, clawbacks: number];

/** Counts by day since 1970. */
export type HistoryDays = Readonly<Record<string, DayCounts>>;

/** After twelve half-lives a day weighs less than a four-thousandth; it is dropped. */
export const keepDays = 12 * halfLifeDays;

export interface Shift {
  readonly adjudication: Adjudication;
  /** 1 adds the adjudication, -1 takes it away. */
  readonly sign: 1 | -1;
}

/** The days after these changes, in whole numbers, so that taking an event back restores the record exactly. Days without counts are dropped. */
export function shiftDays(days: HistoryDays, shifts: readonly Shift[]): HistoryDays {
  const shifted: Record<string, DayCounts> = { ...days };
  for (const { adjudication, sign } of shifts) {
    const day = String(dayOf(adjudication.atMs));
    const [n, fraud, clawbacks] = shifted[day] ?? [0, 0, 0];
    shifted[day] = [n + sign, fraud + (adjudication.fraud ? sign : 0), clawbacks + (adjudication.clawback ? sign : 0)];
  }
  return Object.fromEntries(Object.entries(shifted).filter(([, [n]]) => n !== 0));
}

/** Days in the future weigh as today: an event cannot weigh more for being dated ahead. */
export function decay(days: HistoryDays, nowMs: number): HistoryValue {
  const today = dayOf(nowMs);
  const sum = { n: 0, fraud: 0, clawbacks: 0 };
  const young: [number, number][] = [];
  for (const [day, [n, fraud, clawbacks]] of Object.entries(days).sort(([a], [b]) => Number(a) - Number(b))) {
    const ageDays = Math.max(0, today - Number(day));
    if (ageDays > keepDays) continue;
    const weight = weightAt(ageDays);
    const isYoung = ageDays < reversalWindowDays && n > fraud;
    if (isYoung) young.push([ageDays, n - fraud]);
    sum.n += weight * (isYoung ? fraud : n);
    sum.fraud += weight * fraud;
    sum.clawbacks += weight * clawbacks;
  }
  return { ...sum, asOfDay: today, ...(young.length === 0 ? {} : { young }) };
}
