/**
 * Takes outcome events. Each is checked by itself: one that is malformed is told apart by its pointer, and the others are stored. What is
 * accepted is durable before the reply, together with the work order that will carry it into the history; a replay is a
 * duplicate and changes nothing. With the database away nothing is accepted, and the answer is a 503 to repeat.
 */
import type { ValidateFunction } from 'ajv';
import { pack } from 'msgpackr';
import { OutcomeEvent, retractionName, type OutcomeReply } from '../../contract/outcome.js';
import type { MakeRef } from '../../crypto/master-key.js';
import type { Issue } from '../../errors.js';
import type { KeyCaller } from '../../http/access.js';
import { invalid } from '../../http/error-answers.js';
import { createAjv, describeViolation } from '../../http/validation.js';
import { holderOf, namespaceOf } from '../../stores/counters/namespace.js';
import type { Database, Queryable } from '../../stores/database/port.js';
import type { Log } from '../../stores/log/port.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { respondentSubject } from '../subjects.js';

export interface OutcomeServiceDeps {
  readonly database: Database;
  readonly log: Log;
  readonly makeRef: MakeRef;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

interface OutcomeRow {
  readonly sessionRef: string;
  readonly type: string;
  readonly occurredAt: Date;
  /** Which event a retraction takes back; empty otherwise. */
  readonly target: string;
  readonly reasonClass: string | null;
  readonly respondentRef: string | null;
}

const issuesMax = 50;

export function createOutcomeService(deps: OutcomeServiceDeps) {
  const isEvent = createAjv(false).compile<OutcomeEvent>(OutcomeEvent);
  return {
    async accept(caller: KeyCaller, events: readonly unknown[]): Promise<OutcomeReply> {
      const namespace = namespaceOf(caller);
      const checked = events.map((event, index) => checkEvent(isEvent, event, index));
      const issues = checked.flatMap((result) => (Array.isArray(result) ? (result as readonly Issue[]) : []));
      const valid = checked.flatMap((result) =>
        Array.isArray(result) ? [] : [rowOf(result as OutcomeEvent, holderOf(caller), deps.makeRef)],
      );
      if (valid.length === 0) throw invalid(issues.slice(0, issuesMax));
      const accepted = await deps.database.transaction(async (tx) => {
        const sessions = await insertOutcomes(tx, namespace, valid);
        await orderWork(tx, namespace, sessions);
        return sessions;
      });
      await wakeConsumers(deps, namespace, accepted.length);
      const sessions = new Set(valid.map(({ sessionRef }) => sessionRef)).size;
      const reply = {
        received: events.length,
        accepted: accepted.length,
        duplicates: valid.length - accepted.length,
        rejected: events.length - valid.length,
        sessions,
      };
      for (const result of ['accepted', 'duplicates', 'rejected'] as const)
        deps.metrics.outcomes.inc({ result }, reply[result]);
      return issues.length === 0 ? reply : { ...reply, issues: issues.slice(0, issuesMax) };
    },
  };
}

/** The event, or what is wrong with it. */
function checkEvent(
  isEvent: ValidateFunction<OutcomeEvent>,
  event: unknown,
  index: number,
): OutcomeEvent | readonly Issue[] {
  const at = (path: string): string => `/events/${index}${path}`;
  if (!isEvent(event))
    return (isEvent.errors ?? [])
      .filter(({ keyword }) => keyword !== 'if')
      .map((violation) => describeViolation(violation, 'body'))
      .map(({ path, message }) => ({ path: at(path), message }));
  const times = {
    '/occurredAt': event.occurredAt,
    ...(event.detail?.of === undefined ? {} : { '/detail/of/occurredAt': event.detail.of.occurredAt }),
  };
  const issues = Object.entries(times)
    .filter(([, time]) => Number.isNaN(Date.parse(time)))
    .map(([path]) => ({ path: at(path), message: 'is not a time that a calendar has.' }));
  return issues.length === 0 ? event : issues;
}

function rowOf(
  { sessionId, type, occurredAt, reasonClass, detail }: OutcomeEvent,
  holder: string,
  makeRef: MakeRef,
): OutcomeRow {
  const retracted = type === 'custom' && detail?.name === retractionName ? detail.of : undefined;
  return {
    sessionRef: makeRef(holder, 'session', sessionId),
    type,
    occurredAt: new Date(occurredAt),
    target: retracted === undefined ? '' : `${retracted.type}@${Date.parse(retracted.occurredAt)}`,
    reasonClass: reasonClass ?? detail?.reasonClass ?? null,
    respondentRef:
      detail?.respondentId === undefined || detail.respondentId === sessionId
        ? null
        : respondentSubject(makeRef, holder, detail.respondentId),
  };
}

/** The sessions of the rows that were new, one for each row. */
async function insertOutcomes(
  tx: Queryable,
  namespace: string,
  rows: readonly OutcomeRow[],
): Promise<readonly string[]> {
  const column = <T>(read: (row: OutcomeRow) => T): T[] => rows.map(read);
  const inserted = await tx.query<{ session_ref: string }>(
    `INSERT INTO outcomes (project_id, session_ref, type, occurred_at, target, reason_class, respondent_ref)
     SELECT $1, * FROM unnest($2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[])
     ON CONFLICT DO NOTHING RETURNING session_ref`,
    [
      namespace,
      column((row) => row.sessionRef),
      column((row) => row.type),
      column((row) => row.occurredAt),
      column((row) => row.target),
      column((row) => row.reasonClass),
      column((row) => row.respondentRef),
    ],
  );
  return inserted.map((row) => row.session_ref);
}

/** Orders the adjudication of sessions anew; part of whichever transaction changed what it rests on. */
async function orderWork(tx: Queryable, namespace: string, sessions: readonly string[]): Promise<void> {
  if (sessions.length === 0) return;
  await tx.query('INSERT INTO adjudication_work (project_id, session_ref) SELECT $1, * FROM unnest($2::text[])', [
    namespace,
    [...new Set(sessions)],
  ]);
}

/** The order is in the database already: a wake-up that is lost costs the consumers’ polling interval, nothing else. */
async function wakeConsumers({ log, logger }: OutcomeServiceDeps, namespace: string, accepted: number): Promise<void> {
  if (accepted === 0) return;
  await log
    .append('outcomes', [{ key: namespace, value: pack({ namespace, accepted }) }])
    .catch((error: unknown) => logger.warn({ err: error }, 'consumers were not woken; they find the work by polling'));
}
