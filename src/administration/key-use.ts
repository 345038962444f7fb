/**
 * When each key was last used, off the hot path: a use costs one look into a map, and is written with others in one statement, at most
 * once a minute for a key. Uses noted while the database is away are lost: the next ones say the same.
 */
import { LRUCache } from 'lru-cache';
import type { Database } from '../stores/database/port.js';
import type { Logger } from '../telemetry/logger.js';

const keysMax = 50_000;
const writeEveryMs = 5_000;
const noteEveryMs = 60_000;

export interface KeyUse {
  note(keyId: string): void;
  /** Writes what is noted now; never rejects. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export function createKeyUse(deps: {
  readonly database: Database;
  readonly logger: Logger;
  readonly now: () => number;
}): KeyUse {
  const { database, logger, now } = deps;
  const noted = new LRUCache<string, number>({ max: keysMax });
  let pending = new Map<string, number>();

  async function flush(): Promise<void> {
    if (pending.size === 0) return;
    const batch = [...pending];
    pending = new Map();
    try {
      await database.query(
        `INSERT INTO api_key_uses (key_id, last_used_at) SELECT key_id, to_timestamp(at / 1000.0) FROM unnest($1::text[], $2::float8[]) AS use (key_id, at)
         ON CONFLICT (key_id) DO UPDATE SET last_used_at = greatest(api_key_uses.last_used_at, excluded.last_used_at)`,
        [batch.map(([keyId]) => keyId), batch.map(([, at]) => at)],
      );
    } catch (error) {
      logger.warn({ err: error, keys: batch.length }, 'uses of keys were not written');
    }
  }

  const timer = setInterval(() => void flush(), writeEveryMs);
  timer.unref();
  return {
    note(keyId) {
      const at = now();
      if (at - (noted.get(keyId) ?? -Infinity) < noteEveryMs) return;
      noted.set(keyId, at);
      if (pending.size < keysMax) pending.set(keyId, at);
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
