/**
 * Opens the three stores: each real where its address is set, else embedded in the data directory.
 */
import { join } from 'node:path';
import type { Settings } from '../config.js';
import type { Logger } from '../telemetry/logger.js';
import { openMemoryCounters } from './counters/memory/open.js';
import type { Counters } from './counters/port.js';
import { openEmbeddedDatabase } from './database/embedded/open.js';
import { migrate } from './database/migrate.js';
import type { Database } from './database/port.js';
import type { Log } from './log/port.js';
import { openTableLog } from './log/table-log.js';

export interface Stores {
  readonly database: Database;
  readonly counters: Counters;
  readonly log: Log;
  close(): Promise<void>;
}

const memoryKeysMax = 2_000_000;

export async function openStores(settings: Settings, logger: Logger): Promise<Stores> {
  const directory = settings.VH_DATA_DIR;
  const opened: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const closeOne of opened.splice(0).reverse()) await closeOne();
  };
  try {
    const database = await openEmbeddedDatabase({ directory: join(directory, 'database'), logger });
    opened.push(() => database.close());
    await migrate(database);
    const counters = await openMemoryCounters({ snapshotPath: join(directory, 'counters.snapshot'), keysMax: memoryKeysMax, logger });
    opened.push(() => counters.close());
    const log = openTableLog({ database, now: Date.now });
    opened.push(() => log.close());
    return { database, counters, log, close };
  } catch (error) {
    await close();
    throw error;
  }
}
