/**
 * A bounded cache of records by id in front of a loader: single-flight, and never a stale record after `drop`: a load
 * that began before the drop is not kept. Absent records are not cached, so that a new one is found at once.
 */
import { LRUCache } from 'lru-cache';

export interface Directory<T extends object> {
  get(id: string): Promise<T | null>;
  drop(id: string): void;
  /**
   * Forgets everything, what has not been asked for longest first and a portion at a time, so that a busy process does not ask the
   * database for all of it in one moment. Resolves when the last record that was cached is forgotten.
   */
  clear(): Promise<void>;
}

export interface DirectoryOptions {
  /** Whether what is cached may be too old to go by: it is loaded again, and where that fails, so does the call. */
  readonly isStale?: () => boolean;
  /** Between two portions of `clear`. */
  readonly portionEveryMs?: number;
}

const portionMax = 1_000;
const portionEveryMsDefault = 200;

export function createDirectory<T extends object>(
  entriesMax: number,
  load: (id: string) => Promise<T | null>,
  { isStale = () => false, portionEveryMs = portionEveryMsDefault }: DirectoryOptions = {},
): Directory<T> {
  const cache = new LRUCache<string, T>({ max: entriesMax });
  const loading = new Map<string, Promise<T | null>>();
  let drops = 0;

  async function loadOnce(id: string): Promise<T | null> {
    const dropsBefore = drops;
    const record = await load(id);
    if (record !== null && drops === dropsBefore) cache.set(id, record);
    return record;
  }

  function dropPortion(ids: readonly string[]): void {
    drops += 1;
    for (const id of ids) cache.delete(id);
  }

  return {
    get(id) {
      const cached = isStale() ? undefined : cache.get(id);
      if (cached !== undefined) return Promise.resolve(cached);
      const pending = loading.get(id);
      if (pending !== undefined) return pending;
      const started = loadOnce(id).finally(() => loading.get(id) === started && loading.delete(id));
      loading.set(id, started);
      return started;
    },
    drop(id) {
      drops += 1;
      cache.delete(id);
      loading.delete(id);
    },
    async clear() {
      loading.clear();
      const ids = [...cache.rkeys()];
      dropPortion(ids.slice(0, portionMax));
      for (let start = portionMax; start < ids.length; start += portionMax) {
        await new Promise<void>((resolve) => setTimeout(resolve, portionEveryMs).unref());
        dropPortion(ids.slice(start, start + portionMax));
      }
    },
  };
}
