/**
 * How much waits between an outcome and the history that scoring reads, and since when: sessions to adjudicate, records to publish, and
 * outcomes without a scored session. Counted up to a bound.
 */
import type { Database } from '../../stores/database/port.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { type Rounds, startRounds } from '../../stores/rounds.js';

const countMax = 10_000;
const everyMs = 15_000;

/** An outcome counts as unmatched from 15 minutes on: its score may come later than it. */
const questions = {
  adjudications: `SELECT ordered_at AS since FROM adjudication_work ORDER BY work_id LIMIT ${countMax}`,
  history: `SELECT changed_at AS since FROM history WHERE published < version LIMIT ${countMax}`,
  outcomes: `SELECT recent.received_at AS since
    FROM (SELECT namespace, session_ref, received_at FROM outcomes
           WHERE received_at BETWEEN now() - interval '135 minutes' AND now() - interval '15 minutes' ORDER BY received_at DESC LIMIT ${countMax}) recent
    WHERE NOT EXISTS (SELECT 1 FROM scored_sessions s WHERE s.namespace = recent.namespace AND s.session_ref = recent.session_ref)`,
} as const;

export interface Backlog {
  readonly kind: keyof typeof questions;
  readonly waiting: number;
  readonly oldestSeconds: number;
}

export async function readBacklogs(database: Pick<Database, 'query'>): Promise<readonly Backlog[]> {
  const read = async (kind: keyof typeof questions): Promise<Backlog> => {
    const [row] = await database.query<{ waiting: number; oldest: number }>(
      `SELECT count(*)::int AS waiting, coalesce(extract(epoch FROM now() - min(since)), 0)::float8 AS oldest FROM (${questions[kind]}) AS waits`,
    );
    return { kind, waiting: row?.waiting ?? 0, oldestSeconds: Math.max(0, row?.oldest ?? 0) };
  };
  const found: Backlog[] = [];
  for (const kind of Object.keys(questions) as (keyof typeof questions)[]) found.push(await read(kind));
  return found;
}

export interface BacklogWatchDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'backlogs' | 'backlogOldest'>;
}

/** Looks at once and then every 15 seconds. */
export function startBacklogWatch({ database, logger, metrics }: BacklogWatchDeps): Rounds {
  const work = async (): Promise<void> => {
    for (const { kind, waiting, oldestSeconds } of await readBacklogs(database)) {
      metrics.backlogs.set({ kind }, waiting);
      metrics.backlogOldest.set({ kind }, oldestSeconds);
    }
  };
  const onError = (error: unknown): void => logger.warn({ err: error }, 'backlog count failed');
  return startRounds({ everyMs, firstMs: 0, work, onError });
}
