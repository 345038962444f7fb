/**
 * Receipts: the facts of a score and its verdict, signed. Durable in the log before the reply; a consumer records them in the database,
 * once; until then the counters store can render them again.
 */
import { timeOfId } from '../../crypto/ids.js';
import { isUnavailable } from '../../errors.js';
import { type BatchSigner, verifySeal } from '../../crypto/batch-signer.js';
import type { SigningKey } from '../../crypto/master-key.js';
import { openReceipt, openSeal, openSealed, packSealed, type SealedRecord } from '../../record/record.js';
import type { Receipt } from '../../record/types.js';
import { type Namespace, namespaceOf } from '../../stores/counters/namespace.js';
import {
  batchFunction,
  booleans,
  bytes,
  callFunctions,
  doubles,
  type FunctionCall,
  texts,
} from '../../stores/database/call-functions.js';
import type { Database, Queryable } from '../../stores/database/port.js';
import type { Log, LogEntry } from '../../stores/log/port.js';
import { markRecords } from '../../record/chain.js';
import { makePartition } from './partitions.js';
import { type IndexedReceipt, indexing, topReasonOf } from '../sessions/session-index.js';
import { counting, orderingRecount, scoredSessionOf } from '../thresholds/distribution-store.js';
import { watching } from '../verdict-changes/watched-verdicts.js';
import { setImmediate as nextTurn } from 'node:timers/promises';

export async function appendReceipt(
  log: Pick<Log, 'append'>,
  signer: BatchSigner,
  { receiptId, record }: { readonly receiptId: string; readonly record: Uint8Array },
): Promise<void> {
  const value = packSealed(record, await signer.seal(record));
  await log.append('scores', [{ key: receiptId, value, isUnordered: true }]);
}

export interface RecordedBatch {
  readonly kept: readonly Receipt[];
  /** Receipts of respondents that were erased after they were scored. */
  readonly erased: readonly Receipt[];
}

/**
 * Records a batch in one commit: receipts with their place in the chain of their namespace, the index of sessions and the score distribution. If they cannot be
 * counted, the commit orders a recount instead; if not in time, so do the commits of the next seconds, however small a portion they take.
 */
export function createReceiptRecorder(
  database: Database,
  now = () => performance.now(),
): (entries: readonly LogEntry[]) => Promise<RecordedBatch> {
  const partitions = new Set<string>();
  let restsUntilMs = -Infinity;
  const write = async (rows: readonly ReceiptRow[]): Promise<void> => {
    const before = [watching(rows), indexing(rows.flatMap(indexedOf))];
    // Last, so that no chain is locked while the others work.
    const last = recording(rows);
    const isCounting = now() >= restsUntilMs;
    try {
      await callFunctions(database, [...before, ...(isCounting ? countingOf(rows) : recountingOf(rows)), last]);
    } catch (error) {
      if (!isCounting) throw error;
      if (isUnavailable(error)) {
        restsUntilMs = now() + countingRestMs;
        throw error;
      }
      await callFunctions(database, [...before, ...recountingOf(rows), last]);
    }
  };
  return async (entries) => {
    const rows = await mapInSlices(entries, (entry) => rowOf(openSealed(entry.value)));
    for (const day of new Set(rows.map((row) => row.scoredAt.toISOString().slice(0, 10)))) {
      if (!partitions.has(day)) await makePartition(database, day);
      partitions.add(day);
    }
    try {
      await write(rows);
    } catch (error) {
      partitions.clear(); // one may have been dropped since; the batch comes again and makes it
      throw error;
    }
    // When that is committed: an outcome that comes in between finds the receipts, an earlier one is found. In one transaction the two
    // could miss each other. A batch that is cut off between them comes again whole.
    const { settle_receipts: late } = await callFunctions(database, [settling(rows)]);
    const erased = new Set(late as readonly string[]);
    const isErased = ({ receiptId }: Receipt): boolean => erased.has(receiptId);
    const receipts = rows.map(({ receipt }) => receipt);
    return { kept: receipts.filter((each) => !isErased(each)), erased: receipts.filter(isErased) };
  };
}

const countingRestMs = 10_000;

interface ReceiptRow extends SealedRecord {
  readonly receipt: Receipt;
  readonly scoredAt: Date;
}

function rowOf({ record, seal }: SealedRecord): ReceiptRow {
  const receipt = openReceipt(record);
  return { record, seal, receipt, scoredAt: timeOfReceipt(receipt.receiptId) };
}

function countingOf(rows: readonly ReceiptRow[]): readonly FunctionCall[] {
  const sessions = rows.flatMap(({ receipt, scoredAt }) => scoredSessionOf(receipt, scoredAt));
  return sessions.length === 0 ? [] : [counting(sessions)];
}

const recountingOf = (rows: readonly ReceiptRow[]): readonly FunctionCall[] => orderingRecount(rows.flatMap(indexedOf));

/** Nothing for a score without a project: nobody could ask for it. */
function indexedOf({ receipt, scoredAt }: ReceiptRow): readonly IndexedReceipt[] {
  if (receipt.projectId === null) return [];
  const { verdict } = receipt;
  return [
    {
      organizationId: receipt.organizationId,
      namespace: namespaceOf(receipt),
      sessionRef: receipt.trace.session,
      sessionId: receipt.sessionId,
      receiptId: receipt.receiptId,
      scoredAt,
      score: verdict.score,
      recommendation: verdict.recommendation,
      verdictClass: verdict.verdictClass,
      duplicateBand: verdict.duplicateBand,
      studyId: receipt.studyId,
      sourceId: receipt.sourceId,
      supersedes: receipt.supersedes,
      topReason: topReasonOf(verdict),
      subjects: subjectsOf(receipt),
      respondentKnown: receipt.subjects.respondent !== null,
    },
  ];
}

/** A receipt as it lies in the log. */
export const receiptOfEntry = (value: Uint8Array): Receipt => openReceipt(openSealed(value).record);

/** When it was given; its id carries that. */
export function timeOfReceipt(receiptId: string): Date {
  const time = timeOfId('receipt', receiptId);
  if (time === null) throw new Error(`the log holds a receipt without a time: ${receiptId}`);
  return new Date(time);
}

/** The column that rows are found by: a mode’s namespace, so that whoever looks for a project’s finds what live keys scored; null without a project. */
const projectColumn = (receipt: Receipt): Namespace | null =>
  receipt.projectId === null ? null : namespaceOf(receipt);

/** Whose history the session belongs to. */
const subjectsOf = ({ subjects, device }: Receipt): readonly string[] =>
  Object.values({ ...subjects, device }).filter((subject) => subject != null);

const receiptIds = texts<ReceiptRow>((row) => row.receipt.receiptId);
const times = doubles<ReceiptRow>((row) => row.scoredAt.getTime());
const namespaces = texts<ReceiptRow>((row) => projectColumn(row.receipt));
const sessions = texts<ReceiptRow>((row) => row.receipt.trace.session);

const recording = batchFunction<ReceiptRow>('record_receipts', [
  receiptIds,
  times,
  texts((row) => row.receipt.organizationId),
  namespaces,
  sessions,
  texts((row) => subjectsOf(row.receipt).join(',')),
  booleans((row) => row.receipt.subjects.respondent !== null),
  bytes((row) => row.record),
  bytes((row) => row.seal),
  texts((row) => namespaceOf(row.receipt)),
  (rows) => markRecords(rows.map(({ record }) => record)),
]);

/** Outcomes that came before their score wait for it, and of respondents that were erased after their score nothing stays. */
const settling = batchFunction<ReceiptRow>('settle_receipts', [
  receiptIds,
  times,
  namespaces,
  sessions,
  texts((row) => row.receipt.projectId),
  texts((row) => row.receipt.subjects.respondent),
]);

/**
 * Records a receipt that no call asked for, in the transaction of its cause; the partition of its day is there. Lists of sessions, labels and reports
 * keep the replies of calls.
 */
export async function recordSuperseding(tx: Queryable, entry: Uint8Array): Promise<void> {
  await callFunctions(tx, [recording([rowOf(openSealed(entry))])]);
}

/** A receipt from the database, and whether its signature still holds; null where it is not there. */
export async function findReceipt(
  database: Queryable,
  keys: readonly SigningKey[],
  receiptId: string,
): Promise<{ readonly receipt: Receipt; readonly authentic: boolean } | null> {
  const time = timeOfId('receipt', receiptId);
  if (time === null) return null;
  const [row] = await database.query<{ record: Uint8Array; seal: Uint8Array }>(
    'SELECT record, seal FROM receipts WHERE receipt_id = $1 AND scored_at = $2',
    [receiptId, new Date(time)],
  );
  if (row === undefined) return null;
  const seal = openSeal(row.seal);
  return { receipt: openReceipt(row.record), authentic: keys.some((key) => verifySeal(key, row.record, seal)) };
}

/** Requests wait at most this long, and one item more. */
const sliceMs = 2;

/** Like `items.map(map)`, but other work gets a turn every two milliseconds. Rejects with what `map` throws. */
export async function mapInSlices<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  let sinceMs = performance.now();
  for (const item of items) {
    if (performance.now() - sinceMs > sliceMs) {
      await nextTurn();
      sinceMs = performance.now();
    }
    results.push(map(item));
  }
  return results;
}
