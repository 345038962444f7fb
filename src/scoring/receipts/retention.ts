/** Makes the receipts’ partitions of the coming days, and drops expired ones, whole days, with the sessions last scored before them. */
import { countNoun } from '../../contract/plural.js';
import type { Database } from '../../stores/database/port.js';
import {
  retentionEveryMs,
  startRetentionRounds,
  type RetentionRounds,
  type RoundsDeps,
} from '../../stores/database/retention.js';
import { startRounds } from '../../stores/rounds.js';
import { dropExpiredBatches } from './chain-retention.js';
import { dropPartition, findPartitionsBefore, makePartitionsAhead } from './partitions.js';
import { dropExpiredMarks } from './respondent-erasure.js';
import { dropExpiredSessions } from '../sessions/session-index.js';

const dayMs = 86_400_000;

/** Drops the partitions of days that ended more than `retentionDays` ago; answers the names of those that nobody was reading. */
export async function dropExpiredReceipts(
  database: Database,
  nowMs: number,
  retentionDays: number,
  isStopping: () => boolean = () => false,
): Promise<readonly string[]> {
  const dropped: string[] = [];
  for (const name of await findPartitionsBefore(database, nowMs - retentionDays * dayMs))
    if (!isStopping() && (await dropPartition(database, name))) dropped.push(name);
  return dropped;
}

/** Makes partitions at once and then every hour; drops as rounds of retention do. */
export function startReceiptRetention(deps: RoundsDeps & { readonly retentionDays: number }): RetentionRounds {
  const { database, logger, retentionDays } = deps;
  const ahead = startRounds({
    ...{ everyMs: retentionEveryMs, firstMs: 0 },
    work: () => makePartitionsAhead(database),
    onError: (error) => logger.warn({ err: error }, 'creating receipt partitions failed; the next round retries'),
  });
  const behind = startRetentionRounds({
    ...deps,
    what: 'receipts',
    guard: {
      keepDays: retentionDays,
      isDue: async (nowMs) => (await findPartitionsBefore(database, nowMs - retentionDays * dayMs)).length > 0,
    },
    drop: async (nowMs, isStopping) => {
      // First, while what it names is there: a chain begins behind what is deleted.
      await dropExpiredBatches(database, nowMs, retentionDays, isStopping);
      const days = await dropExpiredReceipts(database, nowMs, retentionDays, isStopping);
      const sessions = await dropExpiredSessions(database, nowMs, retentionDays, isStopping);
      await dropExpiredMarks(database, nowMs, retentionDays, isStopping);
      return sessions === 0 ? days : [...days, `${countNoun(sessions, 'session')} of the index`];
    },
  });
  return { stop: async () => void (await Promise.all([ahead.stop(), behind.stop()])) };
}
