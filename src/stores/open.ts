/**
 * Opens the three stores, each real if its address is set, else embedded. The data directory is locked if this process writes to it: an
 * embedded store, or the spool of an API process whose log is on another machine.
 */
import { join } from 'node:path';
import type { Settings } from '../config/settings.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import { createClosers } from './closers.js';
import { openMemoryCounters } from './counters/memory/open.js';
import type { Counters } from './counters/port.js';
import { lockDataDirectory } from './data-lock.js';
import { migrate } from './database/migrate.js';
import type { Database } from './database/port.js';
import { openPostgres } from './database/postgres/open.js';
import { readClock } from './database/server.js';
import { shared } from './database/shares.js';
import type { KafkaConnection } from './log/kafka/client.js';
import type { KafkaLogOptions } from './log/kafka/log.js';
import { withDeadLetters } from './log/dead-letters/dead-letters.js';
import { withLag } from './log/lag-log.js';
import { createDataLossReporter, type Log, type OnDataLoss } from './log/port.js';
import { openTableLog } from './log/embedded/log.js';
import { measured, openDatabase, warnAboutNewerMigrations } from './database/open.js';
import { watchDiskSpace } from './disk-space.js';
import { nameStores, needStore } from './store-report.js';
import { settleUntil } from './notifier.js';
import { withSpool } from './spool/spool-log.js';
import { openSpool } from './spool/spool.js';

export interface Stores {
  readonly database: Database;
  /** The same database for what a caller waits for: a short deadline, and connections that no bulk work holds. */
  readonly lookups: Database;
  readonly counters: Counters;
  readonly log: Log;
  /** Whether a score can be answered, as far as its receipt goes: false while neither the log nor the spool takes one. */
  takesReceipts(): boolean;
  /** Whether receipts wait in the spool of this process. */
  holdsReceipts(): boolean;
  close(): Promise<void>;
}

const memoryKeysMax = 2_000_000;
/** Limits a statement that a score waits for if nothing is cached. */
const lookupDeadlineMs = 1_000;
const lookupConnections = 2;
/** The embedded database does one thing at a time: a larger batch of a reader would delay the append that a score waits for. */
const embeddedBatchMax = 100;
/** In a locked directory only this process appends, and that wakes its readers: polling finds only an append whose answer was lost. */
const embeddedPollMs = 5_000;
/** A score waits no longer for its counts. They take a millisecond or two where Redis is well. */
const countersDeadlineMs = 400;
/** Longest that an aborted start takes to close them. */
const stopMsMax = 6_000;

export interface OpenStoresDeps {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Asked as soon as the database answers, before its schema is touched and the other stores are looked at; what it rejects with ends the opening. */
  readonly admit?: (database: Database) => Promise<void>;
  /** Aborted, what was opened is closed, and the opening rejects with the reason. */
  readonly stop?: AbortSignal;
}

export async function openStores(deps: OpenStoresDeps): Promise<Stores> {
  const { settings, logger, metrics, admit, stop } = deps;
  const opened = createClosers();
  const { database: name } = nameStores(settings);
  const step = <T>(work: Promise<T>): Promise<T> => settleUntil(stop, work);
  const keep = <T extends { close(): Promise<void> }>(store: T): T => {
    opened.push(() => store.close());
    return store;
  };
  try {
    if (writesDirectory(settings)) {
      const lock = await lockDataDirectory(settings.VH_DATA_DIR, stop === undefined ? {} : { stop });
      opened.push(() => lock.release());
      const space = watchDiskSpace(settings.VH_DATA_DIR, (bytes) => metrics.diskFree.set(bytes));
      opened.push(() => space.stop());
    }
    const database = keep(
      measured(
        shared(await step(needStore(name, logger, openDatabase(settings, logger))), {
          connections: settings.DATABASE_URL === null ? 1 : settings.VH_DATABASE_CONNECTIONS,
          observer: metrics.noteShare,
        }),
        ...([metrics, 'work'] as const),
      ),
    );
    if (admit !== undefined) await step(needStore(name, logger, admit(database)));
    await step(needStore(name, logger, migrate(database, { onLater: warnAboutNewerMigrations(logger) })));
    const lookups =
      settings.DATABASE_URL === null
        ? database
        : keep(measured(await step(openLookups(settings.DATABASE_URL, logger)), metrics, 'lookups'));
    const counters = keep(await step(openCounters(settings, logger)));
    const opening = await step(
      openLog(settings, database, {
        ...{ logger, onDataLoss: createDataLossReporter(logger, metrics) },
        onMissingReplicas: (replicas) => metrics.logReplicasMissing.set(replicas),
      }),
    );
    let log = withDeadLetters({ log: withLag({ log: opening, metrics }), database, logger, metrics });
    opened.push(() => log.close());
    let spooling: Pick<Stores, 'takesReceipts' | 'holdsReceipts'> = {
      takesReceipts: () => true,
      holdsReceipts: () => false,
    };
    if (hasSpool(settings)) {
      const spool = await openSpool({
        directory: join(settings.VH_DATA_DIR, 'spool'),
        bytesMax: settings.VH_SPOOL_BYTES_MAX,
        logger,
      });
      metrics.spoolBytesMax.set(settings.VH_SPOOL_BYTES_MAX);
      const spooled = withSpool({
        ...{ log, spool, metrics, logger },
        keptLife: { days: settings.VH_UNREADABLE_DAYS, readClock: () => readClock(database) },
      });
      log = spooled;
      spooling = spooled;
    }
    return {
      ...{ database, lookups, counters, log, close: () => opened.close() },
      takesReceipts: spooling.takesReceipts,
      holdsReceipts: spooling.holdsReceipts,
    };
  } catch (error) {
    const closeByMs = performance.now() + stopMsMax;
    await opened.close(stop?.aborted === true ? () => closeByMs - performance.now() : undefined).catch(() => undefined);
    throw error;
  }
}

const openLookups = (url: string, logger: Logger): Promise<Database> =>
  openPostgres({ url, poolMax: lookupConnections, deadlineMs: lookupDeadlineMs, logger });

/** Whether the log is on another machine, so that receipts can outlive its absence here. */
const hasSpool = ({ VH_ROLES, DATABASE_URL, KAFKA_BROKERS }: Settings): boolean =>
  (VH_ROLES.includes('api') || VH_ROLES.includes('audience')) && (KAFKA_BROKERS !== null || DATABASE_URL !== null);

const writesDirectory = (settings: Settings): boolean =>
  settings.DATABASE_URL === null || settings.REDIS_URL === null || hasSpool(settings);

async function openCounters({ REDIS_URL: url, VH_DATA_DIR }: Settings, logger: Logger): Promise<Counters> {
  if (url === null)
    return openMemoryCounters({ snapshotPath: join(VH_DATA_DIR, 'counters.snapshot'), keysMax: memoryKeysMax, logger });
  // The clients of stores are loaded where they are used: they are a tenth of a start.
  const { openRedisCounters } = await import('./counters/redis/open.js');
  return openRedisCounters({ url, deadlineMs: countersDeadlineMs, logger });
}

async function openLog(
  settings: Settings,
  database: Database,
  observers: {
    readonly logger: Logger;
    readonly onDataLoss: OnDataLoss;
    readonly onMissingReplicas: (replicas: number) => void;
  },
): Promise<Log> {
  const { logger, onDataLoss } = observers;
  const { KAFKA_TOPIC_PREFIX: prefix, VH_CONSUMER_TAKEOVER_MS: takeoverMs } = settings;
  const connection = kafkaConnectionOf(settings);
  if (connection === null)
    return openTableLog({
      ...{ database, now: () => performance.now(), logger, onDataLoss, leaseMs: takeoverMs },
      ...(settings.DATABASE_URL === null && {
        batchMax: embeddedBatchMax,
        pollMs: Math.min(embeddedPollMs, takeoverMs / 2),
      }),
    });
  const { openKafkaLog } = await import('./log/kafka/log.js');
  return openKafkaLog({
    ...connection,
    prefix,
    sessionTimeoutMs: takeoverMs,
    retentionMs: settings.KAFKA_RETENTION_DAYS * 86_400_000,
    ...observers,
  });
}

/** How the settings name the brokers; null: they name none. */
export function kafkaConnectionOf(settings: Settings): Omit<KafkaConnection, 'logger'> | null {
  const { KAFKA_BROKERS: brokers, KAFKA_TLS: ssl } = settings;
  if (brokers === null) return null;
  const sasl = saslOf(settings);
  return { brokers, clientId: 'verifyhuman', ssl, ...(sasl === null ? {} : { sasl }) };
}

function saslOf({
  KAFKA_SASL_MECHANISM: mechanism,
  KAFKA_SASL_USERNAME: username,
  KAFKA_SASL_PASSWORD: password,
}: Settings): KafkaLogOptions['sasl'] | null {
  if (mechanism === null || username === null || password === null) return null;
  // Its own branch for each: the client's type ties the fields to the mechanism.
  if (mechanism === 'plain') return { mechanism, username, password };
  return mechanism === 'scram-sha-256' ? { mechanism, username, password } : { mechanism, username, password };
}
