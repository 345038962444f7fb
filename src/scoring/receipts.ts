/**
 * Receipts: the facts of a score and what was made of them, signed. A receipt is durable in the log before the score is
 * answered; a consumer records it in the database; until then the counters store can render it again.
 * Written twice, a receipt is recorded once.
 */
import { timeOfId } from '../crypto/ids.js';
import { verifySeal, type BatchSigner } from '../crypto/batch-signer.js';
import type { SigningKey } from '../crypto/master-key.js';
import { openReceipt } from '../record/record.js';
import { openSeal, openSealed, packSealed, type SealedRecord } from '../record/sealed.js';
import type { Receipt } from '../record/types.js';
import { namespaceOf, type Namespace } from '../stores/counters/namespace.js';
import type { Database, Queryable } from '../stores/database/port.js';
import type { Log, LogEntry } from '../stores/log/port.js';
import { mapInSlices } from './in-slices.js';
import { makePartition } from './receipt-partitions.js';
import { dropErased, type RecordedScore } from './erased-respondents.js';
import { indexSessions, type IndexedReceipt } from './sessions/session-index.js';

export async function appendReceipt(
  log: Pick<Log, 'append'>,
  signer: BatchSigner,
  { receiptId, record }: { readonly receiptId: string; readonly record: Uint8Array },
): Promise<void> {
  const value = packSealed(record, await signer.seal(record));
  await log.append('scores', [{ key: receiptId, value, isAlone: true }]);
}

/** What the consumer of the topic `scores` does with a batch. */
export function createReceiptRecorder(database: Database): (entries: readonly LogEntry[]) => Promise<number> {
  const partitions = new Set<string>();
  return async (entries) => {
    const rows = await mapInSlices(entries, (entry) => rowOf(openSealed(entry.value)));
    for (const day of new Set(rows.map((row) => row.scoredAt.toISOString().slice(0, 10)))) {
      if (!partitions.has(day)) await makePartition(database, day);
      partitions.add(day);
    }
    // In this order and each committed by itself: an outcome that comes in between finds the receipts, an earlier one is found. In one
    // transaction the two could miss each other. A batch that is cut off between them comes again whole.
    try {
      await insertReceipts(database, rows);
    } catch (error) {
      partitions.clear(); // one may have been dropped since; the batch comes again and makes it anew
      throw error;
    }
    await indexSessions(database, rows.flatMap(indexedOf));
    await orderWaitingOutcomes(database, rows);
    await dropErased(database, rows.map(recordedOf));
    return rows.length;
  };
}

interface ReceiptRow extends SealedRecord {
  readonly receipt: Receipt;
  readonly scoredAt: Date;
}

function rowOf(sealed: SealedRecord): ReceiptRow {
  const receipt = openReceipt(sealed.record);
  return { ...sealed, receipt, scoredAt: timeOfReceipt(receipt.receiptId) };
}

/** Nothing for a score without a project: nobody could ask for it. */
function indexedOf({ receipt, scoredAt }: ReceiptRow): readonly IndexedReceipt[] {
  const { receiptId, organizationId, projectId, sessionId, studyId = null, sourceId, supersedes = null } = receipt;
  if (projectId === null || sessionId === undefined) return [];
  const { score, recommendation, verdictClass, duplicateBand } = receipt.verdict;
  return [
    {
      ...{ organizationId, sessionId, receiptId, scoredAt, studyId, sourceId, supersedes },
      ...{ score, recommendation, verdictClass, duplicateBand },
      namespace: namespaceOf(receipt),
      sessionRef: receipt.trace.session,
      subjects: subjectsOf(receipt),
      respondentKnown: receipt.subjects.respondent !== null,
    },
  ];
}

const recordedOf = ({ receipt, scoredAt }: ReceiptRow): RecordedScore => ({
  ...{ receiptId: receipt.receiptId, scoredAt, projectId: receipt.projectId, namespace: projectColumn(receipt) },
  ...{ sessionRef: receipt.trace.session, respondent: receipt.subjects.respondent },
});

/** A receipt as it lies in the log. */
export const receiptOfEntry = (value: Uint8Array): Receipt => openReceipt(openSealed(value).record);

/** When it was given; its id carries that. */
export function timeOfReceipt(receiptId: string): Date {
  const time = timeOfId('receipt', receiptId);
  if (time === null) throw new Error(`the log holds a receipt without a time: ${receiptId}`);
  return new Date(time);
}

/** The column that rows are found by: a world’s namespace, so that whoever looks for a project’s finds what live keys scored; null without a project. */
const projectColumn = (receipt: Receipt): Namespace | null =>
  receipt.projectId === null ? null : namespaceOf(receipt);

/** Whose history the session belongs to. */
const subjectsOf = ({ subjects }: Receipt): readonly string[] =>
  [subjects.respondent, subjects.source, subjects.subSource].filter((subject) => subject !== null);

/**
 * One statement for the batch. Records and seals travel as one byte string that the database cuts up: as an array of
 * byte strings they would be spelt in hexadecimal and read back, which costs three times as much.
 */
async function insertReceipts(database: Queryable, rows: readonly ReceiptRow[]): Promise<void> {
  const column = <T>(read: (row: ReceiptRow) => T): T[] => rows.map(read);
  let end = 1;
  const starts = rows.map((row) => {
    const start = end;
    end += row.record.length + row.seal.length;
    return start;
  });
  await database.query(
    `INSERT INTO receipts (receipt_id, scored_at, organization_id, project_id, lineage, session_ref, score, recommendation, subjects, respondent_known, record, seal, is_test, is_demo)
     SELECT id, at, organization, project, lineage, session, score, recommendation, string_to_array(subjects, ','), known,
            substring($9::bytea FROM start FOR length), substring($9::bytea FROM start + length FOR seal_length), is_test, is_demo
       FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::smallint[], $8::text[], $10::int[], $11::int[], $12::int[], $13::text[], $14::boolean[], $15::boolean[], $16::boolean[])
         AS row (id, at, organization, project, lineage, session, score, recommendation, start, length, seal_length, subjects, known, is_test, is_demo)
     ON CONFLICT DO NOTHING`,
    [
      column((row) => row.receipt.receiptId),
      column((row) => row.scoredAt),
      column((row) => row.receipt.organizationId),
      column((row) => projectColumn(row.receipt)),
      column((row) => row.receipt.lineage),
      column((row) => row.receipt.trace.session),
      column((row) => row.receipt.verdict.score),
      column((row) => row.receipt.verdict.recommendation),
      Buffer.concat(rows.flatMap((row) => [row.record, row.seal])),
      starts,
      column((row) => row.record.length),
      column((row) => row.seal.length),
      column((row) => subjectsOf(row.receipt).join(',')),
      column((row) => row.receipt.subjects.respondent !== null),
      column((row) => row.receipt.isTest === true),
      column((row) => row.receipt.isDemo === true),
    ],
    { recurring: true },
  );
}

/** Outcomes that came before their score wait for it: now they can be carried into the history. */
async function orderWaitingOutcomes(tx: Queryable, rows: readonly ReceiptRow[]): Promise<void> {
  await tx.query(
    `INSERT INTO adjudication_work (project_id, session_ref)
     SELECT DISTINCT o.project_id, o.session_ref FROM outcomes o JOIN unnest($1::text[], $2::text[]) AS scored (project, session)
         ON o.project_id = scored.project AND o.session_ref = scored.session`,
    [rows.map((row) => projectColumn(row.receipt)), rows.map((row) => row.receipt.trace.session)],
    { recurring: true },
  );
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
