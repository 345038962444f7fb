/**
 * A log whose consumers are not held up for ever by a record that they cannot take.
 *
 *   batch ──handler rejects──▶ comes again ──three times──▶ halved until the records are found that fail by themselves
 *                                                            └──▶ each to the table of dead letters; the rest is taken
 *   dead letter ──an operator asks──▶ handler ──takes it──▶ removed;  ──rejects──▶ dead letter again, with the new reason
 *
 * A store that is away or too slow, or a schema or a grant that is missing, is no fault of a record: such a batch comes again for as long as it lasts, in smaller portions. So does
 * one whose letter cannot be kept, or whose group has kept as many as it may: then something is wrong with more than a few records, and
 * the consumer stands still, which its age shows. A record set aside has left its place in the order of its key.
 */
import { crc32 } from 'node:zlib';
import { isUnavailable } from '../../../errors.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { Metrics } from '../../../telemetry/metrics.js';
import type { Database } from '../../database/port.js';
import { findAskedLetters, insertLetter, readLetterGauges, removeLetter, type Tenant } from './table.js';
import type { Consumer, Log, LogEntry, Subscription } from '../port.js';
import { createBatchSize } from '../../database/batch-size.js';
import { type Rounds, startRounds } from '../../rounds.js';

export interface DeadLetterDeps {
  readonly log: Log;
  readonly database: Database;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'deadLetters' | 'deadLettersKept' | 'deadLettersOldest'>;
  /** How often it looks for what an operator asked for, in milliseconds. */
  readonly everyMs?: number;
  /** Most that a group may keep of many tenants; see `insertLetter`. */
  readonly lettersMax?: number;
}

const triesMax = 3;
const everyMsDefault = 10_000;
const lettersMaxDefault = 10_000;
const playedAtOnce = 50;
/** Batches that fail at the same time: one for each partition of this process. */
const failingMax = 1_000;

export function withDeadLetters(deps: DeadLetterDeps): Log {
  const { log } = deps;
  const playing = new Set<Pick<Rounds, 'stop'>>();
  return {
    ...log,
    subscribe: async (subscription) => {
      const consumer = await log.subscribe({ ...subscription, handle: createHandler(deps, subscription) });
      deps.metrics.deadLetters.inc({ group: subscription.group }, 0);
      const player = startPlayer(deps, subscription);
      playing.add(player);
      const stop = async (): Promise<void> => {
        playing.delete(player);
        await Promise.all([player.stop(), consumer.stop()]);
      };
      return { tickAgeMs: () => consumer.tickAgeMs(), stop } satisfies Consumer;
    },
    close: async () => {
      await Promise.all([...playing].map((player) => player.stop()));
      await log.close();
    },
  };
}

/** The handler, which sets aside what fails by itself. */
function createHandler(deps: DeadLetterDeps, subscription: Subscription): Subscription['handle'] {
  const handle = inPortions(subscription.handle);
  /** By the first record of the batch: a batch that comes again begins with the same. */
  const failures = new Map<string, number>();

  const takeOrSetAside = async (entries: readonly LogEntry[], signal: AbortSignal): Promise<void> => {
    try {
      return await handle(entries, signal);
    } catch (error) {
      const [only] = entries;
      if (only === undefined || signal.aborted || !isOfRecords(error)) throw error;
      if (entries.length === 1) return setAside(deps, subscription, only, error);
    }
    const half = Math.ceil(entries.length / 2);
    await takeOrSetAside(entries.slice(0, half), signal);
    await takeOrSetAside(entries.slice(half), signal);
  };

  return async (entries, signal) => {
    const mark = markOf(entries);
    const failed = failures.get(mark) ?? 0;
    try {
      await (failed < triesMax ? handle(entries, signal) : takeOrSetAside(entries, signal));
      failures.delete(mark);
    } catch (error) {
      if (isOfRecords(error)) {
        if (failures.size >= failingMax) failures.clear();
        failures.set(mark, failed + 1);
      }
      throw error;
    }
  };
}

const markOf = ([first]: readonly LogEntry[]): string =>
  first === undefined ? '' : `${crc32(first.value)}:${first.key}`;

/** Whether the records of a batch may be at fault, and not a store or its schema. */
function isOfRecords(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return !isUnavailable(error) && !/^42[0-9A-Z]{3}$/.test(code);
}

async function setAside(
  deps: DeadLetterDeps,
  { topic, group, tenantOf = () => '' }: Subscription,
  entry: LogEntry,
  error: unknown,
): Promise<void> {
  const owner = { topic, group };
  const { database, logger, metrics, lettersMax = lettersMaxDefault } = deps;
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const tenant = readTenant(tenantOf, entry);
  if (!(await insertLetter(database, owner, entry, { tenant, reason, lettersMax })))
    throw new Error(`The group ${owner.group} has as many dead letters as are kept. The last: ${reason}`);
  metrics.deadLetters.inc({ group: owner.group });
  logger.error(
    { err: error, topic: owner.topic, group: owner.group, bytes: entry.value.length },
    'a log record failed and was set aside as a dead letter',
  );
}

function readTenant(tenantOf: NonNullable<Subscription['tenantOf']>, entry: LogEntry): Tenant {
  try {
    const tenant: unknown = tenantOf(entry);
    return typeof tenant === 'string' ? tenant : null;
  } catch {
    return null;
  }
}

/** Plays again what an operator asked for, and keeps the gauges of the group. */
function startPlayer(deps: DeadLetterDeps, subscription: Subscription): Pick<Rounds, 'stop'> {
  const { database, logger, metrics, everyMs = everyMsDefault } = deps;
  const { topic, group, handle } = subscription;
  const stopping = new AbortController();

  const look = async (): Promise<void> => {
    for (const { letterId, key, value } of await findAskedLetters(database, { topic, group }, playedAtOnce)) {
      if (stopping.signal.aborted) return;
      const entry = { key, value };
      try {
        await handle([entry], stopping.signal);
      } catch (error) {
        if (!isOfRecords(error)) throw error;
        await setAside(deps, subscription, entry, error);
        continue;
      }
      await removeLetter(database, letterId);
      logger.info({ topic, group }, 'a dead letter was replayed');
    }
    const { letters, oldestSeconds } = await readLetterGauges(database, group);
    metrics.deadLettersKept.set({ group }, letters);
    metrics.deadLettersOldest.set({ group }, oldestSeconds);
  };
  const onError = (error: unknown): void =>
    logger.warn({ err: error, group }, 'checking dead letters failed; the next check retries');
  const rounds = startRounds({ everyMs, firstMs: 0, work: look, onError });
  return {
    stop: () => {
      stopping.abort(new Error('The consumer is stopping.'));
      return rounds.stop();
    },
  };
}

/** Hands a batch over whole; after a store fails, in quarters of that until all of it is taken. Handlers may get entries twice. */
export function inPortions(handle: Subscription['handle']): Subscription['handle'] {
  const size = createBatchSize(Infinity);
  return async (entries, signal) => {
    try {
      const most = Math.min(entries.length, size.current());
      for (let from = 0; from < entries.length; from += most) await handle(entries.slice(from, from + most), signal);
      size.succeeded();
    } catch (error) {
      if (isUnavailable(error)) size.failed(entries.length);
      throw error;
    }
  };
}
