/**
 * Whether what the log held at a moment has been recorded in the database. Until then the database does not know all that was scored before
 * that moment, however well it looks.
 */
import type { Log } from '../stores/log/port.js';

/** Notes where the log ends now; resolves to a look at whether the recorder has come that far. Rejects while the log is away, and so does the look. */
export async function isRecorded(log: Pick<Log, 'progress'>): Promise<() => Promise<boolean>> {
  const ends = new Map((await log.progress('scores', 'receipts')).map(({ partition, end }) => [partition, end]));
  return async () =>
    (await log.progress('scores', 'receipts')).every(({ partition, next }) => next >= (ends.get(partition) ?? 0));
}
