/**
 * Which records are written. Every version reads all that came before it, but the version before this one cannot read what is new, and while a
 * service is upgraded both run side by side. So an installation that is older than the format writes the older one for a day from when the first
 * process of this version came; a new one has no older processes.
 */
import type { RecordFormat } from '../record/types.js';
import type { Database } from '../stores/database/port.js';

const upgradeMs = 86_400_000;
/** Migrations of a new database follow one another within it. */
const installationMs = 600_000;
const migration = '0160-record-format.sql';

/** `setting`: an operator's word, for an upgrade that takes longer or may be taken back. Asks the database once; the day ends without a restart. */
export async function openRecordFormat(
  database: Database,
  setting: 'auto' | '1' | '2',
  now: () => number,
): Promise<() => RecordFormat> {
  if (setting !== 'auto') return () => (setting === '1' ? 1 : 2);
  const [row] = await database.query<{ installed_at: Date; came_at: Date | null }>(
    'SELECT min(applied_at) AS installed_at, max(applied_at) FILTER (WHERE name = $1) AS came_at FROM migrations',
    [migration],
  );
  if (row?.came_at == null) return () => 1;
  const cameMs = row.came_at.getTime();
  const isNew = cameMs - row.installed_at.getTime() < installationMs;
  return () => (isNew || now() - cameMs >= upgradeMs ? 2 : 1);
}
