/**
 * Published histories of subjects. A publication with a lower or equal version changes nothing.
 */
import { Packr } from 'msgpackr';
import { bounds } from '../bounds.js';
import type { Namespace } from '../namespace.js';
import {
  furtherSubjects,
  type HistoryRecord,
  type HistoryValue,
  type ScoreCountInput,
  type StoredHistory,
} from '../port.js';
import { bufferOf, bytesOf, type Bytes } from './bytes.js';
import { keysOf, type Keys } from './keys.js';
import { Collected, payloadOf, type Ended, type Step } from './step.js';

type Fields = readonly [
  version: number,
  n: number,
  fraud: number,
  clawbacks: number,
  asOfDay: number,
  HistoryValue['young']?,
];

const packr = new Packr({ useRecords: false });
const readFields = (value: Bytes): Fields => packr.unpack(bufferOf(payloadOf(value))) as Fields;

function historyOf(value: Bytes | null | undefined): HistoryValue | null {
  if (value == null) return null;
  const [, n, fraud, clawbacks, asOfDay, young] = readFields(value);
  return { n, fraud, clawbacks, asOfDay, ...(young == null ? {} : { young }) };
}

const subjects = ['respondent', 'source', 'subSource', ...furtherSubjects] as const;

/** Adds the keys of all subjects of history that a call names, in the order in which their values are read. */
export function addHistoryKeys({ history }: Pick<ScoreCountInput, 'history'>, named: Keys, keys: string[]): void {
  for (const name of subjects) {
    const subject = history[name];
    if (subject != null) keys.push(named.history(subject));
  }
}

export interface HistoryValues {
  readonly values: readonly (Bytes | null)[];
  /** Place of the first. */
  readonly from: number;
}

export function readHistories(
  { history }: Pick<ScoreCountInput, 'history'>,
  { values, from }: HistoryValues,
  ofDevice: Bytes | null | undefined,
): StoredHistory {
  let place = from;
  const next = (subject: string | null | undefined): HistoryValue | null =>
    subject == null ? null : historyOf(values[place++]);
  const stored: { -readonly [Name in keyof StoredHistory]: StoredHistory[Name] } = {
    respondent: next(history.respondent),
    source: next(history.source),
    subSource: next(history.subSource),
  };
  for (const name of furtherSubjects) {
    const value = next(history[name]);
    if (value !== null) stored[name] = value;
  }
  const device = historyOf(ofDevice);
  if (device !== null) stored.device = device;
  return stored;
}

export function* publishHistories(namespace: Namespace, records: readonly HistoryRecord[]): Step<Ended<void>> {
  const writes = new Collected();
  const named = keysOf(namespace, '');
  const keys = records.map(({ subject }) => named.history(subject));
  const { values } = yield { keys };
  records.forEach(({ version, value: { n, fraud, clawbacks, asOfDay, young } }, i) => {
    const before = values[i];
    if (before != null && readFields(before)[0] >= version) return;
    const fields: Fields =
      young === undefined ? [version, n, fraud, clawbacks, asOfDay] : [version, n, fraud, clawbacks, asOfDay, young];
    writes.claim(keys[i] ?? '', before, bytesOf(packr.pack(fields)), bounds.historyMs);
  });
  return { result: undefined, writes };
}
