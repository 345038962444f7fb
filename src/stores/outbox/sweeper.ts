/**
 * Hands to the log what its writers left in the outbox (the log was away, or they died between the commit and the append), and once more
 * what the log had and nobody fanned out within a minute: the log may have lost it.
 *
 *   waiting ──due──▶ taken for some seconds ──the log has it──▶ fanned out: removed; not yet: due in a minute
 *      ▲                     └──it has not──▶ due again when they are over
 *      └─────────────────────┘
 *
 * Several sweepers share the work: what one has taken is not due for the others. A round that fails is repeated after a pause, for ever.
 */
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { Database } from '../database/port.js';
import type { Log } from '../log/port.js';
import { type Rounds, startRounds } from '../rounds.js';
import { entryOf, noteInLog } from './outbox.js';

export interface OutboxSweeperDeps {
  readonly database: Database;
  readonly log: Log;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'outboxOldest' | 'outboxEvents'>;
  /** How often it looks, in milliseconds. */
  readonly everyMs?: number;
}

/** With events of the largest size it stays below what the log takes at once. */
const batchMax = 100;
/** Longer than the log lets an append wait. */
const takenSeconds = 5;
const everyMsDefault = 1_000;
const pauseMsMax = 5_000;

/** Hands over one batch of what is due; answers how many there were. Rejects where the log or the database is away. */
export async function sweepOutbox({ database, log }: Pick<OutboxSweeperDeps, 'database' | 'log'>): Promise<number> {
  const rows = await database.query<{ event_id: string; log_key: string; body: string }>(
    `UPDATE outbox SET due_at = now() + ${takenSeconds} * interval '1 second'
      WHERE event_id IN (SELECT event_id FROM outbox WHERE due_at <= now() ORDER BY due_at LIMIT ${batchMax} FOR UPDATE SKIP LOCKED)
      RETURNING event_id, log_key, body`,
    [],
    { recurring: true },
  );
  if (rows.length === 0) return 0;
  const inOrder = [...rows].sort((a, b) => (a.event_id < b.event_id ? -1 : 1));
  await log.append(
    'verifications',
    inOrder.map((row) => entryOf(row.log_key, row.body)),
  );
  await noteInLog(
    database,
    inOrder.map((row) => row.event_id),
  );
  return rows.length;
}

export function startOutboxSweeper(deps: OutboxSweeperDeps): Pick<Rounds, 'stop'> {
  const { database, logger, metrics, everyMs = everyMsDefault } = deps;
  const work = async (): Promise<boolean> => {
    const oldest = await oldestSeconds(database);
    metrics.outboxOldest.set(oldest ?? 0);
    const swept = oldest === null ? 0 : await sweepOutbox(deps);
    metrics.outboxEvents.inc({ event: 'swept' }, swept);
    return swept === batchMax;
  };
  const onError = (error: unknown, failures: number): void =>
    logger.warn({ err: error, failures }, 'outbox sweep failed; retrying after a pause');
  return startRounds({ everyMs, firstMs: 0, pauseMs: [everyMs, pauseMsMax], keepsAlive: true, work, onError });
}

/** Null where nothing is there. Ids sort by the time of their making, so that the first is the oldest. */
async function oldestSeconds(database: Database): Promise<number | null> {
  const [row] = await database.query<{ age: number }>(
    'SELECT greatest(0, extract(epoch FROM now() - written_at))::float8 AS age FROM outbox ORDER BY event_id LIMIT 1',
    [],
    { recurring: true },
  );
  return row?.age ?? null;
}
