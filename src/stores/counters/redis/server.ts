/**
 * Checks of the Redis servers at the start and from time to time: whether they are set up as counting needs it, and their clock.
 *
 * A server that evicts keys is refused: evicted counters under-report risk. A server without an append-only file is warned about: each of its restarts
 * is a rebuild of all projects.
 */
import type { RedisConnection, RedisLogger } from './connection.js';

/** Describes the fault of one of the servers, in a sentence with the remedy; null if there is none. Rejects while Redis is unavailable. */
export async function findEviction(connection: Pick<RedisConnection, 'describe'>): Promise<string | null> {
  for (const info of await connection.describe(['memory'])) {
    const policy = readField(info, 'maxmemory_policy');
    // Without a limit nothing is thrown away, whatever the policy.
    if (policy === null || policy === 'noeviction' || readField(info, 'maxmemory') === '0') continue;
    return `Redis evicts keys (maxmemory-policy ${policy}), which under-reports risk. Set \`maxmemory-policy noeviction\`.`;
  }
  return null;
}

/** Rejects if Redis is set up wrong at the start. After a reconnect, when another server may have taken over, logs a warning instead. */
export async function checkServers(connection: RedisConnection, logger: RedisLogger | undefined): Promise<void> {
  const warn = async (): Promise<void> => {
    const eviction = await findEviction(connection);
    if (eviction !== null) logger?.warn({}, eviction);
  };
  connection.onReconnect(() => void warn().catch(() => undefined));
  const eviction = await findEviction(connection).catch(() => null);
  if (eviction !== null) throw new Error(eviction);
  const persistence = await connection.describe(['persistence']).catch(() => []);
  if (persistence.some((info) => !keepsFile(info)))
    logger?.warn(
      {},
      'Redis keeps no append-only file: each of its restarts is a rebuild of all projects. Set appendonly to yes.',
    );
}

/** Whether a server, by its INFO, keeps an append-only file. */
export const keepsFile = (info: string): boolean => readField(info, 'aof_enabled') !== '0';

export const readField = (info: string, name: string): string | null =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? null;

const askEveryMs = 30_000;
/** Less is the time that the question took, and does no harm. */
const toleratedMs = 1_000;

/** The store’s clock, read at the start and every 30 seconds: rate-limit windows follow it, so that all instances count the same window. */
export interface StoreClock {
  /** The store’s time at a moment of this process’s clock, in milliseconds since 1970. */
  at(nowMs: number): number;
  close(): void;
}

export async function openStoreClock(readTime: () => Promise<number>, local: () => number): Promise<StoreClock> {
  let skewMs = 0;
  const ask = async (): Promise<void> => {
    const askedMs = local();
    const timeMs = await readTime();
    const apartMs = timeMs - (askedMs + local()) / 2;
    skewMs = Math.abs(apartMs) < toleratedMs ? 0 : Math.round(apartMs);
  };
  const askQuietly = (): Promise<void> => ask().catch(() => undefined);
  await askQuietly();
  const timer = setInterval(() => void askQuietly(), askEveryMs).unref();
  return { at: (nowMs) => nowMs + skewMs, close: () => clearInterval(timer) };
}
