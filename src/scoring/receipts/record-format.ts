/**
 * Which records are written. Every version reads all that came before it, but the version before this one cannot read what is new, and while a
 * service is upgraded both run side by side. So where this version came to a database that had organizations already, the older format is written
 * for a day from then; a new installation has no older processes.
 */
import type { RecordFormat } from '../../record/types.js';
import type { Database } from '../../stores/database/port.js';
import { openUpgradeDay } from './upgrade-day.js';

/** `setting`: an operator's word, for an upgrade that takes longer or may be taken back. Asks the database once; the day ends without a restart. */
export async function openRecordFormat(
  database: Database,
  setting: 'auto' | '1' | '2',
  now: () => number,
): Promise<() => RecordFormat> {
  if (setting !== 'auto') return () => (setting === '1' ? 1 : 2);
  const isOver = await openUpgradeDay(database, 'record_formats', now);
  return () => (isOver() ? 2 : 1);
}
