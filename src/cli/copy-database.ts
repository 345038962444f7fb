/**
 * `verifyhuman copy-database`: copies the embedded database in VH_DATA_DIR into the one that DATABASE_URL names, for a service that moves to real
 * stores. The service has to be stopped, and keeps its master key. Run again after an interruption, it goes on.
 */
import { join } from 'node:path';
import { countNoun } from '../contract/plural.js';
import { readSettings } from '../config/read.js';
import { makePartition } from '../scoring/receipts/partitions.js';
import { copyDatabase } from '../stores/database/copy.js';
import { migrate } from '../stores/database/migrate.js';
import { openDatabaseAlone } from '../stores/database/open.js';
import type { Queryable } from '../stores/database/port.js';
import { openPostgres } from '../stores/database/postgres/open.js';
import { createLogger } from '../telemetry/logger.js';
import { print } from './print.js';

const deadlineMs = 60_000;

await print(async () => {
  const settings = readSettings(process.env);
  const { DATABASE_URL: url, VH_DATA_DIR: directory } = settings;
  if (url === null) throw new Error('DATABASE_URL is not set. Set it to the database that is to be filled.');
  const logger = createLogger('silent');
  const source = await openDatabaseAlone({ ...settings, DATABASE_URL: null }, logger);
  try {
    if (settings.KAFKA_BROKERS !== null) await requireRead(source);
    const target = await openPostgres({ url, poolMax: 1, deadlineMs, logger });
    try {
      await migrate(target);
      const rows = await copyDatabase(source, target, {
        onRows: showProgress,
        makePartition: (database, name) => makePartition(database, dayOf(name)),
      });
      const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
      return `Copied ${total} rows of ${Object.keys(rows).length} tables; the counts agree. Start the service with DATABASE_URL and its master key (${join(directory, 'master.key')}).`;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
});

/** Consumers would not find in Kafka what they have not read from the table. */
async function requireRead(source: Queryable): Promise<void> {
  const [unread] = await source.query<{ group_name: string; entries: number }>(
    `SELECT group_name, (end_offset - next_offset)::int AS entries FROM log_groups JOIN log_topics USING (topic)
     WHERE next_offset < end_offset ORDER BY entries DESC LIMIT 1`,
  );
  if (unread !== undefined)
    throw new Error(
      `${unread.group_name} has not read ${countNoun(unread.entries, 'entry', 'entries')} of the log. Start the service on its embedded stores until /readyz is ok for a minute, and stop it.`,
    );
}

function showProgress(table: string, copied: number, total: number): void {
  if (!process.stderr.isTTY && copied < total) return;
  const end = copied < total ? '\r' : '\n';
  process.stderr.write(`${table}: ${copied} of ${total} rows${' '.repeat(20)}${end}`);
}

/** The day of a partition of the receipts, receipts_20260131. */
function dayOf(name: string): string {
  const [, year, month, day] = /^receipts_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? [];
  if (day === undefined) throw new Error(`${name} is no partition that this version knows.`);
  return `${year}-${month}-${day}`;
}
