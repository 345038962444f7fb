/**
 * Updates the score distribution: its orders every second, its retention every hour. The recorder of receipts counts new scores. A round
 * that is killed is repeated, and counts once.
 */
import type { Consumer } from '../../stores/log/port.js';
import type { Database } from '../../stores/database/port.js';
import type { Logger } from '../../telemetry/logger.js';
import { deleteInBatches } from '../../stores/database/retention.js';
import { startRounds } from '../../stores/rounds.js';
import { createWorkOrders } from '../outcomes/work-orders.js';
import { type RecountDeps, recountSessions, relabelSessions } from './distribution-store.js';

export interface DistributionRoundDeps {
  readonly database: Database;
  readonly logger: Logger;
  /** Days that sessions are kept: as long as their receipts. */
  readonly retentionDays: number;
}

const sweepEveryMs = 1_000;
const retainEveryMs = 3_600_000;

export function startDistributionRounds({ database, logger, retentionDays }: DistributionRoundDeps): Consumer {
  const orders = createLabelWork({ database, logger });
  let sweptAtMs = performance.now();
  let retainedAtMs = performance.now();
  const work = async (isStopping: () => boolean): Promise<void> => {
    while (!isStopping() && (await orders.next()) > 0);
    if (performance.now() - retainedAtMs >= retainEveryMs) {
      retainedAtMs = performance.now();
      await dropExpiredDistribution(database, retentionDays, isStopping);
    }
    sweptAtMs = performance.now();
  };
  const onError = (error: unknown): void =>
    logger.warn({ err: error }, 'score distribution update failed; the next round retries');
  const rounds = startRounds({ everyMs: sweepEveryMs, work, onError });
  return { tickAgeMs: () => performance.now() - sweptAtMs, stop: () => rounds.stop() };
}

/** Deletes whole days past the lifetime of receipts; returns how many sessions. */
async function dropExpiredDistribution(
  database: Database,
  retentionDays: number,
  isStopping: () => boolean = () => false,
): Promise<number> {
  const values = [retentionDays];
  const sessions = await deleteInBatches(database, {
    table: 'scored_sessions',
    where: `scored_at < ${firstDayKept}`,
    values,
    isStopping,
  });
  await deleteInBatches(database, {
    table: 'score_distribution',
    where: `day < (${firstDayKept})::date`,
    values,
    isStopping,
  });
  return sessions;
}

const firstDayKept = `date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - make_interval(days => $1::int)`;

export interface LabelWork {
  /** Works off a batch; answers of how many sessions. 0: none waits, or others have them in hand. Rejects as `WorkOrders` does. */
  next(): Promise<number>;
}

export interface LabelWorkDeps extends RecountDeps {
  readonly database: Database;
}

/** Relabels sessions whose outcomes changed and recounts missed receipts: one transaction for a batch, projects in turn. */
export function createLabelWork({ database, logger }: LabelWorkDeps, batchMax?: number): LabelWork {
  const orders = createWorkOrders(database, batchMax, 'label_work');
  return {
    next: async () =>
      (await orders.next(async (tx, sessions) => {
        await recountSessions(tx, sessions, { logger });
        await relabelSessions(tx, sessions);
        return sessions.length;
      })) ?? 0,
  };
}
