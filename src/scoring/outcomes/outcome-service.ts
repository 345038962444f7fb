/**
 * Takes outcome events, each checked by itself: those with issues are reported by JSON pointer, the others are stored. Accepted events and
 * their work order are durable before the reply; a replay changes nothing. If the database is away, the reply is a 503.
 */
import type { DataOwner } from '../../kernel/caller.js';
import { invalid } from '../../kernel/faults.js';
import type { OutcomeReply } from '../../contract/outcome.js';
import type { MakeRef } from '../../crypto/master-key.js';
import { Fault, type Issue } from '../../errors.js';
import type { Counters } from '../../stores/counters/port.js';
import type { Database } from '../../stores/database/port.js';
import type { Log } from '../../stores/log/port.js';
import type { Logger } from '../../telemetry/logger.js';
import { suggest } from '../../kernel/validation.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { UnknownName } from '../score-request.js';
import { createEventCheck, type CheckedEvent, type EventSource } from './event-check.js';
import { entryOfOutcomes, type OutcomeRow, rowOf, type RowOwner, rowOwnerOf } from './outcome-rows.js';
import { storeEvents, type StoredOutcomes } from './outcome-store.js';
import type { SessionName } from './session-subjects.js';

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

export type OutcomeService = ReturnType<typeof createOutcomeService>;

const issuesMax = 50;

const restatement =
  'was sent before with another class or respondent. The last one counts. To correct an event, send its eventId.';
const storageError = 'could not be stored and does not count. Send it again.';

export function createOutcomeService(deps: OutcomeServiceDeps) {
  const checkEvents = createEventCheck(deps);
  return {
    async accept(owner: DataOwner, events: readonly unknown[], source: EventSource = {}): Promise<OutcomeReply> {
      const checked = await checkEvents(owner, events, (index) => `/events/${index}`, source);
      const refused = checked.flatMap(({ issues }) => issues);
      const stated = rowsOf(owner, checked, deps.makeRef);
      if (stated.length === 0) throw invalid(refused.slice(0, issuesMax));
      const valid = stated.map(({ row }) => row);
      const { accepted, restated, corrected, unscored, failed } = await storeWhatFits(deps, valid);
      const [unmatched] = await Promise.all([
        countUnmatched(deps.counters, unscored),
        accepted.length === 0
          ? null
          : wakeConsumers(
              deps,
              owner,
              valid.filter((row) => !failed.has(row)),
            ),
      ]);
      const reply = {
        received: events.length,
        accepted: accepted.length,
        corrected,
        duplicates: valid.length - accepted.length - failed.size,
        rejected: events.length - valid.length + failed.size,
        unmatched,
        sessions: new Set(valid.map(({ namespace, sessionRef }) => `${namespace}\n${sessionRef}`)).size,
      };
      for (const result of ['accepted', 'duplicates', 'rejected', 'unmatched'] as const)
        deps.metrics.outcomes.inc({ result }, reply[result]);
      const issues = [
        ...refused,
        ...describeRows(stated, failed, storageError),
        ...describeRows(stated, restated, restatement),
        ...describeUnknown(checked.flatMap(({ unknown }) => unknown)),
      ];
      return issues.length === 0 ? reply : { ...reply, issues: issues.slice(0, issuesMax) };
    },
  };
}

interface StatedRow {
  /** Place of the event in the request. */
  readonly index: number;
  readonly row: OutcomeRow;
}

/** The rows of the events that are well formed. */
function rowsOf(owner: DataOwner, checked: readonly CheckedEvent[], makeRef: MakeRef): readonly StatedRow[] {
  const owners = new Map<string | null, RowOwner>();
  const ownerOf = (projectId: string | null): RowOwner => {
    const found = owners.get(projectId) ?? rowOwnerOf({ ...owner, projectId });
    owners.set(projectId, found);
    return found;
  };
  return checked.flatMap(({ event }, index) =>
    event === null ? [] : [{ index, row: rowOf(event, ownerOf(event.projectId ?? owner.projectId), makeRef) }],
  );
}

const describeRows = (stated: readonly StatedRow[], rows: ReadonlySet<OutcomeRow>, message: string): readonly Issue[] =>
  stated.flatMap(({ index, row }) => (rows.has(row) ? [{ path: `/events/${index}`, message }] : []));

/** A row that the store refuses does not affect the others: the rows are halved until it is alone. Rejects while the store is unavailable. */
async function storeWhatFits(
  deps: Pick<OutcomeServiceDeps, 'database' | 'logger'>,
  rows: readonly OutcomeRow[],
): Promise<StoredOutcomes & { readonly failed: ReadonlySet<OutcomeRow> }> {
  try {
    return { ...(await storeEvents(deps.database, rows)), failed: new Set() };
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (rows.length === 1) {
      deps.logger.error({ err: error }, 'the database refused an outcome event; it is rejected');
      return { accepted: [], restated: new Set(), corrected: 0, unscored: [], failed: new Set(rows) };
    }
    const half = Math.ceil(rows.length / 2);
    const [a, b] = [await storeWhatFits(deps, rows.slice(0, half)), await storeWhatFits(deps, rows.slice(half))];
    return {
      accepted: [...a.accepted, ...b.accepted],
      restated: new Set([...a.restated, ...b.restated]),
      corrected: a.corrected + b.corrected,
      unscored: [...a.unscored, ...b.unscored],
      failed: new Set([...a.failed, ...b.failed]),
    };
  }
}

/** Each name once, at the first event that has it: whoever sends it with every event need not read of it a thousand times. */
function describeUnknown(unknown: readonly UnknownName[]): readonly Issue[] {
  const firsts = new Map(unknown.toReversed().map((each) => [each.name, each]));
  return [...firsts.values()].toReversed().map(({ path, nearest }) => ({
    path,
    message: `is unknown and was ignored${suggest(nearest)} The event was accepted without it.`,
  }));
}

/** Accepted events of sessions that neither the records nor the counters know as scored. */
async function countUnmatched(
  counters: Pick<Counters, 'wereScored'>,
  unscored: readonly SessionName[],
): Promise<number> {
  const scored = await Promise.all(
    [...new Set(unscored.map(({ namespace }) => namespace))].map((namespace) => {
      const refs = unscored.filter((each) => each.namespace === namespace).map(({ sessionRef }) => sessionRef);
      // The counters know a score before it is recorded; without them it counts as matched a moment later.
      return counters.wereScored(namespace, refs).catch(() => []);
    }),
  );
  return unscored.length - scored.flat().filter((was) => was).length;
}

/** The order is in the database already: a wake-up that is lost costs the consumers’ polling interval, nothing else. */
async function wakeConsumers(
  { log, logger, now }: OutcomeServiceDeps,
  owner: DataOwner,
  rows: readonly OutcomeRow[],
): Promise<void> {
  await log
    .append('outcomes', [entryOfOutcomes(owner, now(), rows)])
    .catch((error: unknown) => logger.warn({ err: error }, 'consumer wake-up failed; they poll instead'));
}
