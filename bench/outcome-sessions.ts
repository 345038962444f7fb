/**
 * A database with days of receipts behind it, and sessions spread over them: copies of one that the service scored and recorded itself, under ids of their own.
 */
import { createHash } from 'node:crypto';
import { idAt } from '../src/crypto/ids.js';
import type { MakeRef } from '../src/crypto/master-key.js';
import { makePartition } from '../src/scoring/receipts/partitions.js';
import type { Database } from '../src/stores/database/port.js';

const dayMs = 86_400_000;
const batch = 1_000;

export interface BenchSession {
  readonly sessionId: string;
  readonly scoredAtMs: number;
}

/** Sessions of a round: the n-th on the n-th last day, then from the latest again. */
export const sessionsOf = (name: string, count: number, days: number): readonly BenchSession[] => {
  const latestMs = Date.now() - dayMs;
  return Array.from({ length: count }, (_, n) => ({
    sessionId: `${name}-${n}`,
    scoredAtMs: latestMs - (n % days) * dayMs,
  }));
};

/** Makes the partitions of the days before today. */
export async function makeDays(database: Database, days: number): Promise<void> {
  for (let before = 1; before <= days; before += 1)
    await makePartition(database, new Date(Date.now() - before * dayMs).toISOString().slice(0, 10));
}

/** The tables that hold a scored session, and the columns in which a copy differs. */
const copies = [
  {
    table: 'receipts',
    own: "'scored_at', copy.at, 'receipt_id', copy.receipt, 'session_ref', copy.session, 'subjects', copy.subjects",
  },
  {
    table: 'session_index',
    own: "'scored_at', copy.at, 'first_scored_at', copy.at, 'receipt_id', copy.receipt, 'session_ref', copy.session, 'session_id', copy.session, 'subjects', copy.subjects",
  },
  { table: 'scored_sessions', own: "'scored_at', copy.at, 'receipt_id', copy.receipt, 'session_ref', copy.session" },
];

/** Copies the recorded session `origin` to each of these. Every copy has a respondent of its own; the source is one of twenty. */
export async function copySessions(
  database: Database,
  { makeRef, projectId, origin }: { readonly makeRef: MakeRef; readonly projectId: string; readonly origin: string },
  sessions: readonly BenchSession[],
): Promise<void> {
  for (let from = 0; from < sessions.length; from += batch) {
    const some = sessions.slice(from, from + batch);
    const values = [
      makeRef(projectId, 'session', origin),
      some.map(({ sessionId }) => makeRef(projectId, 'session', sessionId)),
      some.map(({ scoredAtMs }) => new Date(scoredAtMs)),
      some.map(({ sessionId, scoredAtMs }) => receiptIdOf(sessionId, scoredAtMs)),
      some.map(({ sessionId }) => makeRef(projectId, 'respondent', sessionId)),
      some.map((_, n) => makeRef(projectId, 'history:source', String(n % 20))),
    ];
    for (const { table, own } of copies)
      await database.query(
        `INSERT INTO ${table} SELECT (jsonb_populate_record(origin, jsonb_build_object(${own}))).*
           FROM ${table} origin, (SELECT session, at, receipt, jsonb_build_array(respondent, source) AS subjects
             FROM unnest($2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[]) AS row (session, at, receipt, respondent, source)) AS copy
          WHERE origin.session_ref = $1`,
        values,
      );
  }
  await database.query('ANALYZE session_index, scored_sessions');
}

const receiptIdOf = (sessionId: string, atMs: number): string =>
  idAt('receipt', atMs, createHash('sha256').update(sessionId).digest());
