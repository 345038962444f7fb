/**
 * The history of a recorded session as it stands now, in the database, without what its own outcomes put there: what is reported of a
 * session says nothing new to whoever reported it.
 */
import type { Receipt } from '../../record/types.js';
import { namespaceOf } from '../../stores/counters/namespace.js';
import { furtherSubjects, type HistoryValue, type StoredHistory } from '../../stores/counters/port.js';
import type { Queryable } from '../../stores/database/port.js';
import { decay, shiftDays, type HistoryDays } from '../outcomes/history-shifts.js';

type Subjects = Pick<Receipt, 'subjects' | 'device'>;

export async function readPresentHistory(tx: Queryable, receipt: Receipt, nowMs: number): Promise<StoredHistory> {
  const { subjects, device, trace } = receipt;
  const named = Object.values({ ...subjects, device }).filter((subject) => subject != null);
  const namespace = namespaceOf(receipt);
  const [rows, [own]] = await Promise.all([
    tx.query<{ subject_ref: string; days: HistoryDays }>(
      'SELECT subject_ref, days FROM history WHERE namespace = $1 AND subject_ref = ANY($2::text[])',
      [namespace, named],
    ),
    tx.query<{ fraud: boolean; clawback: boolean; at: Date; subjects: readonly string[] }>(
      'SELECT fraud, clawback, at, subjects FROM adjudications WHERE namespace = $1 AND session_ref = $2',
      [namespace, trace.session],
    ),
  ]);
  const values = new Map(
    rows.map(({ subject_ref, days }): [string, HistoryValue] => {
      const adjudication = own?.subjects.includes(subject_ref) === true ? { ...own, atMs: own.at.getTime() } : null;
      return [subject_ref, decay(adjudication === null ? days : shiftDays(days, [{ adjudication, sign: -1 }]), nowMs)];
    }),
  );
  return historyOf({ subjects, device }, values);
}

function historyOf({ subjects, device }: Subjects, values: ReadonlyMap<string, HistoryValue>): StoredHistory {
  const find = (subject: string | null | undefined): HistoryValue | null => values.get(subject ?? '') ?? null;
  const further = [...furtherSubjects.map((name) => [name, subjects[name]] as const), ['device', device] as const];
  return {
    respondent: find(subjects.respondent),
    source: find(subjects.source),
    subSource: find(subjects.subSource),
    ...Object.fromEntries(further.flatMap(([name, subject]) => [[name, find(subject)] as const]).filter(hasValue)),
  };
}

const hasValue = ([, value]: readonly [string, HistoryValue | null]): boolean => value !== null;
