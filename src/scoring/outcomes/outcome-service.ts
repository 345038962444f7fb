/**
 * Takes outcome events. Each is checked by itself: one that is malformed is told apart by its pointer, and the others are stored. What is
 * accepted is durable before the reply, together with the work order that will carry it into the history; a replay is a
 * duplicate and changes nothing. With the database away nothing is accepted, and the answer is a 503 to repeat.
 */
import type { OutcomeReply } from '../../contract/outcome.js';
import type { MakeRef } from '../../crypto/master-key.js';
import type { Issue } from '../../errors.js';
import type { KeyCaller } from '../../http/access.js';
import { invalid } from '../../http/error-answers.js';
import { namespaceOf } from '../../stores/counters/namespace.js';
import type { Counters } from '../../stores/counters/port.js';
import type { Database, Queryable } from '../../stores/database/port.js';
import type { Log } from '../../stores/log/port.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { UnknownName } from '../request-notes.js';
import { createEventCheck } from './event-check.js';
import { entryOfOutcomes } from './outcome-log.js';
import {
  eventOf,
  findRestated,
  insertOutcomes,
  replaceEvents,
  rowOf,
  sortRows,
  type InsertedOutcome,
  type OutcomeRow,
  type SessionKey,
} from './outcome-rows.js';

export interface OutcomeServiceDeps {
  readonly database: Database;
  readonly counters: Pick<Counters, 'wereScored'>;
  readonly log: Log;
  readonly makeRef: MakeRef;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly now: () => number;
  /** The organization that owns a project, or null. */
  readonly findProjectOwner: (projectId: string) => Promise<string | null>;
}

const issuesMax = 50;

const restatement =
  'was stated before with another class or respondent; what was said last stands. With an eventId a correction replaces what it corrects.';

export function createOutcomeService(deps: OutcomeServiceDeps) {
  const checkEvent = createEventCheck(deps);
  return {
    async accept(caller: KeyCaller, events: readonly unknown[]): Promise<OutcomeReply> {
      const checked = await Promise.all(events.map((event, index) => checkEvent(caller, event, `/events/${index}`)));
      const refused = checked.flatMap((result) => result.issues);
      const stated = checked.flatMap(({ event }, index) =>
        event === null
          ? []
          : [{ index, row: rowOf(event, { ...caller, projectId: event.projectId ?? caller.projectId }, deps.makeRef) }],
      );
      if (stated.length === 0) throw invalid(refused.slice(0, issuesMax));
      const valid = stated.map(({ row }) => row);
      const { accepted, restated } = await deps.database.transaction((tx) => storeEvents(tx, valid));
      if (accepted.length > 0) await tellConsumers(deps, namespaceOf(caller), valid);
      const sessions = new Set(valid.map(({ namespace, sessionRef }) => `${namespace}\n${sessionRef}`)).size;
      const reply = {
        received: events.length,
        accepted: accepted.length,
        duplicates: valid.length - accepted.length,
        rejected: events.length - valid.length,
        unmatched: await countUnmatched(deps, accepted),
        sessions,
      };
      const fresh = new Set(accepted.map(({ event }) => event));
      const contradictions = stated.flatMap(({ index, row }) =>
        restated.has(eventOf(row)) && fresh.has(eventOf(row))
          ? [{ path: `/events/${index}`, message: restatement }]
          : [],
      );
      const issues = [...refused, ...contradictions, ...tellUnknown(checked.flatMap(({ unknown }) => unknown))];
      for (const result of ['accepted', 'duplicates', 'rejected', 'unmatched'] as const)
        deps.metrics.outcomes.inc({ result }, reply[result]);
      return issues.length === 0 ? reply : { ...reply, issues: issues.slice(0, issuesMax) };
    },
  };
}

/** Each name once, at the first event that has it: whoever sends it with every event need not read of it a thousand times. */
function tellUnknown(unknown: readonly UnknownName[]): readonly Issue[] {
  const firsts = new Map(unknown.toReversed().map((each) => [each.name, each]));
  return [...firsts.values()].toReversed().map(({ path, nearest }) => ({
    path,
    message: `is not a known name and was not looked at${nearest === null ? '.' : `; did you mean "${nearest}"?`} The event was accepted without it.`,
  }));
}

/** Replaces what known eventIds said, stores what is new, and orders the adjudication of every session that this touches. */
export async function storeEvents(
  tx: Queryable,
  rows: readonly OutcomeRow[],
): Promise<{ readonly accepted: readonly InsertedOutcome[]; readonly restated: ReadonlySet<string> }> {
  const sorted = sortRows(rows);
  const replaced = await replaceEvents(tx, sorted);
  const accepted = await insertOutcomes(tx, sorted);
  await orderWork(tx, [...replaced, ...accepted]);
  return { accepted, restated: accepted.length === 0 ? new Set() : await findRestated(tx, sorted) };
}

/** Accepted events of sessions that neither the records nor the counters know as scored. */
async function countUnmatched(
  { database, counters }: OutcomeServiceDeps,
  accepted: readonly SessionKey[],
): Promise<number> {
  if (accepted.length === 0) return 0;
  const known = await database.query<{ known: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM scored_sessions s WHERE s.project_id = row.project AND s.session_ref = row.session) AS known
       FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS row (project, session, place) ORDER BY row.place`,
    [accepted.map(({ namespace }) => namespace), accepted.map(({ sessionRef }) => sessionRef)],
  );
  const waiting = accepted.filter((_, index) => known[index]?.known !== true);
  const scored = await Promise.all(
    [...new Set(waiting.map(({ namespace }) => namespace))].map((namespace) => {
      const refs = waiting.filter((each) => each.namespace === namespace).map(({ sessionRef }) => sessionRef);
      // The counters know a score before it is recorded; without them it counts as matched a moment later.
      return counters.wereScored(namespace, refs).catch(() => []);
    }),
  );
  return waiting.length - scored.flat().filter((was) => was).length;
}

/** Orders the adjudication of sessions anew; part of whichever transaction changed what it rests on. */
export async function orderWork(tx: Queryable, sessions: readonly SessionKey[]): Promise<void> {
  if (sessions.length === 0) return;
  await tx.query(
    'INSERT INTO adjudication_work (project_id, session_ref) SELECT DISTINCT * FROM unnest($1::text[], $2::text[])',
    [sessions.map(({ namespace }) => namespace), sessions.map(({ sessionRef }) => sessionRef)],
  );
}

/** The order is in the database already: a wake-up that is lost costs the consumers’ polling interval, nothing else. */
async function tellConsumers(
  { log, logger, now }: OutcomeServiceDeps,
  namespace: string,
  rows: readonly OutcomeRow[],
): Promise<void> {
  await log
    .append('outcomes', [entryOfOutcomes(namespace, now(), rows)])
    .catch((error: unknown) => logger.warn({ err: error }, 'consumers were not woken; they find the work by polling'));
}
