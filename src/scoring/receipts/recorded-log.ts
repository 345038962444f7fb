/**
 * Whether what the log held at a moment has been recorded in the database. Until then the database does not know all that was scored before
 * that moment, however well it looks.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../stores/log/port.js';

export interface RecordedWait {
  readonly patienceMs: number;
  /** Between looks. */
  readonly everyMs: number;
}

/**
 * Waits until the recorder has come to where the log ends now; false where it has not within the patience. Rejects while the log is away, whose
 * looks have a deadline of their own.
 */
export async function untilRecorded(
  log: Pick<Log, 'progress'>,
  { patienceMs, everyMs }: RecordedWait,
): Promise<boolean> {
  const endMs = performance.now() + patienceMs;
  let progress = await log.progress('scores', 'receipts');
  const ends = new Map(progress.map(({ partition, end }) => [partition, end]));
  while (!progress.every(({ partition, next }) => next >= (ends.get(partition) ?? 0))) {
    if (performance.now() > endMs) return false;
    await pause(everyMs);
    progress = await log.progress('scores', 'receipts');
  }
  return true;
}
