/**
 * Takes outcome events. Each is checked by itself: one that is malformed is told apart by its pointer, and the others are stored. What is
 * accepted is durable before the reply, together with the work order that will carry it into the history; a replay is a
 * duplicate and changes nothing. With the database away nothing is accepted, and the answer is a 503 to repeat.
 */
import { pack } from 'msgpackr';
import type { OutcomeReply } from '../../contract/outcome.js';
import type { MakeRef } from '../../crypto/master-key.js';
import type { KeyCaller } from '../../http/access.js';
import { invalid } from '../../http/error-answers.js';
import { namespaceOf } from '../../stores/counters/namespace.js';
import type { Database, Queryable } from '../../stores/database/port.js';
import type { Log } from '../../stores/log/port.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { createEventCheck } from './event-check.js';
import { insertOutcomes, rowOf, sortRows, type SessionKey } from './outcome-rows.js';

export interface OutcomeServiceDeps {
  readonly database: Database;
  readonly log: Log;
  readonly makeRef: MakeRef;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly now: () => number;
  /** The organization that owns a project, or null. */
  readonly findProjectOwner: (projectId: string) => Promise<string | null>;
}

const issuesMax = 50;

export function createOutcomeService(deps: OutcomeServiceDeps) {
  const checkEvent = createEventCheck(deps);
  return {
    async accept(caller: KeyCaller, events: readonly unknown[]): Promise<OutcomeReply> {
      const checked = await Promise.all(events.map((event, index) => checkEvent(caller, event, `/events/${index}`)));
      const issues = checked.flatMap((result) => result.issues);
      const valid = checked.flatMap(({ event }) =>
        event === null
          ? []
          : [rowOf(event, { ...caller, projectId: event.projectId ?? caller.projectId }, deps.makeRef)],
      );
      if (valid.length === 0) throw invalid(issues.slice(0, issuesMax));
      const accepted = await deps.database.transaction(async (tx) => {
        const sessions = await insertOutcomes(tx, sortRows(valid));
        await orderWork(tx, sessions);
        return sessions;
      });
      await wakeConsumers(deps, namespaceOf(caller), accepted.length);
      const sessions = new Set(valid.map(({ namespace, sessionRef }) => `${namespace}\n${sessionRef}`)).size;
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

/** Orders the adjudication of sessions anew; part of whichever transaction changed what it rests on. */
export async function orderWork(tx: Queryable, sessions: readonly SessionKey[]): Promise<void> {
  if (sessions.length === 0) return;
  await tx.query(
    'INSERT INTO adjudication_work (project_id, session_ref) SELECT DISTINCT * FROM unnest($1::text[], $2::text[])',
    [sessions.map(({ namespace }) => namespace), sessions.map(({ sessionRef }) => sessionRef)],
  );
}

/** The order is in the database already: a wake-up that is lost costs the consumers’ polling interval, nothing else. */
async function wakeConsumers({ log, logger }: OutcomeServiceDeps, namespace: string, accepted: number): Promise<void> {
  if (accepted === 0) return;
  await log
    .append('outcomes', [{ key: namespace, value: pack({ namespace, accepted }) }])
    .catch((error: unknown) => logger.warn({ err: error }, 'consumers were not woken; they find the work by polling'));
}
