/**
 * Carries outcomes into the history, a batch of work orders in one transaction: the sessions’ earlier effect is removed, and what their
 * events say now is added. Repeating it changes nothing. Events that precede their score wait: recording the receipt orders the work
 * again.
 */
import type { Queryable, Row } from '../../stores/database/port.js';
import { adjudicate, mergeStanding, type Adjudication, type StoredOutcome } from './adjudication-rules.js';
import { orderLooks, watches } from '../verdict-changes/watched-verdicts.js';
import { createHistoryShifts, type HistoryRow } from './history-shifts.js';
import {
  columnsOf,
  findSubjects,
  nameOf,
  sessionOf,
  type ScoredSubjects,
  type SessionName,
} from './session-subjects.js';

export interface WorkDone {
  readonly sessions: number;
  /** Records of the history that changed, as they stand now. */
  readonly changed: readonly HistoryRow[];
}

/** Replaces what stands in the history for these sessions by what their events say now. */
export async function readjudicate(tx: Queryable, sessions: readonly SessionName[]): Promise<WorkDone> {
  const shifts = createHistoryShifts();
  // They go out together, and the database does them in this order.
  const [watching, standing, outcomes, subjects] = await Promise.all([
    lockSessions(tx, sessions),
    takeStanding(tx, sessions),
    readOutcomes(tx, sessions),
    findSubjects(tx, sessions),
  ]);
  const made: Standing[] = [];
  for (const session of sessions) {
    const name = nameOf(session);
    const stood = standing.get(name);
    const stated = outcomes.get(name) ?? [];
    if (stood !== undefined) shifts.add(session.namespace, stood.subjects, stood, -1);
    const now = adjudicate(stated);
    const adjudication = stood?.eventsDropped === true ? mergeStanding(stood, now, stated) : now;
    const concerned = adjudication === null ? [] : subjectsOf(subjects.get(name), stated, stood);
    if (adjudication === null || concerned.length === 0) continue;
    made.push({ ...session, ...adjudication, subjects: concerned, eventsDropped: stood?.eventsDropped === true });
    shifts.add(session.namespace, concerned, adjudication, 1);
  }
  const [changed] = await Promise.all([shifts.apply(tx), store(tx, made), orderLabels(tx, sessions)]);
  await orderLooks(
    tx,
    changed.filter(({ namespace }) => watching.has(namespace)),
  );
  return { sessions: sessions.length, changed };
}

/** Whose history it is: as scored last, with the respondent that the latest event names where the score named none. */
function subjectsOf(
  scored: ScoredSubjects | undefined,
  outcomes: readonly NamedOutcome[],
  stood: Standing | undefined,
): readonly string[] {
  const named = outcomes.findLast(({ respondentRef }) => respondentRef !== null)?.respondentRef ?? null;
  const respondent = scored?.respondentKnown === true || named === null ? [] : [named];
  const found = [...(scored?.subjects ?? []), ...respondent];
  // The event that named them is past its lifetime.
  return found.length === 0 && stood?.eventsDropped === true ? stood.subjects : found;
}

/**
 * One process at a time works on a session; always in one order, so that two never wait for each other in a circle. Held until the transaction ends.
 * Returns the projects among theirs that ask for changed verdicts, which saves a statement.
 */
export async function lockSessions(tx: Queryable, sessions: readonly SessionName[]): Promise<ReadonlySet<string>> {
  const ordered = [...new Map(sessions.map((session) => [nameOf(session), session]))].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const [row] = await tx.query<{ watching: readonly string[] }>(
    `SELECT count(pg_advisory_xact_lock(hashtextextended('adjudicate ' || project || ' ' || session, 0))),
            (SELECT coalesce(array_agg(project_id), '{}') FROM projects p WHERE project_id = ANY ($1) AND ${watches}) AS watching
       FROM (SELECT project, session FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS named (project, session, place) ORDER BY place) AS named`,
    columnsOf(ordered.map(([, session]) => session)),
  );
  return new Set(row?.watching);
}

interface Standing extends SessionName, Adjudication {
  readonly subjects: readonly string[];
  /** Some of the events that it rests on are past their lifetime. */
  readonly eventsDropped: boolean;
}

async function takeStanding(tx: Queryable, sessions: readonly SessionName[]): Promise<ReadonlyMap<string, Standing>> {
  const rows = await tx.query<{
    namespace: string;
    session_ref: string;
    fraud: boolean;
    clawback: boolean;
    at: Date;
    subjects: readonly string[];
    events_dropped: boolean;
  }>(
    `DELETE FROM adjudications a USING unnest($1::text[], $2::text[]) AS named (project, session)
      WHERE a.namespace = named.project AND a.session_ref = named.session RETURNING a.*`,
    columnsOf(sessions),
  );
  return new Map(
    rows.map((row) => {
      const { fraud, clawback, subjects } = row;
      const session = sessionOf(row);
      const standing = { fraud, clawback, subjects, atMs: row.at.getTime(), eventsDropped: row.events_dropped };
      return [nameOf(session), { ...session, ...standing }] as const;
    }),
  );
}

interface NamedOutcome extends StoredOutcome {
  readonly respondentRef: string | null;
  readonly eventId: string | null;
}

interface OutcomeColumns extends Row {
  readonly namespace: string;
  readonly session_ref: string;
  readonly type: StoredOutcome['type'];
  readonly occurred_at: Date;
  readonly target: string;
  readonly reason_class: StoredOutcome['reasonClass'];
  readonly respondent_ref: string | null;
  readonly statement_no: number;
  readonly event_id: string | null;
}

const outcomeColumns = `namespace session_ref type occurred_at target reason_class respondent_ref statement_no event_id`
  .split(' ')
  .map((name) => `o.${name}`)
  .join(', ');

/** The latest outcomes of one session, newest first. */
export async function readLatestOutcomes(
  tx: Queryable,
  { namespace, sessionRef }: SessionName,
  limit: number,
): Promise<readonly NamedOutcome[]> {
  const rows = await tx.query<OutcomeColumns>(
    `SELECT ${outcomeColumns} FROM outcomes o WHERE namespace = $1 AND session_ref = $2
      ORDER BY occurred_at DESC, statement_no DESC LIMIT ${limit}`,
    [namespace, sessionRef],
  );
  return rows.map(outcomeOf);
}

/** By session, in the order in which they were stated. */
export async function readOutcomes(
  tx: Queryable,
  sessions: readonly SessionName[],
): Promise<ReadonlyMap<string, readonly NamedOutcome[]>> {
  const rows = await tx.query<OutcomeColumns>(
    `SELECT ${outcomeColumns}
       FROM outcomes o JOIN unnest($1::text[], $2::text[]) AS named (project, session) ON o.namespace = named.project AND o.session_ref = named.session
      ORDER BY o.statement_no`,
    columnsOf(sessions),
  );
  const bySession = new Map<string, NamedOutcome[]>();
  for (const row of rows) {
    const name = nameOf(sessionOf(row));
    const list = bySession.get(name) ?? [];
    list.push(outcomeOf(row));
    bySession.set(name, list);
  }
  return bySession;
}

function outcomeOf({
  type,
  occurred_at,
  target,
  reason_class,
  respondent_ref,
  statement_no,
  event_id,
}: OutcomeColumns): NamedOutcome {
  const [targetType = '', targetAt = ''] = target.split('@');
  return {
    type,
    occurredAtMs: occurred_at.getTime(),
    reasonClass: reason_class,
    respondentRef: respondent_ref,
    statement: statement_no,
    eventId: event_id,
    retracts: target === '' ? null : { type: targetType as StoredOutcome['type'], occurredAtMs: Number(targetAt) },
  };
}

async function store(tx: Queryable, made: readonly Standing[]): Promise<void> {
  if (made.length === 0) return;
  await tx.query(
    `INSERT INTO adjudications (namespace, session_ref, fraud, clawback, at, subjects, events_dropped)
     SELECT project, session, fraud, clawback, at, string_to_array(subjects, ','), dropped
       FROM unnest($1::text[], $2::text[], $3::boolean[], $4::boolean[], $5::timestamptz[], $6::text[], $7::boolean[])
         AS made (project, session, fraud, clawback, at, subjects, dropped)`,
    [
      ...columnsOf(made),
      made.map(({ fraud }) => fraud),
      made.map(({ clawback }) => clawback),
      made.map(({ atMs }) => new Date(atMs)),
      made.map(({ subjects }) => subjects.join(',')),
      made.map(({ eventsDropped }) => eventsDropped),
    ],
  );
}

/** Has the labels of these sessions looked at again, by whoever keeps the score distribution. */
async function orderLabels(tx: Queryable, sessions: readonly SessionName[]): Promise<void> {
  await tx.query(
    'INSERT INTO label_work (namespace, session_ref) SELECT * FROM unnest($1::text[], $2::text[])',
    columnsOf(sessions),
  );
}
