/**
 * The score mix in the database: each session by its last receipt, and the counts by source, day, cell and label. Writers of one project take
 * turns, so that a session is never counted twice.
 */
import type { Queryable } from '../../stores/database/port.js';
import { columnsOf, nameOf, type SessionName } from '../outcomes/session-subjects.js';
import { noLabelDay, sumMoves, type MixPlace, type StoredLabel } from './mix-changes.js';

/** A session as its last receipt tells of it. */
export interface ScoredSession {
  readonly namespace: string;
  readonly sessionRef: string;
  readonly receiptId: string;
  readonly scoredAt: Date;
  readonly sourceId: string;
  readonly cell: string;
  readonly recommendation: string;
}

interface StoredSession extends MixPlace {
  readonly sessionRef: string;
  readonly receiptId: string;
}

type SessionRow = {
  readonly namespace: string;
  readonly session_ref: string;
  readonly receipt_id: string;
  readonly day: string;
  readonly source_id: string;
  readonly cell: string;
  readonly recommendation: string;
  readonly label: StoredLabel;
  readonly label_day: string;
};

/** Records sessions by their newest receipt; older receipts of a session change nothing. */
export async function recordSessions(tx: Queryable, sessions: readonly ScoredSession[]): Promise<void> {
  const newest = [...newestOf(sessions).values()];
  await takeTurns(tx, newest);
  const known = await readSessions(tx, newest);
  const fresh = newest.filter((session) => (known.get(nameOf(session))?.receiptId ?? '') < session.receiptId);
  if (fresh.length === 0) return;
  const column = (read: (session: ScoredSession) => string): string[] => fresh.map(read);
  await tx.query(
    `INSERT INTO scored_sessions (project_id, session_ref, receipt_id, scored_at, source_id, cell, recommendation)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[])
     ON CONFLICT (project_id, session_ref) DO UPDATE SET receipt_id = excluded.receipt_id, scored_at = excluded.scored_at,
       source_id = excluded.source_id, cell = excluded.cell, recommendation = excluded.recommendation`,
    [
      column(({ namespace }) => namespace),
      column(({ sessionRef }) => sessionRef),
      column(({ receiptId }) => receiptId),
      fresh.map(({ scoredAt }) => scoredAt),
      column(({ sourceId }) => sourceId),
      column(({ cell }) => cell),
      column(({ recommendation }) => recommendation),
    ],
  );
  await moveSessions(
    tx,
    fresh.map((session) => {
      const from = known.get(nameOf(session)) ?? null;
      const { label, labelDay } = from ?? ({ label: 'none', labelDay: noLabelDay } as const);
      return { from, to: { ...session, day: session.scoredAt.toISOString().slice(0, 10), label, labelDay } };
    }),
  );
}

/** Gives sessions the label that their outcomes say by now. Sessions without a receipt are passed over: recording one looks here again. */
export async function relabelSessions(tx: Queryable, names: readonly SessionName[]): Promise<void> {
  await takeTurns(tx, names);
  const known = await readSessions(tx, names);
  const said = await tx.query<{ namespace: string; session_ref: string; fraud: boolean; day: string }>(
    `SELECT a.project_id AS namespace, a.session_ref, a.fraud, to_char(a.at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day FROM adjudications a
       JOIN unnest($1::text[], $2::text[]) AS named (project, session) ON a.project_id = named.project AND a.session_ref = named.session`,
    columnsOf(names),
  );
  const labels = new Map(said.map((row) => [nameOf({ namespace: row.namespace, sessionRef: row.session_ref }), row]));
  const moves = [...known].flatMap(([name, from]) => {
    const row = labels.get(name);
    const label: StoredLabel = row === undefined ? 'none' : labelOf(row.fraud);
    const labelDay = row?.day ?? noLabelDay;
    return from.label === label && from.labelDay === labelDay ? [] : [{ from, to: { ...from, label, labelDay } }];
  });
  if (moves.length === 0) return;
  await tx.query(
    `UPDATE scored_sessions SET label = change.label, label_day = change.label_day
       FROM unnest($1::text[], $2::text[], $3::text[], $4::date[]) AS change (project, session, label, label_day)
      WHERE project_id = change.project AND session_ref = change.session`,
    [
      moves.map(({ to }) => to.namespace),
      moves.map(({ to }) => to.sessionRef),
      moves.map(({ to }) => to.label),
      moves.map(({ to }) => to.labelDay),
    ],
  );
  await moveSessions(tx, moves);
}

const labelOf = (fraud: boolean): StoredLabel => (fraud ? 'fraud' : 'complete');

function newestOf(sessions: readonly ScoredSession[]): ReadonlyMap<string, ScoredSession> {
  const newest = new Map<string, ScoredSession>();
  for (const session of sessions) {
    const known = newest.get(nameOf(session));
    if (known === undefined || known.receiptId < session.receiptId) newest.set(nameOf(session), session);
  }
  return newest;
}

/** One writer of a project at a time, whichever instance it is in; held until the transaction ends. */
async function takeTurns(tx: Queryable, names: readonly SessionName[]): Promise<void> {
  const namespaces = [...new Set(names.map(({ namespace }) => namespace))].sort();
  for (const namespace of namespaces)
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`score mix ${namespace}`]);
}

async function readSessions(tx: Queryable, names: readonly SessionName[]): Promise<ReadonlyMap<string, StoredSession>> {
  const rows = await tx.query<SessionRow>(
    `SELECT s.project_id AS namespace, s.session_ref, s.receipt_id, to_char(s.scored_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, s.source_id, s.cell, s.recommendation,
            s.label, CASE WHEN s.label = 'none' THEN '${noLabelDay}' ELSE to_char(s.label_day, 'YYYY-MM-DD') END AS label_day
       FROM scored_sessions s JOIN unnest($1::text[], $2::text[]) AS named (project, session) ON s.project_id = named.project AND s.session_ref = named.session`,
    columnsOf(names),
  );
  return new Map(
    rows.map((row) => [
      nameOf({ namespace: row.namespace, sessionRef: row.session_ref }),
      {
        namespace: row.namespace,
        sessionRef: row.session_ref,
        receiptId: row.receipt_id,
        day: row.day,
        sourceId: row.source_id,
        cell: row.cell,
        recommendation: row.recommendation,
        label: row.label,
        labelDay: row.label_day,
      },
    ]),
  );
}

async function moveSessions(
  tx: Queryable,
  moves: readonly { readonly from: MixPlace | null; readonly to: MixPlace }[],
): Promise<void> {
  const changes = sumMoves(moves);
  if (changes.length === 0) return;
  const column = (read: (change: MixPlace) => string): string[] => changes.map(read);
  await tx.query(
    `INSERT INTO score_mix AS mix (project_id, day, source_id, cell, recommendation, label, label_day, sessions)
     SELECT * FROM unnest($1::text[], $2::date[], $3::text[], $4::text[], $5::text[], $6::text[], $7::date[], $8::bigint[])
     ON CONFLICT (project_id, day, source_id, cell, recommendation, label, label_day) DO UPDATE SET sessions = mix.sessions + excluded.sessions`,
    [
      column(({ namespace }) => namespace),
      column(({ day }) => day),
      column(({ sourceId }) => sourceId),
      column(({ cell }) => cell),
      column(({ recommendation }) => recommendation),
      column(({ label }) => label),
      column(({ labelDay }) => labelDay),
      changes.map(({ by }) => by),
    ],
  );
}
