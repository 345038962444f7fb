/**
 * Turns observations of a session into flags, by the thresholds of its project. A flag is raised once for a session, its type and its question:
 * its row, which only one transaction gets, and its event are one transaction. Observations count up while a page lives, so that one that
 * could not be flagged (a store was away) is flagged by the next.
 */
import { createBoundedCache } from '../../bounded-cache.js';
import type { Observation, RaisedFlag } from '../../contract/monitoring.js';
import type { FlagEvent } from '../../contract/session-event.js';
import type { Directories } from '../../administration/directories.js';
import type { StoredProject } from '../../administration/project-store.js';
import { makeId } from '../../crypto/ids.js';
import type { MakeRef } from '../../crypto/master-key.js';
import type { Pool } from '../../pool/pool.js';
import type { Database } from '../../stores/database/port.js';
import { inOrganization } from '../../stores/database/tenant.js';
import type { Outbox } from '../../stores/outbox/outbox.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { StoredSession } from '../sessions/session-store.js';
import { takeFlags } from './flag-store.js';

export interface MonitorDeps {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly pool: Pool;
  readonly directories: Pick<Directories, 'projects'>;
  readonly makeRef: MakeRef;
  readonly metrics: Pick<Metrics, 'monitoringFlags'>;
  readonly now: () => number;
}

/** respondentId is null where it is not known. */
export type ObservedSession = Pick<StoredSession, 'projectId' | 'sessionId' | 'respondentId' | 'mode'>;

/** Resolves to how many flags were raised. Rejects where the pool or the database does not answer. */
export type Observe = (session: ObservedSession, observation: Observation) => Promise<number>;

/** Flags of one observation; the rest waits for the next. */
const flagsPerObservationMax = 20;
/** Flags known to be raised, so that a page that keeps telling of them costs no write. */
const rememberedMax = 50_000;

export function createMonitor(deps: MonitorDeps): Observe {
  const { directories, pool, makeRef } = deps;
  const raised = createBoundedCache<true>(rememberedMax);
  return async (session, observation) => {
    const project = await directories.projects.get(session.projectId);
    const monitoring = project?.fields.config?.monitoring;
    if (project === null || monitoring === undefined) return 0;
    const flags = await pool.run({ kind: 'watch', observation, monitoring });
    const sessionRef = makeRef(project.projectId, 'session', session.sessionId);
    const keyOf = (flagRef: string): string => `${project.projectId}:${sessionRef}:${flagRef}`;
    const fresh = flags
      .map((flag) => ({ flag, ref: makeRef(project.projectId, 'flag', nameOf(flag)) }))
      .filter(({ ref }) => !raised.has(keyOf(ref)))
      .slice(0, flagsPerObservationMax);
    if (fresh.length === 0) return 0;
    const count = await raise(deps, project, session, sessionRef, fresh);
    for (const { ref } of fresh) raised.set(keyOf(ref), true);
    return count;
  };
}

interface FreshFlag {
  readonly flag: RaisedFlag;
  readonly ref: string;
}

async function raise(
  { database, outbox, metrics, now }: MonitorDeps,
  { organizationId, projectId }: StoredProject,
  session: ObservedSession,
  sessionRef: string,
  fresh: readonly FreshFlag[],
): Promise<number> {
  const nowMs = now();
  const occurredAt = new Date(nowMs).toISOString();
  const named = fresh.map(({ flag, ref }) => ({
    ref,
    event: eventOf(flag, { ...session, organizationId, occurredAt }),
  }));
  const events = await inOrganization(database, organizationId, async (tx) => {
    const taken = await takeFlags(tx, { organizationId, projectId, mode: session.mode, sessionRef }, named, nowMs);
    const written = named.flatMap(({ ref, event }) => (taken.has(ref) ? [event] : []));
    await outbox.write(tx, written);
    return written;
  });
  void outbox.publish(events);
  for (const event of events) metrics.monitoringFlags.inc(labelsOf(event));
  return events.length;
}

/** Each name is raised once. */
const nameOf = (flag: RaisedFlag): string =>
  flag.kind === 'anomaly' ? `anomaly ${flag.type}` : `question ${flag.metric} ${flag.questionId}`;

function eventOf(
  flag: RaisedFlag,
  {
    respondentId,
    mode,
    ...envelope
  }: ObservedSession & { readonly organizationId: string; readonly occurredAt: string },
): FlagEvent {
  const { organizationId, projectId, sessionId, occurredAt } = envelope;
  const common = {
    eventId: makeId('event'),
    organizationId,
    projectId,
    sessionId,
    isDemo: mode !== 'live',
    occurredAt,
  };
  if (flag.kind === 'anomaly') {
    const { type, score, threshold, detail } = flag;
    return {
      ...common,
      type: 'monitoring.flagged',
      data: { respondent_id: respondentId, anomaly: { type, score, threshold, detail } },
    };
  }
  const { questionId, metric, value, threshold } = flag;
  return {
    ...common,
    type: 'question.flagged',
    data: { respondent_id: respondentId, question: { question_id: questionId, metric, value, threshold } },
  };
}

/** Both are names of the service’s own, never of a caller. */
const labelsOf = (event: FlagEvent): { readonly event: string; readonly type: string } => ({
  event: event.type,
  type: event.type === 'monitoring.flagged' ? event.data.anomaly.type : event.data.question.metric,
});
