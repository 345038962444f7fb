/**
 * Deletes dead letters that failed so long ago that nothing else is left of what they tell of, and earlier those that nobody can read: an erasure
 * does not reach these, so that their age bounds how long they can outlive one.
 */
import type { Database } from '../../database/port.js';
import {
  deleteInBatches,
  startRetentionRounds,
  type RetentionRounds,
  type RoundsDeps,
} from '../../database/retention.js';

export interface LetterLifetimes {
  readonly retentionDays: number;
  readonly unreadableDays: number;
}

export const startDeadLetterRetention = (deps: RoundsDeps & LetterLifetimes): RetentionRounds =>
  startRetentionRounds({
    ...deps,
    what: 'dead letters',
    drop: (nowMs, isStopping) => dropLetters(deps.database, deps, nowMs, isStopping),
  });

/** Resolves to how many. */
export async function dropLetters(
  database: Database,
  { retentionDays, unreadableDays }: LetterLifetimes,
  nowMs: number,
  isStopping: () => boolean = () => false,
): Promise<number> {
  const drop = (where: string, days: number): Promise<number> =>
    deleteInBatches(database, {
      ...{ table: 'dead_letters', where, isStopping },
      values: [new Date(nowMs - days * 86_400_000)],
    });
  return (await drop('failed_at < $1', retentionDays)) + (await drop('unreadable AND failed_at < $1', unreadableDays));
}
