/**
 * Looks at watched sessions that are due, every two seconds, of each organization in turn. One that fails alone rests, and the others go on. Several
 * instances share the work.
 */
import type { VerdictEvent } from '../../contract/session-event.js';
import { verdictChangedDaysMax } from '../../contract/project.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { Database } from '../../stores/database/port.js';
import {
  dropOverAge,
  startRetentionRounds,
  type RetentionRounds,
  type RoundsDeps,
} from '../../stores/database/retention.js';
import type { Outbox } from '../../stores/outbox/outbox.js';
import { type Rounds, startRounds } from '../../stores/rounds.js';
import { sessionOf, type SessionName } from '../outcomes/session-subjects.js';
import { createTurns } from '../outcomes/turns.js';
import { makePartition } from '../receipts/partitions.js';
import { lookAgain, type LookDeps } from './look.js';
import { postponeLook } from './watched-verdicts.js';

export interface VerdictRoundsDeps extends LookDeps {
  readonly outbox: Outbox;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'verdictsChanged'>;
}

const everyMs = 2_000;
const pageMax = 50;

export function startVerdictRounds(deps: VerdictRoundsDeps): Rounds {
  const lookAtNext = createVerdictLooks(deps);
  return startRounds({
    everyMs,
    work: async (isStopping) => (await lookAtNext(isStopping)) > 0,
    onError: (error) => deps.logger.warn({ err: error }, 'looking at changed verdicts failed; the next round retries'),
  });
}

/** Looks at the next page; answers how many sessions it had. */
export function createVerdictLooks(deps: VerdictRoundsDeps): (isStopping?: () => boolean) => Promise<number> {
  const { database } = deps;
  const nextTurn = createTurns();
  let partition = '';
  return async (isStopping = () => false) => {
    const turn = await nextTurn(database, { table: 'watched_verdicts', where: 'due_at <= now()' }, pageMax);
    if (turn.projects.length === 0) return 0;
    // New receipts are of today.
    const day = new Date().toISOString().slice(0, 10);
    if (day !== partition) await makePartition(database, day);
    partition = day;
    const sessions = await listDue(database, turn.projects, turn.shares);
    for (const session of sessions) if (!isStopping()) await look(deps, session);
    turn.end();
    return sessions.length;
  };
}

async function look(deps: VerdictRoundsDeps, session: SessionName): Promise<void> {
  const { database, logger, outbox, metrics } = deps;
  let event: VerdictEvent | null = null;
  try {
    event = await lookAgain(deps, session);
  } catch (error) {
    logger.warn({ err: error, ...session }, 'a session could not be judged again; it is tried again later');
    await postponeLook(database, session);
  }
  if (event === null) return;
  metrics.verdictsChanged.inc({ to: event.data.to.recommendation });
  void outbox.publish([event]);
}

async function listDue(
  database: Database,
  projects: readonly string[],
  shares: readonly number[],
): Promise<readonly SessionName[]> {
  const rows = await database.query<{ namespace: string; session_ref: string }>(
    `SELECT own.* FROM unnest($1::text[], $2::int[]) AS turn (project, share), LATERAL (
       SELECT namespace, session_ref FROM watched_verdicts WHERE namespace = project AND due_at <= now() ORDER BY due_at LIMIT share) AS own`,
    [projects, shares],
  );
  return rows.map(sessionOf);
}

/** Deletes sessions that no project may hear of any more; resolves to how many. */
export const dropUnwatched = (database: Database, nowMs: number, isStopping?: () => boolean): Promise<number> =>
  dropOverAge(
    database,
    { table: 'watched_verdicts', column: 'scored_at', keepDays: verdictChangedDaysMax },
    nowMs,
    isStopping,
  );

export const startWatchRetention = (deps: RoundsDeps): RetentionRounds =>
  startRetentionRounds({
    ...deps,
    what: 'watched verdicts',
    drop: (nowMs, isStopping) => dropUnwatched(deps.database, nowMs, isStopping),
  });
