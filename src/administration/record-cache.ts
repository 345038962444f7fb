/**
 * A bounded cache of records by id in front of a loader: single-flight, and never a stale record after `drop`: a load
 * that began before the drop is not kept. Absent records are not cached, so that a new one is found at once.
 */
import { LRUCache } from 'lru-cache';

export interface Directory<T extends object> {
  get(id: string): Promise<T | null>;
  drop(id: string): void;
  clear(): void;
}

export function createDirectory<T extends object>(
  entriesMax: number,
  load: (id: string) => Promise<T | null>,
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

  return {
    get(id) {
      const cached = cache.get(id);
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
    clear() {
      drops += 1;
      cache.clear();
      loading.clear();
    },
  };
}
