/**
 * Erases what scoring keeps of a respondent: receipts, the index of sessions, outcomes and whose they are, flags, and so their part in the history.
 * The history follows from the outcomes: ordering the sessions’ adjudication anew takes away what stood there for them, the respondent’s own
 * record included. What is not recorded yet is erased as it comes (erased-respondents.ts), dead letters as they lie. Receipts are found by a walk over the project’s,
 * which takes its time where there are many; another counts what is left.
 */
import type { MakeRef } from '../../crypto/master-key.js';
import { namespacesOf, splitNamespace } from '../../stores/counters/namespace.js';
import type { Counters } from '../../stores/counters/port.js';
import type { Database, Queryable } from '../../stores/database/port.js';
import { eraseLetters } from '../../stores/log/dead-letters/erasure.js';
import { countLeft, markErased } from './erased-respondents.js';
import { tellsOf } from '../outcomes/outcome-log.js';
import { receiptOfEntry } from './receipts.js';
import { respondentSubject } from '../gather.js';

/** For the walk over a project’s receipts. */
const deadlineMs = 120_000;

export interface ErasureParts {
  readonly database: Database;
  readonly counters: Pick<Counters, 'forgetReceipts'>;
  readonly makeRef: MakeRef;
}

export interface ErasedScores {
  readonly receipts: number;
  readonly events: number;
  /** As the caller named the sessions, where the index had them. */
  readonly sessionIds: readonly string[];
  /** Counted anew after it. `history`: what the consumers of outcomes take away within seconds. */
  readonly left: { readonly receipts: number; readonly events: number; readonly history: number };
}

interface SessionRow extends Readonly<Record<string, unknown>> {
  readonly namespace: string;
  readonly session_ref: string;
}

export async function eraseRespondentScores(
  { database, counters, makeRef }: ErasureParts,
  projectId: string,
  respondentId: string,
): Promise<ErasedScores> {
  const subject = respondentSubject(makeRef, projectId, respondentId);
  const modes = namespacesOf(projectId);
  await markErased(database, projectId, subject);
  const erased = await database.transaction((tx) => eraseRows(tx, modes, subject), { deadlineMs });
  const { receipts, events, sessionIds } = erased;
  await eraseLetters(database, 'scores', (value) => {
    const receipt = receiptOfEntry(value);
    return receipt.projectId === projectId && receipt.subjects.respondent === subject;
  });
  await eraseLetters(database, 'outcomes', (value) => tellsOf(value, erased.sessionRefs, subject));
  for (const namespace of modes) {
    const ids = receipts.filter((row) => row.namespace === namespace).map((row) => row.receipt_id);
    // Without the store they run out by themselves, within a day.
    await counters.forgetReceipts(namespace, ids).catch(() => undefined);
  }
  const left = await countLeft(database, projectId, subject, deadlineMs);
  return { receipts: receipts.length, events: events.length, sessionIds, left };
}

async function eraseRows(tx: Queryable, modes: readonly string[], subject: string) {
  const own = 'WHERE namespace = ANY($1::text[]) AND subjects @> ARRAY[$2::text]';
  const erase = <R extends SessionRow>(sql: string): Promise<readonly R[]> =>
    tx.query<R>(sql, [modes, subject], { deadlineMs });
  const receipts = await erase<SessionRow & { receipt_id: string }>(
    `DELETE FROM receipts ${own} RETURNING namespace, session_ref, receipt_id`,
  );
  const indexed = await erase<SessionRow & { session_id: string }>(
    `DELETE FROM session_index ${own} RETURNING namespace, session_ref, session_id`,
  );
  const sessions = [
    ...receipts,
    ...indexed,
    ...(await erase(`DELETE FROM outcome_subjects ${own} RETURNING namespace, session_ref`)),
    ...(await erase(`UPDATE adjudications SET events_dropped = false ${own} RETURNING namespace, session_ref`)),
  ];
  const columns = [sessions.map((row) => row.namespace), sessions.map((row) => row.session_ref)];
  const among = '(namespace, session_ref) IN (SELECT * FROM unnest($1::text[], $2::text[]))';
  await tx.query(`DELETE FROM outcome_subjects WHERE ${among}`, columns, { deadlineMs });
  const others = await tx.query<{ session_id: string }>(
    `DELETE FROM session_index WHERE ${among} RETURNING session_id`,
    columns,
    { deadlineMs },
  );
  await tx.query(
    'DELETE FROM session_flags WHERE (project_id, session_ref) IN (SELECT * FROM unnest($1::text[], $2::text[]))',
    [sessions.map((row) => splitNamespace(row.namespace).holder), columns[1] ?? []],
    { deadlineMs },
  );
  const events = await tx.query<SessionRow>(
    `DELETE FROM outcomes WHERE (namespace = ANY($3::text[]) AND respondent_ref = $4) OR ${among} RETURNING namespace, session_ref`,
    [...columns, modes, subject],
    { deadlineMs },
  );
  const touched = [...sessions, ...events];
  await tx.query(
    'INSERT INTO adjudication_work (namespace, session_ref) SELECT DISTINCT * FROM unnest($1::text[], $2::text[])',
    [touched.map((row) => row.namespace), touched.map((row) => row.session_ref)],
  );
  return {
    ...{ receipts, events },
    sessionIds: [...new Set([...indexed, ...others].map((row) => row.session_id))],
    sessionRefs: new Set(touched.map((row) => row.session_ref)),
  };
}
