/**
 * Whether Redis is set up as counting needs it. One that throws keys away when memory is short is refused: counts would vanish, and look like
 * innocence. One that keeps no append-only file is warned of: each of its restarts is a rebuild of everything.
 */
import type { RedisConnection, RedisLogger } from './connection.js';

/** What is wrong with one of the servers, in a sentence that says what to do; null where nothing is. Rejects while Redis is away. */
async function findEviction(connection: Pick<RedisConnection, 'describe'>): Promise<string | null> {
  for (const told of await connection.describe(['memory'])) {
    const policy = readField(told, 'maxmemory_policy');
    // Without a limit nothing is thrown away, whatever the policy.
    if (policy === null || policy === 'noeviction' || readField(told, 'maxmemory') === '0') continue;
    return `Redis throws keys away when its memory is full (maxmemory-policy ${policy}). Set maxmemory-policy to noeviction: counts that vanish would look like innocence.`;
  }
  return null;
}

/** Refuses what is set up wrong at the start; later, when another server may have taken over, it is told in the log. A Redis that is away is looked at when it comes. */
export async function checkServers(connection: RedisConnection, logger: RedisLogger | undefined): Promise<void> {
  const tell = async (): Promise<void> => {
    const eviction = await findEviction(connection);
    if (eviction !== null) logger?.warn({}, eviction);
  };
  connection.onReconnect(() => void tell().catch(() => undefined));
  const eviction = await findEviction(connection).catch(() => null);
  if (eviction !== null) throw new Error(eviction);
  const persistence = await connection.describe(['persistence']).catch(() => []);
  if (persistence.some((told) => readField(told, 'aof_enabled') === '0'))
    logger?.warn(
      {},
      'Redis keeps no append-only file: each of its restarts is a rebuild of all projects. Set appendonly to yes.',
    );
}

const readField = (told: string, name: string): string | null =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(told)?.[1] ?? null;
