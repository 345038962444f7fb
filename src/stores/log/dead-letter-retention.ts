/**
 * Deletes dead letters that failed so long ago that nothing else is left of what they tell of.
 */
import { deleteInBatches, startRetentionRounds, type RetentionRounds, type RoundsDeps } from '../database/retention.js';

export const startDeadLetterRetention = (deps: RoundsDeps & { readonly retentionDays: number }): RetentionRounds =>
  startRetentionRounds({
    ...deps,
    what: 'dead letters',
    drop: (nowMs, isStopping) =>
      deleteInBatches(deps.database, {
        table: 'dead_letters',
        where: 'failed_at < $1',
        values: [new Date(nowMs - deps.retentionDays * 86_400_000)],
        isStopping,
      }),
  });
